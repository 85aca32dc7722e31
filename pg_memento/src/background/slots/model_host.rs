//! What the process of the local model has to say.

use super::with;

/// How often in a row the process, or one before it, has failed.
pub fn failures() -> u32 {
    with(|table| table.header.model_host_failures).unwrap_or(0)
}

/// The model could not be served; says how often in a row that makes.
pub fn failed() -> u32 {
    with(|table| {
        table.header.model_host_failures = table.header.model_host_failures.saturating_add(1);
        table.header.model_host_failures
    })
    .unwrap_or(0)
}

/// The model was served for long enough, or another one is to be.
pub fn forgive() {
    with(|table| table.header.model_host_failures = 0);
}

//! What a preloaded library sets up in the postmaster: shared memory, hooks and processes. No thread, no model.

use std::time::Duration;

use super::{databases, index_builder, launcher, model_host, slots, wake, worker};
use crate::ffi::{process, transaction_end, utility_hook};
use crate::gucs;

/// When the postmaster starts the launcher or the model host again. Both wait longer by themselves if they have reason.
const RESTART: Duration = Duration::from_secs(1);

/// To be called by _PG_init while the library is preloaded.
pub fn install() {
    slots::install(gucs::max_databases());
    transaction_end::install(wake::on_end);
    utility_hook::install(databases::before);
    process::install(process::Mains {
        launcher: launcher::run,
        worker: worker::run,
        model_host: model_host::run,
        index_builder: index_builder::run,
    });
    process::register_launcher(RESTART);
    process::register_model_host(RESTART);
}

//! Waiting for a condition that another process brings about.

use std::time::{Duration, Instant};

/// How long a condition may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Asks again and again until there is an answer.
#[track_caller]
pub fn eventually<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(Instant::now() < end, "did not happen: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

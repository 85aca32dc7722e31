//! Intervals as lengths of time.

use std::time::Duration;

use pgrx::datum::Interval;

const MICROSECONDS_OF_DAY: i128 = 24 * 60 * 60 * 1_000_000;

/// Nobody waits longer, and clocks can count so far.
const LONGEST: Duration = Duration::from_secs(366 * 24 * 60 * 60);

/// Its length, a month being 30 days as in the server's own arithmetic; nothing if it is negative, a year at most.
pub fn duration(interval: &Interval) -> Duration {
    let days = i128::from(interval.months()) * 30 + i128::from(interval.days());
    let microseconds = days * MICROSECONDS_OF_DAY + i128::from(interval.micros());
    Duration::from_micros(u64::try_from(microseconds.max(0)).unwrap_or(u64::MAX)).min(LONGEST)
}

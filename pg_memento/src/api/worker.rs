//! Looking at the background processes.

use pgrx::datum::Interval;
use pgrx::prelude::*;

use super::interval::duration;
use crate::error::{ApiResult, given};
use crate::service::worker;

#[pg_extern(volatile, parallel_restricted, strict)]
#[search_path(pg_catalog, pg_temp)]
#[allow(clippy::type_complexity)] // pgrx reads the columns from the signature.
pub fn worker_slots() -> TableIterator<
    'static,
    (
        name!(database, Option<String>),
        name!(pid, Option<i32>),
        name!(state, String),
        name!(since, Option<TimestampWithTimeZone>),
        name!(restarts, i64),
        name!(wakes, i64),
        name!(rounds, i64),
        name!(next_start, Option<TimestampWithTimeZone>),
        name!(last_error, Option<String>),
    ),
> {
    let time = |microseconds: i64| TimestampWithTimeZone::try_from(microseconds).ok();
    TableIterator::new(worker::slots().into_iter().map(move |named| {
        let slot = named.slot;
        (
            named.database,
            Some(slot.pid).filter(|pid| *pid != 0),
            slot.state.as_str().to_owned(),
            time(slot.since),
            slot.restarts,
            slot.wakes,
            slot.rounds,
            slot.is_waiting().then(|| time(slot.next_start)).flatten(),
            slot.error_code(),
        )
    }))
}

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn wait_until_running(timeout: default!(Option<Interval>, "'30 seconds'")) -> ApiResult<bool> {
    Ok(worker::wait_until_running(duration(&given("timeout", timeout)?))?)
}

#[pg_extern(volatile, parallel_unsafe, strict)]
#[search_path(pg_catalog, pg_temp)]
pub fn _wake_worker() {
    worker::wake_at_commit();
}

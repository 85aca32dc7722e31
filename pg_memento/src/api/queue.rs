//! The queue.

use memento_core::job_state::{JobForm, JobState};
use memento_worker::runner::KINDS;
use pgrx::prelude::*;

use super::interval::duration;
use crate::error::{ApiResult, given};
use crate::ffi::jsonb::Jsonb;
use crate::ffi::procedure;
use crate::service::{drain, queue, term};

#[pg_extern(immutable, parallel_safe)]
pub fn job_kinds() -> Vec<&'static str> {
    KINDS.to_vec()
}

/// For the table of jobs: called for each row that is written.
#[expect(clippy::too_many_arguments, reason = "the columns that it is about")]
#[pg_extern(immutable, parallel_safe)]
pub fn _job_is_whole(
    state: Option<&str>,
    attempt: Option<i32>,
    failures: Option<i16>,
    max_failures: Option<i16>,
    lost_leases: Option<i16>,
    claimable_at: Option<TimestampWithTimeZone>,
    lease_until: Option<TimestampWithTimeZone>,
    claimed_by: Option<&str>,
    finished_at: Option<TimestampWithTimeZone>,
    failed_at: Option<TimestampWithTimeZone>,
) -> Option<bool> {
    let form = JobForm {
        attempt: attempt?,
        is_claimable: claimable_at.is_some(),
        is_leased: lease_until.is_some(),
        is_claimed: claimed_by.is_some(),
        is_finished: finished_at.is_some(),
        has_failed: failed_at.is_some(),
    };
    let is_bounded = (0..=max_failures?).contains(&failures?) && lost_leases? >= 0;
    Some(is_bounded && JobState::from_word(state?).is_some_and(|state| form.fits(state)))
}

#[pg_extern(immutable, parallel_safe, strict)]
pub fn _job_may_become(state: &str, next: &str) -> bool {
    let states = JobState::from_word(state).zip(JobState::from_word(next));
    states.is_some_and(|(state, next)| state.may_become(next))
}

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn retry_job(job_id: Option<i64>) -> ApiResult<Jsonb> {
    Ok(queue::change_job(given("job_id", job_id)?, true)?.into())
}

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn cancel_job(job_id: Option<i64>) -> ApiResult<Jsonb> {
    Ok(queue::change_job(given("job_id", job_id)?, false)?.into())
}

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn pause_queue(
    kind: default!(Option<&str>, "null"),
    reason: default!(Option<&str>, "null"),
) -> ApiResult<i64> {
    Ok(queue::pause(kind, reason)?)
}

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn resume_queue(kind: default!(Option<&str>, "null")) -> ApiResult<i64> {
    Ok(queue::resume(kind)?)
}

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn set_budget(max_tokens: Option<i64>, period: default!(Option<&str>, "'day'")) -> ApiResult<Jsonb> {
    Ok(queue::set_budget(max_tokens, period.unwrap_or("day"))?.into())
}

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn wait_until_idle(timeout: default!(Option<Interval>, "'30 seconds'")) -> ApiResult<bool> {
    Ok(queue::wait_until_idle(duration(&given("timeout", timeout)?))?)
}

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
fn _backfill_tokens(project_id: pgrx::Uuid, max_chunks: i64) -> ApiResult<i64> {
    Ok(term::backfill_project(project_id, max_chunks)?)
}

// A pinned search_path would keep it from committing: the statements pin it themselves, for each transaction.
#[pg_extern(sql = r#"
create procedure memento.drain(max_jobs bigint default null)
  language c
  as 'MODULE_PATHNAME', '@FUNCTION_NAME@';
"#)]
pub fn drain(max_jobs: Option<i64>, call: pg_sys::FunctionCallInfo) -> ApiResult<()> {
    Ok(drain::drain(max_jobs, procedure::may_commit(call))?)
}

#[pg_extern(immutable, parallel_safe)]
fn _rules_version() -> i32 {
    memento_core::tech::RULES_VERSION
}

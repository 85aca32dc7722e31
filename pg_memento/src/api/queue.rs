//! The queue.

use memento_worker::runner::KINDS;
use pgrx::prelude::*;

use super::interval::duration;
use crate::error::{ApiResult, given};
use crate::ffi::jsonb::Jsonb;
use crate::service::{queue, term};

#[pg_extern(immutable, parallel_safe)]
pub fn job_kinds() -> Vec<&'static str> {
    KINDS.to_vec()
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

#[pg_extern(immutable, parallel_safe)]
fn _rules_version() -> i32 {
    memento_core::tech::RULES_VERSION
}

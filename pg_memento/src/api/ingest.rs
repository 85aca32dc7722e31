//! Chunking by jobs.

use pgrx::Uuid;
use pgrx::prelude::*;

use crate::error::{ApiResult, given};
use crate::ffi::jsonb::Jsonb;
use crate::service::ingest;

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn _ingest_version(project_id: Option<Uuid>, version_id: Option<Uuid>) -> ApiResult<i64> {
    let chunks = ingest::ingest_version(given("project_id", project_id)?, given("version_id", version_id)?)?;
    Ok(i64::try_from(chunks).unwrap_or(i64::MAX))
}

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn admin_reingest_version(version_id: Option<Uuid>) -> ApiResult<Jsonb> {
    Ok(ingest::reingest(given("version_id", version_id)?)?)
}

//! The quality report.

use pgrx::prelude::*;

use crate::error::ApiResult;
use crate::ffi::jsonb::Jsonb;
use crate::service::audit;

#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
pub fn memory_audit(
    max_items: default!(Option<i32>, "10000"),
    max_findings: default!(Option<i32>, "100"),
) -> ApiResult<Jsonb> {
    Ok(audit::report(max_items.unwrap_or(10_000), max_findings.unwrap_or(100))?)
}

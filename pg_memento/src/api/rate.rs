//! Limits on how often a role calls tools.

use pgrx::datum::Interval;
use pgrx::prelude::*;

use super::interval::duration;
use crate::error::{ApiResult, given};
use crate::service::rate;

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn mcp_admit(tool: Option<&str>) -> ApiResult<()> {
    Ok(rate::admit(given("tool", tool)?)?)
}

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn set_rate_limit(
    tool: Option<&str>,
    max_calls: Option<i32>,
    per: default!(Option<Interval>, "'1 minute'"),
    role: default!(Option<&str>, "null"),
) -> ApiResult<()> {
    let per = given("per", per)?;
    let length = duration(&per);
    Ok(rate::set_limit(given("tool", tool)?, max_calls, per, length, role)?)
}

//! A project's terms.

use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use crate::error::{ApiResult, given};
use crate::service::term;
use crate::service::text::int;

#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
pub fn domain_terms() -> Result<SetOfIterator<'static, String>, ErrorReport> {
    Ok(SetOfIterator::new(term::list()?))
}

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn add_domain_terms(terms: Option<Vec<Option<String>>>) -> ApiResult<i32> {
    Ok(int(term::change(given("terms", terms)?, true)?))
}

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn remove_domain_terms(terms: Option<Vec<Option<String>>>) -> ApiResult<i32> {
    Ok(int(term::change(given("terms", terms)?, false)?))
}

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn backfill_tech_tokens(max_chunks: default!(Option<i64>, "10000")) -> ApiResult<i64> {
    Ok(term::backfill(max_chunks.unwrap_or(10_000))?)
}

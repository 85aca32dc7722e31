//! Labelled queries that are kept, embedding profiles compared on them, and the weights of searches tuned by them.

use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use crate::error::{ApiResult, given};
use crate::ffi::jsonb::Jsonb;
use crate::service::eval::{stored, tune};
use crate::service::search::weights;

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn save_eval_set(name: Option<&str>, queryset: Option<Jsonb>) -> ApiResult<i32> {
    Ok(stored::save(given("name", name)?, &given("queryset", queryset)?)?)
}

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
#[allow(clippy::type_complexity)] // pgrx reads the columns from the signature.
pub fn run_eval_set(
    name: Option<&str>,
    k: default!(Option<i32>, "10"),
    profile: default!(Option<&str>, "null"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(lane, String),
            name!(queries, i64),
            name!(recall, f64),
            name!(mrr, f64),
            name!(ndcg, f64),
            name!(median_ms, f64),
        ),
    >,
    ErrorReport,
> {
    let rows = stored::run(given("name", name)?, k.unwrap_or(10), profile)?;
    Ok(TableIterator::new(
        rows.into_iter().map(|row| (row.lane, row.queries, row.recall, row.mrr, row.ndcg, row.milliseconds)),
    ))
}

#[pg_extern(stable, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn tune_weights(
    queryset: default!(Option<Jsonb>, "null"),
    eval_set: default!(Option<&str>, "null"),
    k: default!(Option<i32>, "10"),
) -> ApiResult<Jsonb> {
    Ok(tune::tune(queryset.as_ref(), eval_set, k.unwrap_or(10))?.into())
}

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn set_search_weights(weights: Option<Jsonb>) -> ApiResult<Jsonb> {
    Ok(weights::set(weights.as_ref())?.into())
}

#[pg_extern(stable, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
#[allow(clippy::type_complexity)] // pgrx reads the columns from the signature.
pub fn compare_profiles(
    eval_set: Option<&str>,
    profile: Option<&str>,
    other_profile: Option<&str>,
    k: default!(Option<i32>, "10"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(lane, String),
            name!(recall, f64),
            name!(other_recall, f64),
            name!(mrr, f64),
            name!(other_mrr, f64),
            name!(ndcg, f64),
            name!(other_ndcg, f64),
            name!(better, i64),
            name!(worse, i64),
        ),
    >,
    ErrorReport,
> {
    let (profile, other) = (given("profile", profile)?, given("other_profile", other_profile)?);
    let rows = stored::compare(given("eval_set", eval_set)?, profile, other, k.unwrap_or(10))?;
    Ok(TableIterator::new(rows.into_iter().map(|row| {
        let (one, other) = (row.one, row.other);
        (row.lane, one.recall, other.recall, one.mrr, other.mrr, one.ndcg, other.ndcg, row.better, row.worse)
    })))
}

//! Evidence: packs, what is around them, why they are so, and how good searches are.

use pgrx::Uuid;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use serde_json::json;

use crate::error::{ApiResult, given};
use crate::ffi::jsonb::Jsonb;
use crate::service::retrieve::Request;
use crate::service::{eval, grouped, retrieve};

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
#[allow(clippy::too_many_arguments)] // pgrx reads the arguments from the signature.
pub fn retrieve(
    query: Option<&str>,
    max_evidence_items: default!(Option<i32>, "8"),
    max_total_chars: default!(Option<i32>, "6000"),
    max_total_tokens: default!(Option<i32>, "null"),
    filters: default!(Option<Jsonb>, "'{}'"),
    as_of: default!(Option<TimestampWithTimeZone>, "null"),
    intent: default!(Option<&str>, "null"),
    return_style: default!(Option<&str>, "'evidence_pack_json'"),
    debug: default!(Option<bool>, "false"),
    max_per_item: default!(Option<i32>, "2"),
    store: default!(Option<bool>, "true"),
    strategy: default!(Option<&str>, "'global'"),
) -> ApiResult<Jsonb> {
    let request = Request {
        query: given("query", query)?,
        max_items: max_evidence_items.unwrap_or(8),
        max_chars: max_total_chars.unwrap_or(6000),
        max_tokens: max_total_tokens,
        max_per_item: max_per_item.unwrap_or(2),
        filters: filters.unwrap_or_else(|| json!({}).into()),
        as_of,
        intent,
        return_style: return_style.unwrap_or("evidence_pack_json"),
        strategy: strategy.unwrap_or("global"),
        debug: debug.unwrap_or(false),
        store: store.unwrap_or(true),
    };
    Ok(retrieve::retrieve(&request)?.into())
}

#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
pub fn expand(evidence_id: Option<&str>, max_chars: default!(Option<i32>, "2000")) -> ApiResult<Jsonb> {
    Ok(retrieve::expand(given("evidence_id", evidence_id)?, max_chars.unwrap_or(2000))?)
}

#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
#[allow(clippy::type_complexity)] // pgrx reads the columns from the signature.
pub fn explain_pack(
    pack_id: Option<Uuid>,
) -> Result<
    TableIterator<
        'static,
        (
            name!(place, i32),
            name!(evidence_id, String),
            name!(chunk_id, i64),
            name!(lane, String),
            name!(rank, i64),
            name!(lane_score, Option<f64>),
            name!(weight, f64),
            name!(contribution, f64),
            name!(fused_score, f64),
            name!(note, Option<String>),
        ),
    >,
    ErrorReport,
> {
    let rows = retrieve::explain(given("pack_id", pack_id)?)?;
    Ok(TableIterator::new(rows.into_iter().map(|row| {
        (
            row.place,
            row.evidence_id,
            row.chunk_id,
            row.lane,
            row.rank,
            row.lane_score,
            row.weight,
            row.contribution,
            row.fused_score,
            row.note,
        )
    })))
}

#[pg_extern(stable, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn replay_pack(pack_id: Option<Uuid>) -> ApiResult<Jsonb> {
    Ok(retrieve::replay(given("pack_id", pack_id)?)?)
}

#[pg_extern(stable, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn memory_search(
    query: Option<&str>,
    max_items: default!(Option<i32>, "20"),
    include_chunks: default!(Option<bool>, "true"),
    filters: default!(Option<Jsonb>, "'{}'"),
) -> ApiResult<Jsonb> {
    let filters = filters.unwrap_or_else(|| json!({}).into());
    let with_chunks = include_chunks.unwrap_or(true);
    Ok(grouped::items(given("query", query)?, max_items.unwrap_or(20), &filters, with_chunks)?.into())
}

#[pg_extern(stable, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
#[allow(clippy::type_complexity)] // pgrx reads the columns from the signature.
pub fn eval(
    queryset: Option<Jsonb>,
    k: default!(Option<i32>, "10"),
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
    let rows = eval::eval(&given("queryset", queryset)?, k.unwrap_or(10))?;
    Ok(TableIterator::new(
        rows.into_iter().map(|row| (row.lane, row.queries, row.recall, row.mrr, row.ndcg, row.milliseconds)),
    ))
}

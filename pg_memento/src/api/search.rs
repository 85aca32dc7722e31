//! Searching.

use pgrx::Uuid;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use serde_json::json;

use crate::ffi::jsonb::Jsonb;
use crate::service::search;

/// Without `k` or with null: what fits on a screen.
const DEFAULT_LIMIT: i32 = 10;

#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
#[allow(clippy::type_complexity)] // pgrx reads the columns from the signature.
pub fn search(
    query: Option<&str>,
    k: default!(Option<i32>, "10"),
    filters: default!(Option<Jsonb>, "'{}'"),
    as_of: default!(Option<TimestampWithTimeZone>, "null"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(chunk_id, i64),
            name!(item_id, Uuid),
            name!(version_num, i32),
            name!(title, Option<String>),
            name!(kind, String),
            name!(heading_path, Vec<String>),
            name!(section_anchor, Option<String>),
            name!(start_char, i32),
            name!(end_char, i32),
            name!(excerpt, String),
            name!(score, f64),
            name!(lanes, Jsonb),
        ),
    >,
    ErrorReport,
> {
    let filters = filters.unwrap_or_else(|| json!({}).into());
    let hits = search::search(query.unwrap_or_default(), k.unwrap_or(DEFAULT_LIMIT), &filters, as_of)?;
    Ok(TableIterator::new(hits.into_iter().map(|hit| {
        (
            hit.chunk_id,
            hit.item_id,
            hit.version_num,
            hit.title,
            hit.kind,
            hit.heading_path,
            hit.section_anchor,
            hit.start_char,
            hit.end_char,
            hit.excerpt,
            hit.score,
            hit.lanes,
        )
    })))
}

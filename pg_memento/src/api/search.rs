//! Searching.

use pgrx::Uuid;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use serde_json::json;

use crate::ffi::jsonb::Jsonb;
use crate::service::search::{self, Hit};

/// Without `k` or with null: what fits on a screen.
const DEFAULT_LIMIT: i32 = 10;

// Lanes run in subtransactions and with settings of their own, which parallel queries do not allow.
#[pg_extern(stable, parallel_unsafe)]
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
    let hits = search::search(query.unwrap_or_default(), k.unwrap_or(DEFAULT_LIMIT), &filters, as_of)?.hits;
    Ok(TableIterator::new(hits.into_iter().map(|hit| {
        let Hit { passage, score, lanes } = hit;
        (
            passage.chunk_id,
            passage.item_id,
            passage.version_num,
            passage.title,
            passage.kind,
            passage.heading_path,
            passage.section_anchor,
            passage.start_char,
            passage.end_char,
            passage.excerpt,
            score,
            lanes,
        )
    })))
}

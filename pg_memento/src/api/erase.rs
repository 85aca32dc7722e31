//! Forgetting.

use pgrx::Uuid;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use crate::error::{ApiResult, given};
use crate::ffi::jsonb::Jsonb;
use crate::service::erase;
use crate::spi::erase::Doomed;

/// How many items a dry run lists where nobody says.
const DEFAULT_LIMIT: i32 = 1000;

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn forget(
    item_id: default!(Option<Uuid>, "null"),
    source_system: default!(Option<&str>, "null"),
    source_id: default!(Option<&str>, "null"),
    whole_source: default!(Option<bool>, "false"),
    whole_project: default!(Option<bool>, "false"),
    subject: default!(Option<&str>, "null"),
    conversation_id: default!(Option<&str>, "null"),
) -> ApiResult<Jsonb> {
    Ok(erase::forget(&Doomed {
        item: item_id,
        source_system,
        source_id,
        whole_source: whole_source.unwrap_or(false),
        subject,
        conversation: conversation_id,
        whole_project: whole_project.unwrap_or(false),
    })?)
}

#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
pub fn verify_forgotten(receipt_id: Option<Uuid>) -> ApiResult<Jsonb> {
    Ok(erase::verify_forgotten(given("receipt_id", receipt_id)?)?)
}

#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
#[allow(clippy::type_complexity)] // pgrx reads the columns from the signature.
pub fn retention_due(
    at: default!(Option<TimestampWithTimeZone>, "pg_catalog.now()"),
    max_items: default!(Option<i32>, "1000"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(item_id, Uuid),
            name!(title, Option<String>),
            name!(retention, String),
            name!(due_at, TimestampWithTimeZone),
            name!(action, &'static str),
        ),
    >,
    ErrorReport,
> {
    let due = erase::due(at, max_items.unwrap_or(DEFAULT_LIMIT))?;
    Ok(TableIterator::new(
        due.into_iter().map(|item| (item.item_id, item.title, item.retention, item.due_at, "forget")),
    ))
}

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn _apply_retention(batch: Option<i32>) -> ApiResult<i64> {
    Ok(erase::apply_retention(given("batch", batch)?)?)
}

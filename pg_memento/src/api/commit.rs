//! Commits and sessions.

use pgrx::Uuid;
use pgrx::prelude::*;
use serde_json::json;

use crate::error::{ApiResult, given};
use crate::ffi::jsonb::Jsonb;
use crate::service::commit;
use crate::spi::commit::Request;

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn memory_commit(
    entries: Option<Jsonb>,
    idempotency_key: default!(Option<&str>, "null"),
    session_id: default!(Option<Uuid>, "null"),
    message: default!(Option<&str>, "null"),
) -> ApiResult<Jsonb> {
    let entries = given("entries", entries)?;
    Ok(commit::commit(&Request { entries: &entries, idempotency_key, session: session_id, message })?)
}

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn sessions_start(
    title: default!(Option<&str>, "null"),
    metadata: default!(Option<Jsonb>, "'{}'"),
) -> ApiResult<Jsonb> {
    Ok(commit::start_session(title, metadata.unwrap_or_else(|| json!({}).into()))?)
}

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn sessions_end(session_id: Option<Uuid>, summary: default!(Option<&str>, "null")) -> ApiResult<Jsonb> {
    Ok(commit::end_session(given("session_id", session_id)?, summary)?)
}

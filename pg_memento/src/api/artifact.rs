//! Artifacts.

use pgrx::prelude::*;
use serde_json::json;

use super::memory::without_null;
use crate::error::{ApiResult, given};
use crate::ffi::jsonb::Jsonb;
use crate::service::artifact::search::Asked;
use crate::service::artifact::{self, NewArtifact};
use crate::service::memory::{self, StoreError};

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
#[allow(clippy::too_many_arguments)] // In SQL they have names and defaults.
pub fn artifact_ingest(
    artifact_type: Option<&str>,
    source_system: Option<&str>,
    content: Option<&str>,
    source_id: default!(Option<&str>, "null"),
    source_url: default!(Option<&str>, "null"),
    title: default!(Option<&str>, "null"),
    author: default!(Option<&str>, "null"),
    participants: default!(Option<Vec<Option<String>>>, "null"),
    ts: default!(Option<TimestampWithTimeZone>, "null"),
    sensitivity: default!(Option<&str>, "'normal'"),
    visibility_scope: default!(Option<&str>, "'me'"),
    retention_policy: default!(Option<&str>, "'forever'"),
) -> ApiResult<Jsonb> {
    Ok(artifact::ingest(NewArtifact {
        artifact_type: given("artifact_type", artifact_type)?,
        system: given("source_system", source_system)?,
        id: source_id,
        content: content.ok_or(StoreError::Empty)?,
        title,
        url: source_url,
        author,
        participants: without_null(participants).ok_or(StoreError::BadParticipant)?,
        source_ts: ts,
        class: memory::classification(None, None, sensitivity, visibility_scope, retention_policy)?,
    })?)
}

#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
pub fn artifact_get(
    artifact_id: Option<&str>,
    include_content: default!(Option<bool>, "false"),
    include_chunks: default!(Option<bool>, "false"),
    revision_id: default!(Option<&str>, "null"),
) -> ApiResult<Jsonb> {
    let (content, chunks) = (include_content.unwrap_or(false), include_chunks.unwrap_or(false));
    Ok(artifact::get(given("artifact_id", artifact_id)?, revision_id, content, chunks)?)
}

#[pg_extern(stable, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn artifact_search(
    query: Option<&str>,
    max_items: default!(Option<i32>, "10"),
    filters: default!(Option<Jsonb>, "'{}'"),
    artifact_type: default!(Option<&str>, "null"),
    artifact_uid: default!(Option<&str>, "null"),
    include_chunks: default!(Option<bool>, "true"),
) -> ApiResult<Jsonb> {
    let asked = Asked {
        query: given("query", query)?,
        max_items: max_items.unwrap_or(10),
        filters: filters.unwrap_or_else(|| json!({}).into()),
        artifact_type,
        artifact_uid,
        with_chunks: include_chunks.unwrap_or(true),
    };
    Ok(artifact::search::artifacts(&asked)?.into())
}

#[pg_extern(stable, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn hybrid_search(
    query: Option<&str>,
    max_items: default!(Option<i32>, "10"),
    filters: default!(Option<Jsonb>, "'{}'"),
) -> ApiResult<Jsonb> {
    let asked = Asked {
        query: given("query", query)?,
        max_items: max_items.unwrap_or(10),
        filters: filters.unwrap_or_else(|| json!({}).into()),
        artifact_type: None,
        artifact_uid: None,
        with_chunks: true,
    };
    Ok(artifact::search::hybrid(&asked)?.into())
}

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn artifact_delete(artifact_id: Option<&str>) -> ApiResult<Jsonb> {
    Ok(artifact::delete(given("artifact_id", artifact_id)?)?)
}

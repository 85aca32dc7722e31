//! Remembering.

use pgrx::prelude::*;
use serde_json::json;

use crate::error::ApiResult;
use crate::ffi::jsonb::Jsonb;
use crate::service::memory::{self, StoreError};
use crate::spi::store::{NewMemory, Source};

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn remember(
    content: Option<&str>,
    title: default!(Option<&str>, "null"),
    kind: default!(Option<&str>, "'note'"),
    tags: default!(Option<Vec<Option<String>>>, "'{}'"),
    source_system: default!(Option<&str>, "null"),
    source_id: default!(Option<&str>, "null"),
    metadata: default!(Option<Jsonb>, "'{}'"),
) -> ApiResult<Jsonb> {
    let source = match (source_system, source_id) {
        (Some(system), Some(id)) => Some(Source { system, id }),
        (None, None) => None,
        _ => return Err(StoreError::HalfASource.into()),
    };
    let tags = tags.unwrap_or_default().into_iter().collect::<Option<Vec<_>>>().ok_or(StoreError::BadTag)?;
    let remembered = memory::remember(NewMemory {
        content: content.ok_or(StoreError::Empty)?,
        title,
        kind: kind.unwrap_or("note"),
        tags,
        source,
        metadata: metadata.unwrap_or_else(|| json!({}).into()),
    })?;
    Ok(json!({
        "status": remembered.status.as_str(),
        "item_id": remembered.item_id.to_string(),
        "version_id": remembered.version_id.to_string(),
        "version_num": remembered.version_num,
        "chunks": remembered.chunk_count,
    })
    .into())
}

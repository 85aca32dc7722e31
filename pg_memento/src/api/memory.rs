//! Remembering.

use pgrx::Uuid;
use pgrx::prelude::*;
use serde_json::json;

use crate::error::{ApiResult, given};
use crate::ffi::jsonb::Jsonb;
use crate::service::item;
use crate::service::memory::{self, StoreError};
use crate::service::{list, secret};
use crate::spi::item::State;
use crate::spi::store::{Identity, NewMemory, Origin};

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
#[allow(clippy::too_many_arguments)] // In SQL they have names and defaults.
pub fn remember(
    content: Option<&str>,
    title: default!(Option<&str>, "null"),
    kind: default!(Option<&str>, "'note'"),
    tags: default!(Option<Vec<Option<String>>>, "'{}'"),
    source_system: default!(Option<&str>, "null"),
    source_id: default!(Option<&str>, "null"),
    metadata: default!(Option<Jsonb>, "'{}'"),
    scope: default!(Option<&str>, "'project'"),
    doc_class: default!(Option<&str>, "null"),
    sensitivity: default!(Option<&str>, "'normal'"),
    visibility: default!(Option<&str>, "'me'"),
    retention: default!(Option<&str>, "'forever'"),
    source_url: default!(Option<&str>, "null"),
    author: default!(Option<&str>, "null"),
    participants: default!(Option<Vec<Option<String>>>, "'{}'"),
) -> ApiResult<Jsonb> {
    let identity = match (source_system, source_id) {
        (Some(system), Some(id)) => Some(Identity::Source { system, id }),
        (None, None) => None,
        _ => return Err(StoreError::HalfASource.into()),
    };
    let remembered = memory::remember(NewMemory {
        content: content.ok_or(StoreError::Empty)?,
        title,
        kind: kind.unwrap_or("note"),
        tags: without_null(tags).ok_or(StoreError::BadTag)?,
        identity,
        metadata: metadata.unwrap_or_else(|| json!({}).into()),
        origin: Origin {
            system: None,
            url: source_url,
            author,
            participants: without_null(participants).ok_or(StoreError::BadParticipant)?,
        },
        class: memory::classification(scope, doc_class, sensitivity, visibility, retention)?,
    })?;
    Ok(remembered.to_json().into())
}

/// A list that has no null in it; null is the empty list.
pub fn without_null(list: Option<Vec<Option<String>>>) -> Option<Vec<String>> {
    list.unwrap_or_default().into_iter().collect()
}

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn set_secret_policy(policy: Option<&str>) -> ApiResult<()> {
    Ok(secret::set_policy(given("policy", policy)?)?)
}

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn memory_restore(item_id: Option<Uuid>, version_num: Option<i32>) -> ApiResult<Jsonb> {
    let restored = item::restore(given("item_id", item_id)?, given("version_num", version_num)?)?;
    Ok(restored.to_json().into())
}

#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
pub fn memory_get(
    item_id: Option<Uuid>,
    version_num: default!(Option<i32>, "null"),
    as_of: default!(Option<TimestampWithTimeZone>, "null"),
) -> ApiResult<Jsonb> {
    Ok(item::get(given("item_id", item_id)?, version_num, as_of)?)
}

#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
pub fn memory_history(
    item_id: Option<Uuid>,
    max_versions: default!(Option<i32>, "50"),
    before_version: default!(Option<i32>, "null"),
) -> ApiResult<Jsonb> {
    Ok(item::history(given("item_id", item_id)?, max_versions.unwrap_or(50), before_version)?)
}

#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
pub fn memory_list(
    filters: default!(Option<Jsonb>, "'{}'"),
    max_items: default!(Option<i32>, "50"),
    after: default!(Option<&str>, "null"),
    include_archived: default!(Option<bool>, "false"),
) -> ApiResult<Jsonb> {
    let filters = filters.unwrap_or_else(|| json!({}).into());
    Ok(list::list(&filters, max_items.unwrap_or(50), after, include_archived.unwrap_or(false))?)
}

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn memory_pin(item_id: Option<Uuid>) -> ApiResult<Jsonb> {
    Ok(item::set_state(given("item_id", item_id)?, State { pinned: Some(true), ..State::default() })?)
}

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn memory_unpin(item_id: Option<Uuid>) -> ApiResult<Jsonb> {
    Ok(item::set_state(given("item_id", item_id)?, State { pinned: Some(false), ..State::default() })?)
}

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn memory_archive(item_id: Option<Uuid>, archived: default!(Option<bool>, "true")) -> ApiResult<Jsonb> {
    let state = State { archived: Some(archived.unwrap_or(true)), ..State::default() };
    Ok(item::set_state(given("item_id", item_id)?, state)?)
}

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn memory_resolve(item_id: Option<Uuid>, resolved: default!(Option<bool>, "true")) -> ApiResult<Jsonb> {
    let state = State { resolved: Some(resolved.unwrap_or(true)), ..State::default() };
    Ok(item::set_state(given("item_id", item_id)?, state)?)
}

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn memory_link(
    from_item_id: Option<Uuid>,
    to_item_id: Option<Uuid>,
    relation: Option<&str>,
    metadata: default!(Option<Jsonb>, "'{}'"),
) -> ApiResult<Jsonb> {
    let (from, to) = (given("from_item_id", from_item_id)?, given("to_item_id", to_item_id)?);
    let metadata = metadata.unwrap_or_else(|| json!({}).into());
    Ok(item::link(from, to, given("relation", relation)?, metadata)?)
}

//! Canonical documents.

use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use serde_json::json;

use crate::error::{ApiResult, given};
use crate::ffi::jsonb::Jsonb;
use crate::service::canonical;
use crate::service::memory::{self, StoreError};
use crate::service::text::int;
use crate::spi::store::{Identity, NewMemory, Origin};

/// What a pack may have where nobody says.
const DEFAULT_BUDGET: i32 = 4000;

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn canonical_upsert(
    canonical_key: Option<&str>,
    content: Option<&str>,
    title: default!(Option<&str>, "null"),
    doc_class: default!(Option<&str>, "null"),
    tags: default!(Option<Vec<Option<String>>>, "null"),
) -> ApiResult<Jsonb> {
    let tags = tags
        .map(|tags| tags.into_iter().collect::<Option<Vec<_>>>().ok_or(StoreError::BadTag))
        .transpose()?;
    let memory = NewMemory {
        content: content.ok_or(StoreError::Empty)?,
        title,
        kind: "document",
        tags: tags.clone().unwrap_or_default(),
        identity: Some(Identity::Canonical(given("canonical_key", canonical_key)?)),
        metadata: json!({}).into(),
        origin: Origin::default(),
        class: memory::classification(None, doc_class, None, None, None)?,
    };
    Ok(canonical::upsert(memory, tags)?.to_json().into())
}

#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
pub fn canonical_get(
    canonical_key: Option<&str>,
    version_num: default!(Option<i32>, "null"),
) -> ApiResult<Jsonb> {
    Ok(canonical::get(given("canonical_key", canonical_key)?, version_num)?)
}

#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
#[allow(clippy::type_complexity)] // pgrx reads the columns from the signature.
pub fn canonical_outline(
    canonical_key: Option<&str>,
    version_num: default!(Option<i32>, "null"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(section_anchor, String),
            name!(heading_path, Vec<String>),
            name!(level, i32),
            name!(start_char, i32),
            name!(end_char, i32),
        ),
    >,
    ErrorReport,
> {
    let sections = canonical::sections(given("canonical_key", canonical_key)?, version_num)?;
    Ok(TableIterator::new(sections.into_iter().map(|section| {
        (section.anchor, section.path, int(section.level), int(section.start_char), int(section.end_char))
    })))
}

#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
pub fn canonical_get_section(
    canonical_key: Option<&str>,
    section_anchor: Option<&str>,
    with_subsections: default!(Option<bool>, "true"),
    version_num: default!(Option<i32>, "null"),
) -> ApiResult<Jsonb> {
    let (key, anchor) = (given("canonical_key", canonical_key)?, given("section_anchor", section_anchor)?);
    Ok(canonical::section(key, anchor, with_subsections.unwrap_or(true), version_num)?)
}

#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
pub fn canonical_context_pack(
    token_budget: default!(Option<i32>, "4000"),
    query: default!(Option<&str>, "null"),
    canonical_keys: default!(Option<Vec<Option<String>>>, "null"),
) -> ApiResult<Jsonb> {
    let keys = canonical_keys.map(|keys| keys.into_iter().flatten().collect());
    Ok(canonical::context_pack(token_budget.unwrap_or(DEFAULT_BUDGET), query, keys)?)
}

//! Embedding profiles.

use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use serde_json::json;

use crate::error::{ApiResult, given};
use crate::ffi::jsonb::Jsonb;
use crate::service::{embed as service_embed, profile};

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn embedding_profiles_upsert(
    name: Option<&str>,
    provider: Option<&str>,
    model: Option<&str>,
    dims: Option<i32>,
    distance: default!(Option<&str>, "'cosine'"),
    config: default!(Option<Jsonb>, "'{}'"),
) -> ApiResult<Jsonb> {
    let made = profile::upsert(
        given("name", name)?,
        given("provider", provider)?,
        given("model", model)?,
        given("dims", dims)?,
        distance.unwrap_or("cosine"),
        config.unwrap_or_else(|| json!({}).into()),
    )?;
    Ok(made.into())
}

#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
pub fn embedding_profiles_list() -> ApiResult<Jsonb> {
    Ok(profile::list()?)
}

#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
pub fn embedding_health() -> ApiResult<Jsonb> {
    Ok(profile::health()?)
}

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn embedding_profiles_fill(name: Option<&str>) -> ApiResult<Jsonb> {
    Ok(profile::fill(given("name", name)?)?.into())
}

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn embedding_profiles_activate(
    name: Option<&str>,
    force: default!(Option<bool>, "false"),
) -> ApiResult<Jsonb> {
    Ok(profile::activate(name, force.unwrap_or(false))?.into())
}

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn admin_reindex_profile(
    name: Option<&str>,
    from_scratch: default!(Option<bool>, "false"),
) -> ApiResult<Jsonb> {
    Ok(profile::reindex(given("name", name)?, from_scratch.unwrap_or(false))?.into())
}

#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
pub fn embed(
    texts: Option<Vec<Option<String>>>,
    purpose: default!(Option<&str>, "'query'"),
) -> Result<TableIterator<'static, (name!(ordinal, i32), name!(embedding, Vec<f32>))>, ErrorReport> {
    let vectors = service_embed::embed(given("texts", texts)?, purpose.unwrap_or("query"))?;
    Ok(TableIterator::new((1..).zip(vectors)))
}

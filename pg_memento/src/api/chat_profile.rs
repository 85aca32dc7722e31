//! Chat profiles.

use pgrx::prelude::*;
use serde_json::json;

use crate::error::{ApiResult, given};
use crate::ffi::jsonb::Jsonb;
use crate::service::chat_profile;

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn chat_profiles_upsert(
    name: Option<&str>,
    provider: Option<&str>,
    model: Option<&str>,
    config: default!(Option<Jsonb>, "'{}'"),
) -> ApiResult<Jsonb> {
    let config = config.unwrap_or_else(|| json!({}).into());
    let made = chat_profile::upsert(
        given("name", name)?,
        given("provider", provider)?,
        given("model", model)?,
        config,
    )?;
    Ok(made.into())
}

#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
pub fn chat_profiles_list() -> ApiResult<Jsonb> {
    Ok(chat_profile::list()?)
}

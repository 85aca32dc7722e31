//! Looking for events in documents.

use pgrx::prelude::*;

use crate::error::{ApiResult, given};
use crate::ffi::jsonb::Jsonb;
use crate::service::extract;

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn event_reextract(
    artifact_uid: Option<&str>,
    revision_id: default!(Option<&str>, "null"),
    force: default!(Option<bool>, "false"),
) -> ApiResult<Jsonb> {
    let artifact = given("artifact_uid", artifact_uid)?;
    Ok(extract::reextract(artifact, revision_id, force.unwrap_or(false))?.into())
}

#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
pub fn job_status(
    artifact_uid: Option<&str>,
    revision_id: default!(Option<&str>, "null"),
) -> ApiResult<Jsonb> {
    Ok(extract::status(given("artifact_uid", artifact_uid)?, revision_id)?.into())
}

#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
pub fn estimate_extract(
    artifact_uid: default!(Option<&str>, "null"),
    revision_id: default!(Option<&str>, "null"),
) -> ApiResult<Jsonb> {
    Ok(extract::estimate(artifact_uid, revision_id)?.into())
}

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn set_event_extractor(profile: Option<&str>) -> ApiResult<Jsonb> {
    Ok(extract::set_extractor(profile)?.into())
}

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn set_extraction_prompt(name: Option<&str>, template: Option<&str>) -> ApiResult<Jsonb> {
    Ok(extract::set_prompt(given("name", name)?, template)?.into())
}

#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
pub fn extraction_prompts() -> ApiResult<Jsonb> {
    Ok(extract::prompts()?)
}

//! Projects and access.

use memento_core::access::AccessLevel;
use pgrx::Uuid;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use crate::error::{ApiResult, given};
use crate::service::{access, tenancy};
use crate::spi;

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn use_project(project: Option<&str>, is_local: default!(Option<bool>, "false")) -> ApiResult<Uuid> {
    let project_id = access::authorize(given("project", project)?, AccessLevel::Read)?;
    spi::tenancy::set_session_project(project_id, is_local.unwrap_or(false))?;
    Ok(project_id)
}

#[pg_extern(stable, parallel_restricted, strict)]
#[search_path(pg_catalog, pg_temp)]
pub fn current_project() -> ApiResult<Uuid> {
    Ok(access::authorize_current(AccessLevel::Read)?)
}

#[pg_extern(stable, parallel_restricted, strict)]
#[search_path(pg_catalog, pg_temp)]
pub fn readable_projects() -> Result<SetOfIterator<'static, Uuid>, ErrorReport> {
    Ok(SetOfIterator::new(access::visible_projects(AccessLevel::Read)?))
}

#[pg_extern(stable, parallel_restricted, strict)]
#[search_path(pg_catalog, pg_temp)]
pub fn writable_projects() -> Result<SetOfIterator<'static, Uuid>, ErrorReport> {
    Ok(SetOfIterator::new(access::visible_projects(AccessLevel::Write)?))
}

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn create_project(name: Option<&str>, workspace: default!(Option<&str>, "'default'")) -> ApiResult<Uuid> {
    Ok(tenancy::create_project(workspace.unwrap_or("default"), given("name", name)?)?)
}

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn grant_access(role: Option<&str>, project: Option<&str>, level: Option<&str>) -> ApiResult<()> {
    Ok(tenancy::grant_access(given("role", role)?, given("project", project)?, given("level", level)?)?)
}

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn revoke_access(role: Option<&str>, project: Option<&str>) -> ApiResult<bool> {
    Ok(tenancy::revoke_access(given("role", role)?, given("project", project)?)?)
}

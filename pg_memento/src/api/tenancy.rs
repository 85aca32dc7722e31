//! Projects and access.

use memento_core::access::AccessLevel;
use pgrx::Uuid;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use crate::error::{ApiResult, given};
use crate::ffi::jsonb::Jsonb;
use crate::service::project::{self, Whereabouts};
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

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn projects_resolve(
    workspace_name: default!(Option<&str>, "'default'"),
    cwd: default!(Option<&str>, "null"),
    repo_url: default!(Option<&str>, "null"),
    create_if_missing: default!(Option<bool>, "false"),
    display_name: default!(Option<&str>, "null"),
) -> ApiResult<Jsonb> {
    let workspace = workspace_name.unwrap_or("default");
    let at = Whereabouts { workspace, cwd, repo_url, display_name };
    Ok(project::resolve(&at, create_if_missing.unwrap_or(false))?)
}

#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
pub fn projects_list(
    workspace_name: default!(Option<&str>, "null"),
    max_projects: default!(Option<i32>, "100"),
    after: default!(Option<&str>, "null"),
) -> ApiResult<Jsonb> {
    Ok(project::list(workspace_name, max_projects.unwrap_or(100), after)?)
}

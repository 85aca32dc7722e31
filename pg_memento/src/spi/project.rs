//! Projects that a role can see, as it sees them.

use pgrx::Uuid;
use pgrx::pg_sys::Oid;

use super::{StatementResult, required, rows, write};
use crate::ffi::jsonb::Jsonb;

/// Who looks.
#[derive(Clone, Copy)]
pub struct Viewer {
    pub role: Oid,
    pub sees_all: bool,
}

/// A statement over the projects that somebody can see: its file goes on after `queries/visible_projects.sql`.
macro_rules! of_visible_projects {
    ($name:literal) => {
        concat!(
            include_str!("queries/visible_projects.sql"),
            include_str!(concat!("queries/", $name, ".sql"))
        )
    };
}

/// The project of a workspace that is known by a key, or else the one of a name without a key.
pub fn resolve(
    viewer: Viewer,
    workspace: &str,
    key: Option<&str>,
    name: Option<&str>,
) -> StatementResult<Option<(Uuid, Jsonb)>> {
    let found = rows(
        of_visible_projects!("resolve_project"),
        &[viewer.role.into(), viewer.sees_all.into(), workspace.into(), key.into(), name.into()],
        |row| Ok((required(&row, 1)?, required(&row, 2)?)),
    )?;
    Ok(found.into_iter().next())
}

/// A page of projects by workspace and name, as one JSON value.
pub fn list(
    viewer: Viewer,
    workspace: Option<&str>,
    after: Option<(&str, &str)>,
    limit: i32,
) -> StatementResult<Option<Jsonb>> {
    let (after_workspace, after_name) = after.unzip();
    let found = rows(
        of_visible_projects!("list_projects"),
        &[
            viewer.role.into(),
            viewer.sees_all.into(),
            workspace.into(),
            after_workspace.into(),
            after_name.into(),
            limit.into(),
        ],
        |row| row.get::<Jsonb>(1),
    )?;
    Ok(found.into_iter().flatten().next())
}

/// Gives a project the key that it is known by, if it has none.
pub fn set_key(project: Uuid, key: &str) -> StatementResult<()> {
    write(
        "update memento.project set project_key = $2::text where project_id = $1 and project_key is null",
        &[project.into(), key.into()],
        |_| Ok(()),
    )?;
    Ok(())
}

/// Whether a workspace has a project with this key, whoever can see it.
pub fn key_is_used(workspace: &str, key: &str) -> StatementResult<bool> {
    let found =
        rows(include_str!("queries/project_key_is_used.sql"), &[workspace.into(), key.into()], |_| Ok(()))?;
    Ok(!found.is_empty())
}

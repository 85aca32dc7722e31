//! Projects, workspaces and members.

use memento_core::access::AccessLevel;
use memento_core::project::ProjectRef;
use pgrx::Uuid;
use pgrx::pg_sys::Oid;
use pgrx::spi::SpiHeapTupleData;

use super::{StatementResult, kept_rows, required, rows, write};
use crate::ffi::jsonb::Jsonb;

/// A project that the caller may see, and what it may do there.
pub struct VisibleProject {
    pub project_id: Uuid,
    pub level: Option<AccessLevel>,
}

/// The projects that a reference can mean for a role: none, one, or several of the same name.
pub fn find_projects(
    role: Oid,
    sees_all: bool,
    reference: &ProjectRef,
) -> StatementResult<Vec<VisibleProject>> {
    let read = |row: SpiHeapTupleData| {
        Ok(VisibleProject {
            project_id: required(&row, 1)?,
            level: row.get::<&str>(2)?.and_then(|level| level.parse().ok()),
        })
    };
    let by_name = |workspace: Option<&str>, name: &str| {
        kept_rows(
            include_str!("queries/projects_by_name.sql"),
            &[role.into(), sees_all.into(), workspace.into(), name.into()],
            read,
        )
    };
    match reference {
        ProjectRef::Id(id) => kept_rows(
            include_str!("queries/project_by_id.sql"),
            &[role.into(), sees_all.into(), id.as_str().into()],
            read,
        ),
        ProjectRef::Name(name) => by_name(None, name),
        ProjectRef::Qualified { workspace, name } => by_name(Some(workspace), name),
    }
}

/// The projects in which a role has at least this level; all of them for a role that sees all.
pub fn member_projects(role: Oid, sees_all: bool, level: AccessLevel) -> StatementResult<Vec<Uuid>> {
    let found = kept_rows(
        include_str!("queries/member_projects.sql"),
        &[role.into(), sees_all.into(), level.as_str().into()],
        |row| row.get::<Uuid>(1),
    )?;
    Ok(found.into_iter().flatten().collect())
}

/// Makes a project, and its workspace if it is new; none if there is one of that name already.
pub fn insert_project(workspace: &str, name: &str) -> StatementResult<Option<Uuid>> {
    write(include_str!("queries/insert_workspace.sql"), &[workspace.into()], |_| Ok(()))?;
    let made = write(include_str!("queries/insert_project.sql"), &[workspace.into(), name.into()], |row| {
        row.get::<Uuid>(1)
    })?;
    Ok(made.into_iter().flatten().next())
}

/// What a project does with secrets, as a word.
pub fn secret_policy(project: Uuid) -> StatementResult<Option<String>> {
    let found =
        rows(include_str!("queries/secret_policy.sql"), &[project.into()], |row| row.get::<String>(1))?;
    Ok(found.into_iter().flatten().next())
}

/// Sets what a project multiplies the weights of lanes by.
pub fn set_search_weights(project: Uuid, weights: Option<Jsonb>) -> StatementResult<()> {
    write(include_str!("queries/set_search_weights.sql"), &[project.into(), weights.into()], |_| Ok(()))?;
    Ok(())
}

/// What a project multiplies the weights of lanes by; none if nobody has said.
pub fn search_weights(project: Uuid) -> StatementResult<Option<Jsonb>> {
    let statement = include_str!("queries/search_weights.sql");
    let found = kept_rows(statement, &[project.into()], |row| row.get::<Jsonb>(1))?;
    Ok(found.into_iter().next().flatten())
}

/// Sets it.
pub fn set_secret_policy(project: Uuid, policy: &str) -> StatementResult<()> {
    write(include_str!("queries/set_secret_policy.sql"), &[project.into(), policy.into()], |_| Ok(()))?;
    Ok(())
}

/// Whether a role is admin of any project in a workspace.
pub fn administers_workspace(role: Oid, workspace: &str) -> StatementResult<bool> {
    let found =
        rows(include_str!("queries/administers_workspace.sql"), &[role.into(), workspace.into()], |row| {
            row.get::<bool>(1)
        })?;
    Ok(found.into_iter().flatten().any(|yes| yes))
}

/// Whether there is a role of that name.
pub fn role_exists(role: &str) -> StatementResult<bool> {
    let found = rows(include_str!("queries/role_exists.sql"), &[role.into()], |row| row.get::<bool>(1))?;
    Ok(found.into_iter().flatten().any(|yes| yes))
}

/// Gives a role a level in a project, whatever it had before.
pub fn upsert_member(project: Uuid, role: &str, level: AccessLevel) -> StatementResult<()> {
    write(
        include_str!("queries/upsert_member.sql"),
        &[project.into(), role.into(), level.as_str().into()],
        |_| Ok(()),
    )?;
    Ok(())
}

/// Ends a membership; says whether there was one.
pub fn delete_member(project: Uuid, role: &str) -> StatementResult<bool> {
    let gone = write(include_str!("queries/delete_member.sql"), &[project.into(), role.into()], |_| Ok(()))?;
    Ok(!gone.is_empty())
}

/// Lets a role use the schema's functions and read its tables; policies decide which rows.
pub fn grant_use_of_schema(role: &str) -> StatementResult<()> {
    write("select memento._grant_use($1::name)", &[role.into()], |_| Ok(()))?;
    Ok(())
}

/// Takes the use of the schema from a role that is no member of any project any more.
pub fn revoke_use_of_schema_from_stranger(role: &str) -> StatementResult<()> {
    write("select memento._revoke_use_from_stranger($1::name)", &[role.into()], |_| Ok(()))?;
    Ok(())
}

/// Sets the session's project, as SET or SET LOCAL would.
pub fn set_session_project(project: Uuid, is_local: bool) -> StatementResult<()> {
    write(
        "select pg_catalog.set_config('memento.project', $1::text, $2)",
        &[project.into(), is_local.into()],
        |_| Ok(()),
    )?;
    Ok(())
}

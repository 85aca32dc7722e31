//! Query sets and what came of them.

use pgrx::Uuid;
use pgrx::pg_sys::Oid;

use super::{StatementResult, required, rows, write};
use crate::ffi::jsonb::Jsonb;

/// Keeps a query set, in place of the one of that name.
pub fn save_set(project: Uuid, by: Oid, name: &str, queries: Jsonb) -> StatementResult<()> {
    let arguments = [project.into(), by.into(), name.into(), queries.into()];
    write(include_str!("queries/save_eval_set.sql"), &arguments, |_| Ok(())).map(drop)
}

/// The queries of a set.
pub fn queries_of(project: Uuid, name: &str) -> StatementResult<Option<Jsonb>> {
    let found = rows(
        "select s.queries from memento.eval_set s where s.project_id = $1 and s.name = $2::text",
        &[project.into(), name.into()],
        |row| required::<Jsonb>(&row, 1),
    )?;
    Ok(found.into_iter().next())
}

/// Keeps what came of a query set; by the project's own profile unless another one is given.
pub fn keep_run(
    project: Uuid,
    by: Oid,
    name: &str,
    profile: Option<Uuid>,
    k: i32,
    lanes: Jsonb,
) -> StatementResult<()> {
    let arguments = [project.into(), by.into(), name.into(), profile.into(), k.into(), lanes.into()];
    write(include_str!("queries/keep_eval_run.sql"), &arguments, |_| Ok(())).map(drop)
}

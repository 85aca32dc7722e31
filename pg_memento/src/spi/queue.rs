//! What people do with the queue.

use pgrx::Uuid;
use pgrx::pg_sys::Oid;

use super::{StatementResult, required, write, write_one};

/// What became of a job that was to be changed.
pub struct ChangedJob {
    /// Its state before.
    pub was: String,
    /// Its state now; none if it could not be changed.
    pub is: Option<String>,
    /// The open job that was asked for in its place.
    pub successor: Option<i64>,
}

/// Tries a job again, or cancels it; none if there is none.
pub fn change_job(project: Uuid, job: i64, retry: bool) -> StatementResult<Option<ChangedJob>> {
    let changed =
        write(include_str!("queries/change_job.sql"), &[project.into(), job.into(), retry.into()], |row| {
            Ok(ChangedJob { was: required(&row, 1)?, is: row.get(2)?, successor: row.get(3)? })
        })?;
    Ok(changed.into_iter().next())
}

/// Pauses a kind of jobs, or all with `*`; says how many wait now.
pub fn pause(project: Uuid, kind: &str, role: Oid, reason: Option<&str>) -> StatementResult<i64> {
    write_one(
        include_str!("queries/pause_queue.sql"),
        &[project.into(), kind.into(), role.into(), reason.into()],
    )
}

/// Ends a pause; says how many jobs go on.
pub fn resume(project: Uuid, kind: &str) -> StatementResult<i64> {
    write_one(include_str!("queries/resume_queue.sql"), &[project.into(), kind.into()])
}

/// What a project may spend; nothing given: no limit. Says whether it is spent.
pub fn set_budget(project: Uuid, max_tokens: Option<i64>, period: &str, role: Oid) -> StatementResult<bool> {
    write(
        include_str!("queries/set_budget.sql"),
        &[project.into(), max_tokens.into(), period.into(), role.into()],
        |_| Ok(()),
    )?;
    write_one("select memento._settle_budget($1, 0)", &[project.into()])
}

/// Wakes the workers at commit, wherever they are.
pub fn announce() -> StatementResult<()> {
    write("select memento._announce()", &[], |_| Ok(())).map(drop)
}

/// Whether there are jobs that a worker will do without being asked.
pub fn is_busy(project: Uuid, kinds: &[&str]) -> StatementResult<bool> {
    let kinds: Vec<&str> = kinds.to_vec();
    // Not as a mere reader, who would see what was there when the function was called.
    let busy = write(include_str!("queries/open_jobs.sql"), &[project.into(), kinds.into()], |row| {
        required::<bool>(&row, 1)
    })?;
    Ok(busy.into_iter().any(|busy| busy))
}

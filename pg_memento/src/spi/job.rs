//! Jobs: what is to be done later commits together with what it is about.

use pgrx::Uuid;

use super::{StatementResult, write, write_one};
use crate::ffi::jsonb::Jsonb;

/// A job as it is asked for.
pub struct NewJob<'a> {
    pub kind: &'a str,
    /// The version that it is about; the job goes with it.
    pub version: Option<Uuid>,
    /// There is at most one open job of a kind with a key.
    pub dedup_key: Option<&'a str>,
    pub payload: Jsonb,
}

/// Asks for a job and gives its key, or that of the open one with the same dedup key.
pub fn enqueue(project: Uuid, job: NewJob) -> StatementResult<i64> {
    write_one(
        include_str!("queries/enqueue_job.sql"),
        &[project.into(), job.kind.into(), job.version.into(), job.dedup_key.into(), job.payload.into()],
    )
}

/// Asks for the vectors of a version, by each profile that the project uses.
pub fn enqueue_embed(project: Uuid, version: Uuid) -> StatementResult<()> {
    write(include_str!("queries/enqueue_embed.sql"), &[project.into(), version.into()], |_| Ok(()))?;
    Ok(())
}

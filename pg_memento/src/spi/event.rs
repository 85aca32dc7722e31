//! Semantic events: showing them.

use pgrx::Uuid;

use super::artifact::Name;
use super::{StatementResult, required, rows};
use crate::ffi::jsonb::Jsonb;

/// One event in full.
pub fn get(project: Uuid, event: Uuid) -> StatementResult<Option<Jsonb>> {
    let found =
        rows(include_str!("queries/semantic_get.sql"), &[project.into(), event.into()], |row| row.get(1))?;
    Ok(found.into_iter().flatten().next())
}

/// The events of a version, in the order of time, then of the text.
pub fn of_version(project: Uuid, version: Uuid, with_evidence: bool) -> StatementResult<Vec<Jsonb>> {
    rows(
        include_str!("queries/semantic_of_version.sql"),
        &[project.into(), version.into(), with_evidence.into()],
        |row| required(&row, 1),
    )
}

/// An event that is quoted from a chunk.
pub struct Quoted {
    pub chunk: i64,
    /// Characters of what it says and quotes.
    pub chars: i32,
    pub seen: Jsonb,
}

/// The events that are quoted from chunks, in the order of the chunks.
pub fn of_chunks(project: Uuid, chunks: Vec<i64>, limit: i32) -> StatementResult<Vec<Quoted>> {
    rows(
        include_str!("queries/semantic_of_chunks.sql"),
        &[project.into(), chunks.into(), limit.into()],
        |row| Ok(Quoted { chunk: required(&row, 1)?, chars: required(&row, 2)?, seen: required(&row, 3)? }),
    )
}

/// The first chunk that has a quote of an event as a whole.
pub fn chunk(project: Uuid, event: Uuid) -> StatementResult<Option<i64>> {
    let found = rows(
        "select q.chunk_id from memento.event_evidence q
          where q.project_id = $1 and q.event_id = $2 and q.chunk_id is not null
          order by q.start_char, q.end_char, q.evidence_id limit 1",
        &[project.into(), event.into()],
        |row| row.get(1),
    )?;
    Ok(found.into_iter().flatten().next())
}

/// A revision of an artifact, or of any other item.
pub struct Revision {
    pub artifact_uid: String,
    pub revision_id: String,
    /// The first version with its content.
    pub version: Uuid,
    pub is_latest: bool,
}

/// The revision that is named, or the latest.
pub fn revision(project: Uuid, name: &Name, revision_id: Option<&str>) -> StatementResult<Option<Revision>> {
    let (artifact_id, uid, item) = name.columns();
    let found = rows(
        include_str!("queries/find_revision.sql"),
        &[project.into(), artifact_id.into(), uid.into(), item.into(), revision_id.into()],
        |row| {
            Ok(Revision {
                artifact_uid: required(&row, 1)?,
                revision_id: required(&row, 2)?,
                version: required(&row, 3)?,
                is_latest: required(&row, 4)?,
            })
        },
    )?;
    Ok(found.into_iter().next())
}

//! Artifacts and their revisions.

use pgrx::Uuid;
use pgrx::prelude::*;

use super::store::NewMemory;
use super::{StatementResult, required, rows, write};
use crate::ffi::jsonb::Jsonb;

/// What is known of a content when it is ingested.
pub struct NewRevision<'a> {
    pub version: Uuid,
    pub artifact_type: &'a str,
    pub source_ts: Option<TimestampWithTimeZone>,
    pub token_count: i32,
    pub is_chunked: bool,
}

/// The names of a revision, and whether it is a new one.
pub struct Revision {
    pub artifact_uid: String,
    pub revision_id: String,
    pub artifact_id: String,
    pub is_new: bool,
}

/// Notes a revision, once; the item of the version is locked.
pub fn record(project: Uuid, revision: &NewRevision) -> StatementResult<Option<Revision>> {
    let recorded = write(
        include_str!("queries/insert_revision.sql"),
        &[
            project.into(),
            revision.version.into(),
            revision.artifact_type.into(),
            revision.source_ts.into(),
            revision.token_count.into(),
            revision.is_chunked.into(),
        ],
        |row| {
            Ok(Revision {
                artifact_uid: required(&row, 1)?,
                revision_id: required(&row, 2)?,
                artifact_id: required(&row, 3)?,
                is_new: required(&row, 4)?,
            })
        },
    )?;
    Ok(recorded.into_iter().next())
}

/// The names of a version's chunks, in their order.
pub fn chunk_names(project: Uuid, version: Uuid, artifact_id: &str) -> StatementResult<Vec<String>> {
    rows(
        include_str!("queries/chunk_names.sql"),
        &[project.into(), version.into(), artifact_id.into()],
        |row| required(&row, 1),
    )
}

/// Makes what is said about an item what its newest revision says; what that does not say stays.
pub fn describe(project: Uuid, item: Uuid, memory: &NewMemory) -> StatementResult<()> {
    let (months, days) = memory.class.keep_for();
    write(
        include_str!("queries/describe_artifact.sql"),
        &[
            project.into(),
            item.into(),
            memory.kind.into(),
            memory.title.into(),
            memory.origin.url.into(),
            memory.origin.author.into(),
            (!memory.origin.participants.is_empty()).then(|| memory.origin.participants.clone()).into(),
            memory.class.sensitivity.as_str().into(),
            memory.class.visibility.as_str().into(),
            memory.class.retention.to_string().into(),
            months.into(),
            days.into(),
        ],
        |_| Ok(()),
    )?;
    Ok(())
}

/// How an artifact can be named.
#[derive(Clone)]
pub enum Name {
    /// One revision of it: `art_...`.
    Revision(String),
    /// Itself: `uid_...`.
    Artifact(String),
    /// The item that it is.
    Item(Uuid),
}

impl Name {
    pub(super) fn columns(&self) -> (Option<&str>, Option<&str>, Option<Uuid>) {
        match self {
            Self::Revision(id) => (Some(id), None, None),
            Self::Artifact(uid) => (None, Some(uid), None),
            Self::Item(item) => (None, None, Some(*item)),
        }
    }
}

/// What of an artifact is wanted.
pub struct Wanted<'a> {
    pub name: &'a Name,
    /// Which revision; by default the one that is named, or else the latest.
    pub revision_id: Option<&'a str>,
    pub with_content: bool,
    pub with_chunks: bool,
}

/// An artifact as the user sees it.
pub fn get(project: Uuid, wanted: &Wanted) -> StatementResult<Option<Jsonb>> {
    let (artifact_id, uid, item) = wanted.name.columns();
    let found = rows(
        include_str!("queries/get_artifact.sql"),
        &[
            project.into(),
            artifact_id.into(),
            uid.into(),
            item.into(),
            wanted.revision_id.into(),
            wanted.with_content.into(),
            wanted.with_chunks.into(),
        ],
        |row| row.get::<Jsonb>(1),
    )?;
    Ok(found.into_iter().flatten().next())
}

/// The item that is an artifact, with its uid and how many revisions it has.
pub fn find(project: Uuid, name: &Name) -> StatementResult<Option<(Uuid, String, i64)>> {
    let (artifact_id, uid, item) = name.columns();
    let found = rows(
        include_str!("queries/find_artifact.sql"),
        &[project.into(), artifact_id.into(), uid.into(), item.into()],
        |row| Ok((required(&row, 1)?, required(&row, 2)?, required(&row, 3)?)),
    )?;
    Ok(found.into_iter().next())
}

/// A chunk of an artifact's revision.
pub struct ArtifactChunk {
    pub chunk_id: i64,
    pub name: String,
    /// The names and metadata of the revision.
    pub artifact: Jsonb,
}

/// Those of the chunks that are of artifacts, in any order.
pub fn chunks(project: Uuid, chunks: Vec<i64>) -> StatementResult<Vec<ArtifactChunk>> {
    rows(include_str!("queries/artifact_chunks.sql"), &[project.into(), chunks.into()], |row| {
        Ok(ArtifactChunk {
            chunk_id: required(&row, 1)?,
            name: required(&row, 2)?,
            artifact: required(&row, 3)?,
        })
    })
}

//! Items, versions and chunks.

use memento_core::chunk::Chunk;
use memento_core::memory_kind::{Scope, Sensitivity, Visibility};
use memento_core::retention::Retention;
use pgrx::Uuid;
use pgrx::pg_sys::Oid;
use pgrx::prelude::*;
use serde_json::json;

use super::term::TokenVersions;
use super::{StatementResult, required, rows, write, write_one};
use crate::ffi::jsonb::Jsonb;

/// A memory as it is given to `remember`.
#[derive(Clone)]
pub struct NewMemory<'a> {
    pub content: &'a str,
    pub title: Option<&'a str>,
    pub kind: &'a str,
    pub tags: Vec<String>,
    pub identity: Option<Identity<'a>>,
    pub metadata: Jsonb,
    pub origin: Origin<'a>,
    pub class: Classification<'a>,
}

/// Where a memory comes from, beside its identity.
#[derive(Clone, Default)]
pub struct Origin<'a> {
    /// The system, for what has no key there.
    pub system: Option<&'a str>,
    pub url: Option<&'a str>,
    pub author: Option<&'a str>,
    pub participants: Vec<String>,
}

/// How a memory is to be treated.
#[derive(Clone, Copy)]
pub struct Classification<'a> {
    pub scope: Scope,
    pub doc_class: Option<&'a str>,
    pub sensitivity: Sensitivity,
    pub visibility: Visibility,
    pub retention: Retention,
}

impl Classification<'_> {
    /// For how long it is kept, in months and days; zero if time does not decide.
    pub fn keep_for(&self) -> (i32, i32) {
        match self.retention {
            Retention::For(period) => period.months_and_days(),
            Retention::Forever | Retention::UntilResolved | Retention::Custom => (0, 0),
        }
    }
}

/// What a memory is known by outside; the same identity again is a new version of the same item.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Identity<'a> {
    /// Its key in the system that it comes from.
    Source { system: &'a str, id: &'a str },
    /// The name of a canonical document.
    Canonical(&'a str),
}

impl<'a> Identity<'a> {
    /// As the columns source_system, source_id and canonical_key have it.
    fn columns(self) -> [Option<&'a str>; 3] {
        match self {
            Self::Source { system, id } => [Some(system), Some(id), None],
            Self::Canonical(key) => [None, None, Some(key)],
        }
    }
}

/// What a version is written by: a commit that has begun, or one of its own.
#[derive(Clone, Copy)]
pub struct Audit {
    pub commit: Option<Uuid>,
    pub role: Oid,
    pub operation: &'static str,
}

/// An item that is known, and locked.
pub struct KnownItem {
    pub item_id: Uuid,
    pub kind: String,
}

/// The newest version of an item.
pub struct LatestVersion {
    pub version_id: Uuid,
    pub version_num: i32,
    pub is_same_content: bool,
}

/// The item of an identity, if there is one; its writers wait for each other until the end of the transaction.
pub fn lock_item(project: Uuid, identity: Identity) -> StatementResult<Option<KnownItem>> {
    let [system, id, key] = identity.columns();
    let found = write(
        include_str!("queries/lock_item_of_identity.sql"),
        &[project.into(), system.into(), id.into(), key.into()],
        |row| Ok(KnownItem { item_id: required(&row, 1)?, kind: required(&row, 2)? }),
    )?;
    Ok(found.into_iter().next())
}

/// The newest version of an item, compared with a content.
pub fn latest_version(project: Uuid, item: Uuid, content: &str) -> StatementResult<Option<LatestVersion>> {
    let found = rows(
        include_str!("queries/latest_version.sql"),
        &[project.into(), item.into(), content.into()],
        |row| {
            Ok(LatestVersion {
                version_id: required(&row, 1)?,
                version_num: required(&row, 2)?,
                is_same_content: required(&row, 3)?,
            })
        },
    )?;
    Ok(found.into_iter().next())
}

/// Whether there is such a version.
pub fn version_exists(project: Uuid, version: Uuid) -> StatementResult<bool> {
    let found = rows(
        "select from memento.version where project_id = $1 and version_id = $2",
        &[project.into(), version.into()],
        |_| Ok(()),
    )?;
    Ok(!found.is_empty())
}

/// How many chunks a version has.
pub fn count_chunks(project: Uuid, version: Uuid) -> StatementResult<usize> {
    let counted = rows(include_str!("queries/count_chunks.sql"), &[project.into(), version.into()], |row| {
        row.get::<i64>(1)
    })?;
    Ok(counted.into_iter().flatten().next().and_then(|count| usize::try_from(count).ok()).unwrap_or(0))
}

/// A new item; none if somebody else has just made one of that identity.
pub fn insert_item(project: Uuid, memory: &NewMemory) -> StatementResult<Option<Uuid>> {
    let [system, id, key] = memory.identity.map_or([memory.origin.system, None, None], Identity::columns);
    let (months, days) = memory.class.keep_for();
    let made = write(
        include_str!("queries/insert_item.sql"),
        &[
            project.into(),
            memory.kind.into(),
            memory.title.into(),
            memory.tags.clone().into(),
            system.into(),
            id.into(),
            memory.metadata.clone().into(),
            memory.class.scope.as_str().into(),
            memory.class.doc_class.into(),
            memory.class.sensitivity.as_str().into(),
            memory.class.visibility.as_str().into(),
            memory.class.retention.to_string().into(),
            key.into(),
            memory.origin.url.into(),
            memory.origin.author.into(),
            memory.origin.participants.clone().into(),
            months.into(),
            days.into(),
        ],
        |row| required(&row, 1),
    )?;
    Ok(made.into_iter().next())
}

/// The next version of an item becomes the latest.
pub fn insert_version(
    project: Uuid,
    item: Uuid,
    version_num: i32,
    content: &str,
    audit: Audit,
) -> StatementResult<Uuid> {
    let superseded =
        write(include_str!("queries/supersede_version.sql"), &[project.into(), item.into()], |row| {
            row.get::<TimestampWithTimeZone>(1)
        })?;
    // One ends when the next begins, so that there is a version at every moment.
    let created_at = superseded.into_iter().flatten().next();
    write_one(
        include_str!("queries/insert_version.sql"),
        &[
            project.into(),
            item.into(),
            version_num.into(),
            content.into(),
            audit.commit.into(),
            audit.role.into(),
            audit.operation.into(),
            created_at.into(),
        ],
    )
}

/// What is chunked by a job: the content of a version and the kind of its item. Others who chunk it wait.
pub struct ToIngest {
    pub content: String,
    pub kind: String,
}

/// A version to be chunked, without chunks; none if it is gone.
pub fn begin_ingest(project: Uuid, version: Uuid) -> StatementResult<Option<ToIngest>> {
    let found = write(include_str!("queries/lock_version.sql"), &[project.into(), version.into()], |row| {
        Ok(ToIngest { content: required(&row, 1)?, kind: required(&row, 2)? })
    })?;
    write(
        "delete from memento.chunk where project_id = $1 and version_id = $2",
        &[project.into(), version.into()],
        |_| Ok(()),
    )?;
    Ok(found.into_iter().next())
}

/// All chunks of a version, in one statement, with the technical tokens of each as lines, and who speaks in it, if anybody, as well.
pub fn insert_chunks(
    project: Uuid,
    version: Uuid,
    chunks: &[Chunk],
    tokens: Vec<String>,
    speakers: Vec<Option<String>>,
    made_by: TokenVersions,
) -> StatementResult<()> {
    let ints = |number: fn(&Chunk) -> usize| -> Vec<i32> {
        chunks.iter().map(|chunk| i32::try_from(number(chunk)).unwrap_or(i32::MAX)).collect()
    };
    let texts: Vec<&str> = chunks.iter().map(|chunk| chunk.text).collect();
    let kinds: Vec<&str> = chunks.iter().map(|chunk| chunk.kind.as_str()).collect();
    let anchors: Vec<Option<&str>> = chunks.iter().map(|chunk| chunk.heading.anchor.as_deref()).collect();
    // Arrays of arrays must be rectangular in SQL, paths are not: they go as JSON.
    let paths: Vec<String> = chunks.iter().map(|chunk| json!(chunk.heading.path).to_string()).collect();
    write(
        include_str!("queries/insert_chunks.sql"),
        &[
            project.into(),
            version.into(),
            made_by.rules.into(),
            made_by.terms.into(),
            ints(|chunk| chunk.start_char).into(),
            ints(|chunk| chunk.end_char).into(),
            ints(|chunk| chunk.size).into(),
            kinds.into(),
            anchors.into(),
            paths.into(),
            texts.into(),
            tokens.into(),
            speakers.into(),
        ],
        |_| Ok(()),
    )?;
    Ok(())
}

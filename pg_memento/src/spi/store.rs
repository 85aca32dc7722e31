//! Items, versions and chunks.

use memento_core::chunk::Chunk;
use memento_core::memory_kind::{Scope, Sensitivity, Visibility};
use memento_core::retention::Retention;
use pgrx::Uuid;
use pgrx::pg_sys::Oid;
use serde_json::json;

use super::term::TokenVersions;
use super::{StatementResult, required, rows, write, write_one};
use crate::ffi::jsonb::Jsonb;

/// A memory as it is given to `remember`.
pub struct NewMemory<'a> {
    pub content: &'a str,
    pub title: Option<&'a str>,
    pub kind: &'a str,
    pub tags: Vec<String>,
    pub source: Option<Source<'a>>,
    pub metadata: Jsonb,
    pub class: Classification<'a>,
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

/// Where a memory comes from; the same source again is a new version of the same item.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    pub system: &'a str,
    pub id: &'a str,
}

/// What a version is written by: a commit that has begun, or one of its own.
#[derive(Clone, Copy)]
pub struct Audit {
    pub commit: Option<Uuid>,
    pub role: Oid,
    pub operation: &'static str,
}

/// The newest version of an item.
pub struct LatestVersion {
    pub item_id: Uuid,
    pub version_id: Uuid,
    pub version_num: i32,
    pub is_same_content: bool,
}

/// Makes writers of one source wait for each other until the end of the transaction.
pub fn lock_source(project: Uuid, source: Source) -> StatementResult<()> {
    write(
        include_str!("queries/lock_source.sql"),
        &[project.into(), source.system.into(), source.id.into()],
        |_| Ok(()),
    )?;
    Ok(())
}

/// Makes writers of the item that comes from a source, by whatever function, wait for each other.
pub fn lock_item_of_source(project: Uuid, source: Source) -> StatementResult<()> {
    write(
        include_str!("queries/lock_item_of_source.sql"),
        &[project.into(), source.system.into(), source.id.into()],
        |_| Ok(()),
    )?;
    Ok(())
}

/// The newest version from a source, compared with a content.
pub fn latest_version(
    project: Uuid,
    source: Source,
    content: &str,
) -> StatementResult<Option<LatestVersion>> {
    let found = rows(
        include_str!("queries/latest_version.sql"),
        &[project.into(), source.system.into(), source.id.into(), content.into()],
        |row| {
            Ok(LatestVersion {
                item_id: required(&row, 1)?,
                version_id: required(&row, 2)?,
                version_num: required(&row, 3)?,
                is_same_content: required(&row, 4)?,
            })
        },
    )?;
    Ok(found.into_iter().next())
}

/// A new item.
pub fn insert_item(project: Uuid, memory: NewMemory) -> StatementResult<Uuid> {
    write_one(
        include_str!("queries/insert_item.sql"),
        &[
            project.into(),
            memory.kind.into(),
            memory.title.into(),
            memory.tags.into(),
            memory.source.map(|source| source.system).into(),
            memory.source.map(|source| source.id).into(),
            memory.metadata.into(),
            memory.class.scope.as_str().into(),
            memory.class.doc_class.into(),
            memory.class.sensitivity.as_str().into(),
            memory.class.visibility.as_str().into(),
            memory.class.retention.to_string().into(),
        ],
    )
}

/// The next version of an item becomes the latest.
pub fn insert_version(
    project: Uuid,
    item: Uuid,
    version_num: i32,
    content: &str,
    audit: Audit,
) -> StatementResult<Uuid> {
    write(include_str!("queries/supersede_version.sql"), &[project.into(), item.into()], |_| Ok(()))?;
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
        ],
    )
}

/// All chunks of a version, in one statement, with the technical tokens of each as lines.
pub fn insert_chunks(
    project: Uuid,
    version: Uuid,
    chunks: &[Chunk],
    tokens: Vec<String>,
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
        ],
        |_| Ok(()),
    )?;
    Ok(())
}

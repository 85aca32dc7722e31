//! Canonical documents.

use pgrx::Uuid;

use super::{StatementResult, required, rows, write};
use crate::ffi::jsonb::Jsonb;

/// A version of a canonical document.
pub struct Document {
    pub item: Uuid,
    pub version_num: i32,
    pub content: String,
    pub title: Option<String>,
}

/// The document of a key: the version of a number, or the latest.
pub fn document(project: Uuid, key: &str, version_num: Option<i32>) -> StatementResult<Option<Document>> {
    let found = rows(
        include_str!("queries/canonical_document.sql"),
        &[project.into(), key.into(), version_num.into()],
        |row| {
            Ok(Document {
                item: required(&row, 1)?,
                version_num: required(&row, 2)?,
                content: required(&row, 3)?,
                title: row.get(4)?,
            })
        },
    )?;
    Ok(found.into_iter().next())
}

/// Changes what is said about an item; none leaves as it is.
pub fn describe(
    project: Uuid,
    item: Uuid,
    title: Option<&str>,
    tags: Option<Vec<String>>,
    doc_class: Option<&str>,
) -> StatementResult<()> {
    write(
        include_str!("queries/describe_item.sql"),
        &[project.into(), item.into(), title.into(), tags.into(), doc_class.into()],
        |_| Ok(()),
    )?;
    Ok(())
}

/// What a pack chooses from.
pub struct Candidate {
    pub chunk_id: i64,
    pub item: Uuid,
    pub canonical_key: String,
    pub tokens: i32,
}

/// All chunks of canonical documents, in their order.
pub fn candidates(project: Uuid, keys: Option<Vec<String>>) -> StatementResult<Vec<Candidate>> {
    rows(include_str!("queries/canonical_chunks.sql"), &[project.into(), keys.into()], |row| {
        Ok(Candidate {
            chunk_id: required(&row, 1)?,
            item: required(&row, 2)?,
            canonical_key: required(&row, 3)?,
            tokens: required(&row, 4)?,
        })
    })
}

/// Chunks as a pack shows them, by their keys.
pub fn shown(project: Uuid, chunks: Vec<i64>) -> StatementResult<Vec<(i64, Jsonb)>> {
    rows(include_str!("queries/chunks_of_pack.sql"), &[project.into(), chunks.into()], |row| {
        Ok((required(&row, 1)?, required(&row, 2)?))
    })
}

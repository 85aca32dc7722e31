//! Commits and sessions.

use pgrx::Uuid;
use pgrx::pg_sys::Oid;

use super::{StatementResult, required, rows, write};
use crate::ffi::jsonb::Jsonb;

/// A request to write several memories together.
pub struct Request<'a> {
    pub entries: &'a Jsonb,
    pub idempotency_key: Option<&'a str>,
    pub session: Option<Uuid>,
    pub message: Option<&'a str>,
}

/// Begins a commit with the message that may be stored; none if its key was used before.
pub fn begin(
    project: Uuid,
    role: Oid,
    request: &Request,
    message: Option<&str>,
) -> StatementResult<Option<Uuid>> {
    let begun = write(
        include_str!("queries/begin_commit.sql"),
        &[
            project.into(),
            role.into(),
            request.session.into(),
            request.message.into(),
            request.idempotency_key.into(),
            request.entries.clone().into(),
            message.into(),
        ],
        |row| required(&row, 1),
    )?;
    Ok(begun.into_iter().next())
}

/// What the request with this key gave the first time, and whether it was the same request.
pub fn first_result(project: Uuid, request: &Request) -> StatementResult<Option<(Jsonb, bool)>> {
    let found = rows(
        include_str!("queries/find_commit.sql"),
        &[
            project.into(),
            request.idempotency_key.into(),
            request.entries.clone().into(),
            request.session.into(),
            request.message.into(),
        ],
        |row| Ok((required(&row, 1)?, required(&row, 2)?)),
    )?;
    Ok(found.into_iter().next())
}

/// Keeps the result of a commit, for the same request again.
pub fn finish(project: Uuid, commit: Uuid, result: Jsonb) -> StatementResult<()> {
    write(
        include_str!("queries/finish_commit.sql"),
        &[project.into(), commit.into(), result.into()],
        |_| Ok(()),
    )?;
    Ok(())
}

/// Takes the message of a commit away.
pub fn silence(project: Uuid, commit: Uuid) -> StatementResult<()> {
    write(include_str!("queries/silence_commit.sql"), &[project.into(), commit.into()], |_| Ok(()))?;
    Ok(())
}

/// One memory of a commit, as it was given.
pub struct Entry {
    pub content: Option<String>,
    pub title: Option<String>,
    pub kind: Option<String>,
    pub tags: Option<Vec<Option<String>>>,
    pub source_system: Option<String>,
    pub source_id: Option<String>,
    pub metadata: Option<Jsonb>,
    pub scope: Option<String>,
    pub doc_class: Option<String>,
    pub sensitivity: Option<String>,
    pub visibility: Option<String>,
    pub retention: Option<String>,
    pub source_url: Option<String>,
    pub author: Option<String>,
    pub participants: Option<Vec<Option<String>>>,
}

/// The keys that an entry may have.
pub const ENTRY_KEYS: [&str; 15] = [
    "author",
    "content",
    "doc_class",
    "kind",
    "metadata",
    "participants",
    "retention",
    "scope",
    "sensitivity",
    "source_id",
    "source_system",
    "source_url",
    "tags",
    "title",
    "visibility",
];

/// The keys whose values are lists.
const LIST_KEYS: [&str; 2] = ["participants", "tags"];

/// Whether this is an array of objects, and not too many. The server looks, because it reads any depth and any number.
pub fn is_entries(given: &Jsonb, most: i32) -> StatementResult<bool> {
    let found =
        rows(include_str!("queries/commit_is_entries.sql"), &[given.clone().into(), most.into()], |row| {
            row.get::<bool>(1)
        })?;
    Ok(found.into_iter().flatten().any(|yes| yes))
}

/// A value of an entry that has the wrong type.
pub struct BadValue {
    /// Of which entry, from 0.
    pub number: i32,
    pub key: String,
    pub expected: String,
}

/// The first one, if any.
pub fn bad_value(entries: &Jsonb) -> StatementResult<Option<BadValue>> {
    let found = rows(
        include_str!("queries/commit_bad_value.sql"),
        &[entries.clone().into(), ENTRY_KEYS.to_vec().into(), LIST_KEYS.to_vec().into()],
        |row| {
            Ok(BadValue { number: required(&row, 1)?, key: required(&row, 2)?, expected: required(&row, 3)? })
        },
    )?;
    Ok(found.into_iter().next())
}

/// Keys that entries have and nobody knows.
pub fn unknown_keys(entries: &Jsonb) -> StatementResult<Vec<String>> {
    let found = rows(
        include_str!("queries/commit_unknown_keys.sql"),
        &[entries.clone().into(), ENTRY_KEYS.to_vec().into()],
        |row| row.get::<String>(1),
    )?;
    Ok(found.into_iter().flatten().collect())
}

/// The entries of a commit, in their order, each value as it was given.
pub fn entries(entries: &Jsonb) -> StatementResult<Vec<Entry>> {
    rows(include_str!("queries/commit_entries.sql"), &[entries.clone().into()], |row| {
        Ok(Entry {
            content: row.get(1)?,
            title: row.get(2)?,
            kind: row.get(3)?,
            tags: row.get(4)?,
            source_system: row.get(5)?,
            source_id: row.get(6)?,
            metadata: row.get(7)?,
            scope: row.get(8)?,
            doc_class: row.get(9)?,
            sensitivity: row.get(10)?,
            visibility: row.get(11)?,
            retention: row.get(12)?,
            source_url: row.get(13)?,
            author: row.get(14)?,
            participants: row.get(15)?,
        })
    })
}

/// Begins a session.
pub fn start_session(
    project: Uuid,
    role: Oid,
    title: Option<&str>,
    metadata: Jsonb,
) -> StatementResult<Option<Jsonb>> {
    let started = write(
        include_str!("queries/start_session.sql"),
        &[project.into(), role.into(), title.into(), metadata.into()],
        |row| required(&row, 1),
    )?;
    Ok(started.into_iter().next())
}

/// Ends a session, once; none if there is no such session.
pub fn end_session(project: Uuid, session: Uuid, summary: Option<&str>) -> StatementResult<Option<Jsonb>> {
    let ended = write(
        include_str!("queries/end_session.sql"),
        &[project.into(), session.into(), summary.into()],
        |row| required(&row, 1),
    )?;
    Ok(ended.into_iter().next())
}

/// Whether a session goes on; none if there is no such session.
pub fn session_is_open(project: Uuid, session: Uuid) -> StatementResult<Option<bool>> {
    let found =
        write(include_str!("queries/session_is_open.sql"), &[project.into(), session.into()], |row| {
            row.get::<bool>(1)
        })?;
    Ok(found.into_iter().flatten().next())
}

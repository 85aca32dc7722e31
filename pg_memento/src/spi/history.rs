//! Conversations.

use pgrx::Uuid;
use pgrx::pg_sys::Oid;

use super::{StatementResult, required, rows, write};
use crate::ffi::jsonb::Jsonb;

/// A turn as it is added.
pub struct NewTurn<'a> {
    pub conversation: &'a str,
    /// Its place; the next one if none is given.
    pub index: Option<i32>,
    pub role: &'a str,
    pub content: &'a str,
    pub metadata: Jsonb,
}

/// Adds a turn and gives its place; none if the place is taken.
pub fn append(project: Uuid, by: Oid, turn: &NewTurn) -> StatementResult<Option<i32>> {
    let added = write(
        include_str!("queries/append_turn.sql"),
        &[
            project.into(),
            by.into(),
            turn.conversation.into(),
            turn.index.into(),
            turn.role.into(),
            turn.content.into(),
            turn.metadata.clone().into(),
        ],
        |row| required(&row, 1),
    )?;
    Ok(added.into_iter().next())
}

/// Whether the turn at a place says the same.
pub fn is_same(project: Uuid, turn: &NewTurn) -> StatementResult<bool> {
    let same = rows(
        include_str!("queries/same_turn.sql"),
        &[project.into(), turn.conversation.into(), turn.index.into(), turn.role.into(), turn.content.into()],
        |_| Ok(()),
    )?;
    Ok(!same.is_empty())
}

/// The last turns of a conversation before a place, in their order.
pub fn get(
    project: Uuid,
    conversation: &str,
    limit: i32,
    before: Option<i32>,
) -> StatementResult<Option<Jsonb>> {
    let found = rows(
        include_str!("queries/history_turns.sql"),
        &[project.into(), conversation.into(), limit.into(), before.into()],
        |row| row.get::<Jsonb>(1),
    )?;
    Ok(found.into_iter().flatten().next())
}

//! Items that exist: what they say and said, their state, their end.

use memento_core::filter::Filter;
use pgrx::Uuid;
use pgrx::pg_sys::Oid;
use pgrx::prelude::*;

use super::search::{of_wanted_items, wanted};
use super::{StatementResult, required, rows, write};
use crate::ffi::jsonb::Jsonb;

/// One version of an item.
pub struct VersionContent {
    pub content: String,
    pub version_id: Uuid,
    pub version_num: i32,
}

/// Whether there is such an item.
pub fn exists(project: Uuid, item: Uuid) -> StatementResult<bool> {
    let found = rows(include_str!("queries/item_exists.sql"), &[project.into(), item.into()], |row| {
        row.get::<bool>(1)
    })?;
    Ok(found.into_iter().flatten().any(|yes| yes))
}

/// Makes those who write an item wait for each other; the kind of the item, if there is one.
pub fn lock(project: Uuid, item: Uuid) -> StatementResult<Option<String>> {
    let found = write(include_str!("queries/lock_item.sql"), &[project.into(), item.into()], |row| {
        row.get::<String>(1)
    })?;
    Ok(found.into_iter().flatten().next())
}

/// An item with one of its versions, as the user sees it: that of a number, of a time, or the latest.
pub fn get(
    project: Uuid,
    item: Uuid,
    version_num: Option<i32>,
    as_of: Option<TimestampWithTimeZone>,
) -> StatementResult<Option<Jsonb>> {
    one(
        include_str!("queries/get_item.sql"),
        &[project.into(), item.into(), version_num.into(), as_of.into()],
    )
}

/// Where a list goes on: after the item that was made then and has this key.
pub struct Cursor {
    /// In microseconds since 1970.
    pub created_at: i64,
    pub item: Uuid,
}

/// One item of a list.
pub struct Listed {
    pub cursor: Cursor,
    pub seen: Jsonb,
}

/// A page of items, newest first.
pub fn list(
    project: Uuid,
    filter: &Filter,
    archived: bool,
    after: Option<&Cursor>,
    limit: i32,
) -> StatementResult<Vec<Listed>> {
    let mut arguments = wanted(project, filter, archived.then(TimestampWithTimeZone::negative_infinity));
    arguments.extend([
        limit.into(),
        after.map(|cursor| cursor.created_at).into(),
        after.map(|cursor| cursor.item).into(),
    ]);
    rows(of_wanted_items!("list_items"), &arguments, |row| {
        let cursor = Cursor { item: required(&row, 1)?, created_at: required(&row, 2)? };
        Ok(Listed { cursor, seen: required(&row, 3)? })
    })
}

/// How many items a list has in all, counted no farther than `most`.
pub fn count(project: Uuid, filter: &Filter, archived: bool, most: i64) -> StatementResult<i64> {
    let mut arguments = wanted(project, filter, archived.then(TimestampWithTimeZone::negative_infinity));
    arguments.push(most.into());
    let counted = rows(of_wanted_items!("count_items"), &arguments, |row| required(&row, 1))?;
    Ok(counted.into_iter().next().unwrap_or(0))
}

/// The content of a version, or of the latest.
pub fn content(
    project: Uuid,
    item: Uuid,
    version_num: Option<i32>,
) -> StatementResult<Option<VersionContent>> {
    let found = rows(
        include_str!("queries/version_content.sql"),
        &[project.into(), item.into(), version_num.into()],
        |row| {
            Ok(VersionContent {
                content: required(&row, 1)?,
                version_id: required(&row, 2)?,
                version_num: required(&row, 3)?,
            })
        },
    )?;
    Ok(found.into_iter().next())
}

/// A page of an item's versions, newest first.
pub fn history(project: Uuid, item: Uuid, before: Option<i32>, limit: i32) -> StatementResult<Option<Jsonb>> {
    one(include_str!("queries/item_history.sql"), &[project.into(), item.into(), before.into(), limit.into()])
}

/// What can be changed about an item; none leaves as it is.
#[derive(Clone, Copy, Default)]
pub struct State {
    pub pinned: Option<bool>,
    pub archived: Option<bool>,
    pub resolved: Option<bool>,
}

/// Changes the state of an item; none if there is no such item.
pub fn set_state(project: Uuid, item: Uuid, state: State) -> StatementResult<Option<Jsonb>> {
    let changed = write(
        include_str!("queries/set_item_state.sql"),
        &[project.into(), item.into(), state.pinned.into(), state.archived.into(), state.resolved.into()],
        |row| required(&row, 1),
    )?;
    Ok(changed.into_iter().next())
}

/// Whether a link would make a circle of links of its relation. Nobody else adds one until the end of the transaction.
pub fn closes_circle(project: Uuid, (from, to): (Uuid, Uuid), relation: &str) -> StatementResult<bool> {
    write(include_str!("queries/lock_relation.sql"), &[project.into(), relation.into()], |_| Ok(()))?;
    // A statement of its own: it sees what was added before the lock.
    let found = write(
        include_str!("queries/link_closes_circle.sql"),
        &[project.into(), from.into(), to.into(), relation.into()],
        |row| row.get::<bool>(1),
    )?;
    Ok(found.into_iter().flatten().any(|yes| yes))
}

/// That one item has to do with another; none if one of them is not there.
pub fn link(
    project: Uuid,
    (from, to): (Uuid, Uuid),
    relation: &str,
    role: Oid,
    metadata: Jsonb,
) -> StatementResult<Option<Jsonb>> {
    let linked = write(
        include_str!("queries/insert_link.sql"),
        &[project.into(), from.into(), to.into(), relation.into(), role.into(), metadata.into()],
        |row| required(&row, 1),
    )?;
    Ok(linked.into_iter().next())
}

fn one(statement: &str, arguments: &[pgrx::datum::DatumWithOid]) -> StatementResult<Option<Jsonb>> {
    let found = rows(statement, arguments, |row| row.get::<Jsonb>(1))?;
    Ok(found.into_iter().flatten().next())
}

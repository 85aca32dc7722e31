//! Events and what led to them.

use pgrx::heap_tuple::PgHeapTuple;
use pgrx::pg_sys::Oid;
use pgrx::prelude::*;
use pgrx::{AllocatedByRust, Uuid};

use super::{StatementResult, kept_rows, kept_write, relayed, required, rows, write};
use crate::ffi::jsonb::Jsonb;
use crate::ffi::relayed::Rows;

/// An event that is to be recorded.
pub struct NewEvent<'a> {
    pub event_type: &'a str,
    pub data: Jsonb,
    pub parent: Option<Uuid>,
    pub session: Option<Uuid>,
    pub id: Uuid,
    pub happened_at: Option<TimestampWithTimeZone>,
}

/// A row of event_store.
pub type StoredEvent = PgHeapTuple<'static, AllocatedByRust>;

/// Records an event; none if its id is taken.
pub fn insert(project: Uuid, event: NewEvent) -> StatementResult<Option<StoredEvent>> {
    let stored = kept_write(
        include_str!("queries/insert_event.sql"),
        &[
            project.into(),
            event.event_type.into(),
            event.data.into(),
            event.parent.into(),
            event.session.into(),
            event.id.into(),
            event.happened_at.into(),
        ],
        |row| required(&row, 1),
    )?;
    Ok(stored.into_iter().next())
}

/// Where an event is.
pub struct Place {
    pub root: Uuid,
    /// Its distance from the root.
    pub depth: i32,
    pub session: Option<Uuid>,
}

/// Where an event is; none if there is no such event.
pub fn locate(project: Uuid, event: Uuid) -> StatementResult<Option<Place>> {
    let found =
        kept_rows(include_str!("queries/locate_event.sql"), &[project.into(), event.into()], |row| {
            Ok(Place { root: required(&row, 1)?, depth: required(&row, 2)?, session: row.get(3)? })
        })?;
    Ok(found.into_iter().next())
}

/// What an event has led to directly.
pub fn children(project: Uuid, of: Uuid, max_events: i32) -> StatementResult<Rows> {
    relayed(include_str!("queries/child_events.sql"), &[project.into(), of.into(), max_events.into()])
}

/// The root of an event; depth is the event's distance from it.
pub fn root(project: Uuid, of: Uuid) -> StatementResult<Rows> {
    relayed(include_str!("queries/root_event.sql"), &[project.into(), of.into()])
}

/// The events of a session in the order of time.
pub fn session(project: Uuid, session: Uuid, max_events: i32, after: Option<Uuid>) -> StatementResult<Rows> {
    relayed(
        include_str!("queries/session_events.sql"),
        &[project.into(), session.into(), max_events.into(), after.into()],
    )
}

/// Those of the items that exist, with what a context says about them.
pub fn named_items(project: Uuid, items: Vec<Uuid>) -> StatementResult<Vec<(Uuid, Jsonb)>> {
    kept_rows(include_str!("queries/named_items.sql"), &[project.into(), items.into()], |row| {
        Ok((required(&row, 1)?, required(&row, 2)?))
    })
}

/// The same for evidence packs.
pub fn named_packs(project: Uuid, packs: Vec<Uuid>) -> StatementResult<Vec<(Uuid, Jsonb)>> {
    kept_rows(include_str!("queries/named_packs.sql"), &[project.into(), packs.into()], |row| {
        Ok((required(&row, 1)?, required(&row, 2)?))
    })
}

/// A column of a table that events are adopted from.
pub struct Column {
    pub name: String,
    /// Quoted by the server.
    pub quoted: String,
    pub type_name: String,
}

/// The columns of a table.
pub fn columns(table: Oid) -> StatementResult<Vec<Column>> {
    rows(include_str!("queries/adoptable_columns.sql"), &[table.into()], |row| {
        Ok(Column { name: required(&row, 1)?, quoted: required(&row, 2)?, type_name: required(&row, 3)? })
    })
}

/// The columns of event_store that a table can have, the key first.
pub const ADOPTED: [&str; 6] =
    ["event_id", "event_type", "event_data", "timestamp", "session_id", "sequence_num"];

/// Rows of another table, column by column, as text.
pub type Columns = [Vec<Option<String>>; ADOPTED.len()];

/// Reads the next rows of a table in the order of its key, with the privileges of whoever calls.
pub fn read_foreign(
    table: Oid,
    mapped: &[Option<&Column>; ADOPTED.len()],
    after: Option<&str>,
    limit: i32,
) -> StatementResult<Columns> {
    // There is no way to bind names and types; all of these come quoted from the catalogue.
    let table: String =
        rows("select $1::pg_catalog.regclass::text", &[table.into()], |row| required::<String>(&row, 1))?
            .concat();
    let listed: Vec<String> = mapped
        .iter()
        .map(|column| column.map_or("null".into(), |column| format!("s.{}::text", column.quoted)))
        .collect();
    let Some(key) = mapped[0] else { return Ok(Columns::default()) };
    let statement = format!(
        "select {listed} from {table} s where s.{key} is not null and ($1::text is null or s.{key} > $1::text::{key_type})
          order by s.{key} limit $2",
        listed = listed.join(", "),
        key = key.quoted,
        key_type = key.type_name,
    );
    let found = rows(&statement, &[after.into(), limit.into()], |row| {
        (1..=ADOPTED.len()).map(|ordinal| row.get::<String>(ordinal)).collect::<Result<Vec<_>, _>>()
    })?;
    let mut columns = Columns::default();
    for row in found {
        for (column, value) in columns.iter_mut().zip(row) {
            column.push(value);
        }
    }
    Ok(columns)
}

/// Stores them, and says how many were new.
pub fn adopt(project: Uuid, columns: Columns) -> StatementResult<usize> {
    let [ids, types, data, times, sessions, numbers] = columns;
    let stored = write(
        include_str!("queries/adopt_events.sql"),
        &[
            project.into(),
            ids.into(),
            types.into(),
            data.into(),
            times.into(),
            sessions.into(),
            numbers.into(),
        ],
        |_| Ok(()),
    )?;
    Ok(stored.len())
}

/// The events of a chain, in its order, as a context shows them; none for what is beyond the bytes.
pub fn context_events(
    project: Uuid,
    chain: Vec<Uuid>,
    max_bytes: i64,
) -> StatementResult<Vec<Option<Jsonb>>> {
    kept_rows(
        include_str!("queries/context_events.sql"),
        &[project.into(), chain.into(), max_bytes.into()],
        |row| row.get(1),
    )
}

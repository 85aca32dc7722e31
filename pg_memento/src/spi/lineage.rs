//! Events and what led to them.

use pgrx::Uuid;
use pgrx::pg_sys::Oid;
use pgrx::prelude::*;
use pgrx::spi::SpiHeapTupleData;

use super::{StatementResult, kept_rows, required, rows, write};
use crate::ffi::jsonb::Jsonb;

/// An event that is to be recorded.
pub struct NewEvent<'a> {
    pub event_type: &'a str,
    pub data: Jsonb,
    pub parent: Option<Uuid>,
    pub session: Option<Uuid>,
    pub id: Option<Uuid>,
    pub happened_at: Option<TimestampWithTimeZone>,
}

/// A row of event_store.
pub struct StoredEvent {
    pub project_id: Uuid,
    pub event_id: Uuid,
    pub parent_uuid: Option<Uuid>,
    pub root_uuid: Uuid,
    pub depth: i32,
    pub parent_depth: Option<i32>,
    pub sequence_num: i64,
    pub timestamp: TimestampWithTimeZone,
    pub session_id: Option<Uuid>,
    pub event_type: String,
    pub event_data: Jsonb,
}

/// An event as the functions show it.
pub struct Event {
    pub uuid: Uuid,
    pub event_type: String,
    pub timestamp: TimestampWithTimeZone,
    pub event_data: Jsonb,
    /// Steps from the event that was asked for, or from its root: each statement says.
    pub depth: i32,
    /// Whether the statement left something out.
    pub truncated: bool,
}

/// Records an event; none if its id is taken.
pub fn insert(project: Uuid, event: NewEvent) -> StatementResult<Option<StoredEvent>> {
    let stored = write(
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
        |row| {
            Ok(StoredEvent {
                project_id: project,
                event_id: required(&row, 1)?,
                parent_uuid: row.get(2)?,
                root_uuid: required(&row, 3)?,
                depth: required(&row, 4)?,
                parent_depth: row.get(5)?,
                sequence_num: required(&row, 6)?,
                timestamp: required(&row, 7)?,
                session_id: row.get(8)?,
                event_type: required(&row, 9)?,
                event_data: required(&row, 10)?,
            })
        },
    )?;
    Ok(stored.into_iter().next())
}

/// The root of an event and its distance from it; none if there is no such event.
pub fn locate(project: Uuid, event: Uuid) -> StatementResult<Option<(Uuid, i32)>> {
    let found =
        kept_rows(include_str!("queries/locate_event.sql"), &[project.into(), event.into()], |row| {
            Ok((required(&row, 1)?, required(&row, 2)?))
        })?;
    Ok(found.into_iter().next())
}

fn event(row: &SpiHeapTupleData) -> pgrx::spi::Result<Event> {
    Ok(Event {
        uuid: required(row, 1)?,
        event_type: required(row, 2)?,
        timestamp: required(row, 3)?,
        event_data: required(row, 4)?,
        depth: required(row, 5)?,
        truncated: required(row, 6)?,
    })
}

/// What led to an event, root first; depth counts up from it.
pub fn chain(project: Uuid, of: Uuid, max_steps: i32) -> StatementResult<Vec<Event>> {
    kept_rows(
        include_str!("queries/parent_chain.sql"),
        &[project.into(), of.into(), max_steps.into()],
        |row| event(&row),
    )
}

/// What came of an event, level by level, with the parent of each; depth counts down from it.
pub fn tree(
    project: Uuid,
    of: Uuid,
    max_depth: i32,
    max_events: i32,
) -> StatementResult<Vec<(Event, Option<Uuid>)>> {
    kept_rows(
        include_str!("queries/event_tree.sql"),
        &[project.into(), of.into(), max_depth.into(), max_events.into()],
        |row| Ok((event(&row)?, row.get(7)?)),
    )
}

/// What an event has led to directly.
pub fn children(project: Uuid, of: Uuid, max_events: i32) -> StatementResult<Vec<Event>> {
    kept_rows(
        include_str!("queries/child_events.sql"),
        &[project.into(), of.into(), max_events.into()],
        |row| event(&row),
    )
}

/// The root of an event; depth is the event's distance from it.
pub fn root(project: Uuid, of: Uuid) -> StatementResult<Option<Event>> {
    let found =
        kept_rows(include_str!("queries/root_event.sql"), &[project.into(), of.into()], |row| event(&row))?;
    Ok(found.into_iter().next())
}

/// An event of a session, with its parent and its number; depth is the distance from its root.
pub struct SessionEvent {
    pub event: Event,
    pub parent_uuid: Option<Uuid>,
    pub sequence_num: i64,
}

/// The events of a session in the order of time.
pub fn session(
    project: Uuid,
    session: Uuid,
    max_events: i32,
    after: Option<Uuid>,
) -> StatementResult<Vec<SessionEvent>> {
    kept_rows(
        include_str!("queries/session_events.sql"),
        &[project.into(), session.into(), max_events.into(), after.into()],
        |row| {
            Ok(SessionEvent {
                event: event(&row)?,
                parent_uuid: row.get(7)?,
                sequence_num: required(&row, 8)?,
            })
        },
    )
}

/// Those of the items that exist, with what a context says about them.
pub fn named_items(project: Uuid, items: Vec<Uuid>) -> StatementResult<Vec<(Uuid, Jsonb)>> {
    rows(include_str!("queries/named_items.sql"), &[project.into(), items.into()], |row| {
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

/// An event and what led to it, nearest first, as a context shows them; none for what is beyond the bytes.
pub fn context_events(
    project: Uuid,
    of: Uuid,
    max_steps: i32,
    max_bytes: i64,
) -> StatementResult<Vec<Option<Jsonb>>> {
    kept_rows(
        include_str!("queries/context_events.sql"),
        &[project.into(), of.into(), max_steps.into(), max_bytes.into()],
        |row| row.get(1),
    )
}

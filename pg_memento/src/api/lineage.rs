//! Events and what led to them.

use pgrx::heap_tuple::PgHeapTuple;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use pgrx::{AllocatedByRust, Uuid};
use serde_json::json;

use crate::error::{ApiResult, given};
use crate::ffi::jsonb::Jsonb;
use crate::ffi::regclass::Regclass;
use crate::service::lineage;
use crate::spi::lineage::{NewEvent, StoredEvent};

/// How far up a chain goes by default.
const DEFAULT_STEPS: i32 = 1000;
/// How far down a tree goes by default.
const DEFAULT_LEVELS: i32 = 10;
/// How many events come back by default: more than anybody looks at.
const DEFAULT_EVENTS: i32 = 100_000;
/// The same for a timeline, which has pages.
const DEFAULT_PAGE: i32 = 1000;
/// What fits in the context of any model.
const DEFAULT_BUDGET: i32 = 4000;

// In SQL it is the default of a column, so it is made before the table.
#[pg_extern(volatile, parallel_safe, strict)]
pub fn new_event_id() -> Uuid {
    lineage::new_event_id()
}

#[pg_extern(volatile, parallel_unsafe, requires = ["lineage"])]
#[search_path(pg_catalog, pg_temp)]
pub fn emit_event(
    event_type: Option<&str>,
    event_data: default!(Option<Jsonb>, "'{}'"),
    parent_uuid: default!(Option<Uuid>, "null"),
    session_id: default!(Option<Uuid>, "null"),
    event_id: default!(Option<Uuid>, "null"),
    happened_at: default!(Option<TimestampWithTimeZone>, "null"),
) -> Result<pgrx::composite_type!('static, "memento.event_store"), ErrorReport> {
    let stored = lineage::emit(NewEvent {
        event_type: given("event_type", event_type)?,
        data: event_data.unwrap_or_else(|| json!({}).into()),
        parent: parent_uuid,
        session: session_id,
        id: event_id,
        happened_at,
    })?;
    row(stored)
        .map_err(|error| ErrorReport::new(PgSqlErrorCode::ERRCODE_INTERNAL_ERROR, error.to_string(), "row"))
}

/// As the table's row type.
fn row(event: StoredEvent) -> Result<PgHeapTuple<'static, AllocatedByRust>, Box<dyn std::error::Error>> {
    let mut row = PgHeapTuple::new_composite_type("memento.event_store")?;
    row.set_by_name("project_id", event.project_id)?;
    row.set_by_name("event_id", event.event_id)?;
    row.set_by_name("parent_uuid", event.parent_uuid)?;
    row.set_by_name("root_uuid", event.root_uuid)?;
    row.set_by_name("depth", event.depth)?;
    row.set_by_name("parent_depth", event.parent_depth)?;
    row.set_by_name("sequence_num", event.sequence_num)?;
    row.set_by_name("timestamp", event.timestamp)?;
    row.set_by_name("session_id", event.session_id)?;
    row.set_by_name("event_type", event.event_type)?;
    row.set_by_name("event_data", event.event_data)?;
    Ok(row)
}

#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
#[allow(clippy::type_complexity)] // pgrx reads the columns from the signature.
pub fn get_parent_chain(
    event_uuid: Option<Uuid>,
    max_depth: default!(Option<i32>, "1000"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(uuid, Uuid),
            name!(event_type, String),
            name!(timestamp, TimestampWithTimeZone),
            name!(event_data, Jsonb),
            name!(depth, i32),
            name!(truncated, bool),
        ),
    >,
    ErrorReport,
> {
    let events = lineage::parent_chain(given("event_uuid", event_uuid)?, max_depth.unwrap_or(DEFAULT_STEPS))?;
    Ok(TableIterator::new(events.into_iter().map(|event| {
        (event.uuid, event.event_type, event.timestamp, event.event_data, event.depth, event.truncated)
    })))
}

#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
#[allow(clippy::type_complexity)] // pgrx reads the columns from the signature.
pub fn get_child_events(
    event_uuid: Option<Uuid>,
    max_events: default!(Option<i32>, "100000"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(uuid, Uuid),
            name!(event_type, String),
            name!(timestamp, TimestampWithTimeZone),
            name!(event_data, Jsonb),
            name!(truncated, bool),
        ),
    >,
    ErrorReport,
> {
    let events = lineage::children(given("event_uuid", event_uuid)?, max_events.unwrap_or(DEFAULT_EVENTS))?;
    Ok(TableIterator::new(
        events
            .into_iter()
            .map(|event| (event.uuid, event.event_type, event.timestamp, event.event_data, event.truncated)),
    ))
}

#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
#[allow(clippy::type_complexity)] // pgrx reads the columns from the signature.
pub fn get_event_tree(
    root_uuid: Option<Uuid>,
    max_depth: default!(Option<i32>, "10"),
    max_events: default!(Option<i32>, "100000"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(uuid, Uuid),
            name!(event_type, String),
            name!(timestamp, TimestampWithTimeZone),
            name!(event_data, Jsonb),
            name!(depth, i32),
            name!(parent_uuid, Option<Uuid>),
            name!(truncated, bool),
        ),
    >,
    ErrorReport,
> {
    let events = lineage::tree(
        given("root_uuid", root_uuid)?,
        max_depth.unwrap_or(DEFAULT_LEVELS),
        max_events.unwrap_or(DEFAULT_EVENTS),
    )?;
    Ok(TableIterator::new(events.into_iter().map(|(event, parent)| {
        (
            event.uuid,
            event.event_type,
            event.timestamp,
            event.event_data,
            event.depth,
            parent,
            event.truncated,
        )
    })))
}

#[pg_extern(stable, parallel_restricted, strict)]
#[search_path(pg_catalog, pg_temp)]
pub fn calculate_root_uuid(parent_uuid: Uuid) -> ApiResult<Uuid> {
    Ok(lineage::root_of(parent_uuid)?)
}

#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
#[allow(clippy::type_complexity)] // pgrx reads the columns from the signature.
pub fn root_cause(
    event_uuid: Option<Uuid>,
) -> Result<
    TableIterator<
        'static,
        (
            name!(uuid, Uuid),
            name!(event_type, String),
            name!(timestamp, TimestampWithTimeZone),
            name!(event_data, Jsonb),
            name!(depth, i32),
        ),
    >,
    ErrorReport,
> {
    let root = lineage::root_cause(given("event_uuid", event_uuid)?)?;
    Ok(TableIterator::once((root.uuid, root.event_type, root.timestamp, root.event_data, root.depth)))
}

#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
#[allow(clippy::type_complexity)] // pgrx reads the columns from the signature.
pub fn session_timeline(
    session_id: Option<Uuid>,
    max_events: default!(Option<i32>, "1000"),
    after_event: default!(Option<Uuid>, "null"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(uuid, Uuid),
            name!(event_type, String),
            name!(timestamp, TimestampWithTimeZone),
            name!(event_data, Jsonb),
            name!(depth, i32),
            name!(parent_uuid, Option<Uuid>),
            name!(sequence_num, i64),
            name!(truncated, bool),
        ),
    >,
    ErrorReport,
> {
    let session = given("session_id", session_id)?;
    let events = lineage::timeline(session, max_events.unwrap_or(DEFAULT_PAGE), after_event)?;
    Ok(TableIterator::new(events.into_iter().map(|found| {
        let event = found.event;
        (
            event.uuid,
            event.event_type,
            event.timestamp,
            event.event_data,
            event.depth,
            found.parent_uuid,
            found.sequence_num,
            event.truncated,
        )
    })))
}

#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
pub fn resume_context(
    event_uuid: Option<Uuid>,
    token_budget: default!(Option<i32>, "4000"),
) -> ApiResult<Jsonb> {
    Ok(lineage::resume_context(given("event_uuid", event_uuid)?, token_budget.unwrap_or(DEFAULT_BUDGET))?)
}

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn adopt_event_store(
    source: Option<Regclass>,
    mapping: default!(Option<Jsonb>, "'{}'"),
    max_rows: default!(Option<i32>, "null"),
    after: default!(Option<String>, "null"),
) -> ApiResult<Jsonb> {
    let mapping = mapping.unwrap_or_else(|| json!({}).into());
    Ok(lineage::adopt(given("source", source)?.0, &mapping, max_rows, after)?)
}

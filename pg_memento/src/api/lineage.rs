//! Events and what led to them. Most functions give the rows of a statement as they are.
#![allow(clippy::type_complexity)] // pgrx reads the columns from the signatures.

use std::convert::Infallible;

use pgrx::pg_sys::panic::{ErrorReport, ErrorReportable};
use pgrx::prelude::*;
use pgrx::{PgTrigger, Uuid};
use serde_json::json;

use crate::error::{ApiResult, given};
use crate::ffi::jsonb::Jsonb;
use crate::ffi::new_row::Placed;
use crate::ffi::regclass::Regclass;
use crate::ffi::relayed::TableIterator;
use crate::service::lineage;
use crate::spi::lineage::NewEvent;

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

// In SQL it is what an index of the table is about.
#[pg_extern(immutable, parallel_safe, strict)]
pub fn named_items(event_data: Jsonb) -> Vec<Uuid> {
    lineage::named_items(&event_data)
}

// Declared in sql/55_lineage.sql, where the triggers are. No search_path is pinned, because that would cost as much as the rest
// for each event: what it runs names schemas itself.
#[pg_trigger(sql = false)]
fn _place_event<'a>(trigger: &'a PgTrigger<'a>) -> Result<Option<Placed<'static>>, Infallible> {
    Ok(Some(lineage::place(trigger).map_err(ErrorReport::from).unwrap_or_report()))
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
    Ok(lineage::emit(NewEvent {
        event_type: given("event_type", event_type)?,
        data: event_data.unwrap_or_else(|| json!({}).into()),
        parent: parent_uuid,
        session: session_id,
        id: event_id.unwrap_or_else(lineage::new_event_id),
        happened_at,
    })?)
}

#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
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
    Ok(lineage::parent_chain(given("event_uuid", event_uuid)?, max_depth.unwrap_or(DEFAULT_STEPS))?.into())
}

#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
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
    Ok(lineage::children(given("event_uuid", event_uuid)?, max_events.unwrap_or(DEFAULT_EVENTS))?.into())
}

#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
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
    let (max_depth, max_events) = (max_depth.unwrap_or(DEFAULT_LEVELS), max_events.unwrap_or(DEFAULT_EVENTS));
    Ok(lineage::tree(given("root_uuid", root_uuid)?, max_depth, max_events)?.into())
}

#[pg_extern(stable, parallel_restricted, strict)]
#[search_path(pg_catalog, pg_temp)]
pub fn calculate_root_uuid(parent_uuid: Uuid) -> ApiResult<Uuid> {
    Ok(lineage::root_of(parent_uuid)?)
}

#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
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
    Ok(lineage::root_cause(given("event_uuid", event_uuid)?)?.into())
}

#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
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
    Ok(lineage::timeline(session, max_events.unwrap_or(DEFAULT_PAGE), after_event)?.into())
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

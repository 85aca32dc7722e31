//! Events: recording them, and walking from one to what led to it and to what came of it.

mod adopt;
mod context;
mod place;
mod record;

use memento_core::access::AccessLevel;
use memento_core::lineage::time_ordered_id;
use pgrx::Uuid;
use pgrx::prelude::*;

pub use self::adopt::adopt;
pub use self::context::{named_items, resume_context};
pub use self::place::place;
pub use self::record::{found_items, record};
use super::access::{AccessError, as_owner, authorize_current};
use crate::error::{Failure, StatementError, reported};
use crate::ffi::relayed::Rows;
use crate::spi::lineage::{ADOPTED, NewEvent, Place, StoredEvent};
use crate::{ffi, gucs, spi};

/// The seed of event lineage has it, and a longer one is data.
const LONGEST_TYPE: usize = 64;

/// The most events of one result: they are all in memory at once.
const MAX_EVENTS: i32 = 1_000_000;

/// The largest budget of a context, in tokens.
const MAX_BUDGET: i32 = 1_000_000;

/// Why something cannot be done with events.
#[derive(Debug, thiserror::Error)]
pub enum LineageError {
    #[error("event_type must have 1 to {LONGEST_TYPE} characters")]
    BadType,
    #[error("event_data has {size} bytes, the limit is {limit}")]
    TooLarge { size: usize, limit: usize },
    #[error("event {0} exists already in this project")]
    Exists(Uuid),
    #[error("event {0} does not exist in this project")]
    NoEvent(Uuid),
    #[error("event {0}, the parent, does not exist in this project")]
    NoParent(Uuid),
    #[error("event {0} cannot be its own parent")]
    OwnParent(Uuid),
    #[error("max_depth must not be negative, as {0} is")]
    BadDepth(i32),
    #[error("{argument} must be between 1 and {limit}, not {given}")]
    BadLimit { argument: &'static str, limit: i32, given: i32 },
    #[error("mapping must be a JSON object of column names")]
    BadMapping,
    #[error("unknown keys in mapping: {}", .0.join(", "))]
    UnknownKeys(Vec<String>),
    #[error("the table has no column \"{0}\"")]
    NoColumn(String),
    #[error(transparent)]
    Access(#[from] AccessError),
    #[error(transparent)]
    Statement(#[from] StatementError),
}

reported!(LineageError);

impl Failure for LineageError {
    fn sqlstate(&self) -> PgSqlErrorCode {
        match self {
            Self::TooLarge { .. } => PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED,
            Self::Exists(_) => PgSqlErrorCode::ERRCODE_UNIQUE_VIOLATION,
            Self::NoEvent(_) | Self::NoParent(_) => PgSqlErrorCode::ERRCODE_NO_DATA_FOUND,
            Self::OwnParent(_) => PgSqlErrorCode::ERRCODE_CHECK_VIOLATION,
            Self::Access(error) => error.sqlstate(),
            Self::Statement(error) => error.sqlstate(),
            _ => PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::TooLarge { .. } => "CONTENT_TOO_LARGE",
            Self::Exists(_) => "EVENT_EXISTS",
            Self::NoEvent(_) => "EVENT_NOT_FOUND",
            Self::NoParent(_) => "PARENT_NOT_FOUND",
            Self::OwnParent(_) => "CYCLE_DETECTED",
            Self::Access(error) => error.code(),
            Self::Statement(error) => error.code(),
            _ => "VALIDATION_ERROR",
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::BadType => Some("for example: event_type => 'tool_use'; the rest belongs into event_data".into()),
            Self::TooLarge { .. } => Some(
                "remember the content and name its item_id, or let a superuser raise memento.max_content_size"
                    .into(),
            ),
            Self::Exists(_) => Some("leave event_id out to get a new one".into()),
            Self::NoEvent(_) | Self::NoParent(_) => {
                Some("it may be in another project: see memento.use_project()".into())
            }
            Self::OwnParent(_) => Some("leave parent_uuid out for an event that nothing led to".into()),
            Self::BadDepth(_) => Some("0 is the event alone".into()),
            Self::BadLimit { argument, .. } => Some(format!("for example: {argument} => 1000")),
            Self::BadMapping => {
                Some("for example: mapping => '{\"event_id\": \"id\", \"timestamp\": \"created_at\"}'".into())
            }
            Self::UnknownKeys(_) => Some(format!("known keys: {}", ADOPTED.join(", "))),
            Self::NoColumn(_) => Some("name the columns of the table: mapping => '{\"event_id\": \"id\"}'".into()),
            Self::Access(error) => error.hint(),
            Self::Statement(error) => error.hint(),
        }
    }
}

/// A new id, in the order of time.
pub fn new_event_id() -> Uuid {
    let id = time_ordered_id(ffi::server::unix_micros(), ffi::server::random_bytes());
    Uuid::from_bytes(*id.as_bytes())
}

/// Records an event in the session's project. Without a session it belongs to that of its parent.
pub fn emit(mut event: NewEvent) -> Result<StoredEvent, LineageError> {
    if event.event_type.trim().is_empty() || event.event_type.chars().count() > LONGEST_TYPE {
        return Err(LineageError::BadType);
    }
    let (size, limit) = (event.data.size(), gucs::max_content_bytes());
    if size > limit {
        return Err(LineageError::TooLarge { size, limit });
    }
    let (id, parent) = (event.id, event.parent);
    if parent == Some(id) {
        return Err(LineageError::OwnParent(id));
    }
    let project = authorize_current(AccessLevel::Write)?;
    as_owner(|| {
        if let Some(parent) = parent {
            // The triggers would refuse it too; here it is said without their context.
            let Some(place) = spi::lineage::locate(project, parent)? else {
                return Ok(Err(LineageError::NoParent(parent)));
            };
            event.session = event.session.or(place.session);
        }
        Ok(spi::lineage::insert(project, event)?.ok_or(LineageError::Exists(id)))
    })?
}

/// What led to an event, root first.
pub fn parent_chain(event: Uuid, max_steps: i32) -> Result<Rows, LineageError> {
    check_depth(max_steps)?;
    let project = authorize_current(AccessLevel::Read)?;
    rows_of(event, spi::event_walk::chain(project, event, max_steps))
}

/// What an event has led to directly.
pub fn children(event: Uuid, max_events: i32) -> Result<Rows, LineageError> {
    check_events(max_events)?;
    let project = authorize_current(AccessLevel::Read)?;
    let children = as_owner(|| spi::lineage::children(project, event, max_events))?;
    if children.is_empty() {
        located(project, event)?;
    }
    Ok(children)
}

/// An event, all that came of it, and the parent of each.
pub fn tree(event: Uuid, max_depth: i32, max_events: i32) -> Result<Rows, LineageError> {
    check_depth(max_depth)?;
    check_events(max_events)?;
    let project = authorize_current(AccessLevel::Read)?;
    rows_of(event, spi::event_walk::tree(project, event, max_depth, max_events))
}

/// The root of the tree that a parent is in.
pub fn root_of(parent: Uuid) -> Result<Uuid, LineageError> {
    let project = authorize_current(AccessLevel::Read)?;
    Ok(located(project, parent)?.root)
}

/// The event that it all began with.
pub fn root_cause(event: Uuid) -> Result<Rows, LineageError> {
    let project = authorize_current(AccessLevel::Read)?;
    rows_of(event, as_owner(|| spi::lineage::root(project, event))?)
}

/// The events of a session in the order of time; none for a session that has none.
pub fn timeline(session: Uuid, max_events: i32, after: Option<Uuid>) -> Result<Rows, LineageError> {
    check_events(max_events)?;
    let project = authorize_current(AccessLevel::Read)?;
    if let Some(after) = after {
        located(project, after)?;
    }
    Ok(as_owner(|| spi::lineage::session(project, session, max_events, after))?)
}

/// Where an event is.
fn located(project: Uuid, event: Uuid) -> Result<Place, LineageError> {
    as_owner(|| spi::lineage::locate(project, event))?.ok_or(LineageError::NoEvent(event))
}

/// What goes out from an event includes it: nothing means that there is no such event.
fn rows_of(event: Uuid, rows: Rows) -> Result<Rows, LineageError> {
    if rows.is_empty() { Err(LineageError::NoEvent(event)) } else { Ok(rows) }
}

fn check_depth(depth: i32) -> Result<(), LineageError> {
    if depth < 0 { Err(LineageError::BadDepth(depth)) } else { Ok(()) }
}

fn check_events(given: i32) -> Result<(), LineageError> {
    if (1..=MAX_EVENTS).contains(&given) {
        Ok(())
    } else {
        Err(LineageError::BadLimit { argument: "max_events", limit: MAX_EVENTS, given })
    }
}

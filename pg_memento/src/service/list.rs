//! Lists of items, page by page.

use memento_core::access::AccessLevel;
use memento_core::filter::{Filter, FilterError};
use pgrx::Uuid;
use serde_json::{Value, json};

use super::access::{AccessError, as_owner, authorize_current};
use crate::error::{Failure, StatementError, passed_on, reported};
use crate::ffi::jsonb::Jsonb;
use crate::spi;
use crate::spi::item::Cursor;

/// The most items of one page.
pub const MAX_ITEMS: i32 = 1000;

/// Longer lists are not counted to the end: that would cost more than the page.
pub const MAX_COUNTED: i64 = 10_000;

/// The end of the year 9999, in microseconds since 1970.
const LATEST: i64 = 253_402_300_799_999_999;

/// Why a list cannot be given.
#[derive(Debug, thiserror::Error)]
pub enum ListError {
    #[error("max_items must be between 1 and {MAX_ITEMS}, not {0}")]
    BadLimit(i32),
    #[error("after is not where a page ended")]
    BadCursor,
    #[error(transparent)]
    Filter(#[from] FilterError),
    #[error(transparent)]
    Access(#[from] AccessError),
    #[error(transparent)]
    Statement(#[from] StatementError),
}

reported!(ListError);

impl Failure for ListError {
    passed_on!(Access, Statement);

    fn hint(&self) -> Option<String> {
        match self {
            Self::BadLimit(_) | Self::BadCursor => {
                Some("read on with after => next_after of the page before".into())
            }
            Self::Filter(error) => Some(error.hint()),
            _ => None,
        }
    }
}

/// A page of the session's project. The first one has the total, counted up to a limit.
pub fn list(filters: &Jsonb, limit: i32, after: Option<&str>, archived: bool) -> Result<Jsonb, ListError> {
    if !(1..=MAX_ITEMS).contains(&limit) {
        return Err(ListError::BadLimit(limit));
    }
    let filter = Filter::from_json(&filters.parse().map_err(|_| FilterError::NotAnObject)?)?;
    let cursor = after.map(cursor).transpose()?;
    let project = authorize_current(AccessLevel::Read)?;
    let total = match cursor {
        None => Some(total(project, &filter, archived)?),
        Some(_) => None,
    };
    // One more than asked for tells whether there is another page.
    let mut items = as_owner(|| spi::item::list(project, &filter, archived, cursor.as_ref(), limit + 1))?;
    let goes_on = items.len() > limit as usize;
    items.truncate(limit as usize);
    let next = items
        .last()
        .filter(|_| goes_on)
        .map(|last| format!("{}/{}", last.cursor.created_at, last.cursor.item));
    let seen: Vec<Value> = items.iter().filter_map(|item| item.seen.parse().ok()).collect();
    let (total, is_exact) = total.unzip();
    Ok(json!({"total": total, "total_is_exact": is_exact, "items": seen, "next_after": next}).into())
}

/// How many there are, and whether that is exact.
fn total(project: Uuid, filter: &Filter, archived: bool) -> Result<(i64, bool), ListError> {
    let counted = as_owner(|| spi::item::count(project, filter, archived, MAX_COUNTED + 1))?;
    Ok((counted.min(MAX_COUNTED), counted <= MAX_COUNTED))
}

/// The time, in microseconds since 1970, and the key of the last item of the page before.
fn cursor(after: &str) -> Result<Cursor, ListError> {
    let (micros, item) = after.split_once('/').ok_or(ListError::BadCursor)?;
    let item = uuid::Uuid::parse_str(item).map_err(|_| ListError::BadCursor)?;
    let created_at: i64 = micros.parse().map_err(|_| ListError::BadCursor)?;
    if !(0..=LATEST).contains(&created_at) {
        return Err(ListError::BadCursor);
    }
    Ok(Cursor { created_at, item: Uuid::from_bytes(*item.as_bytes()) })
}

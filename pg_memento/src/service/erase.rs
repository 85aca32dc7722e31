//! Forgetting, because somebody asks for it or because the time is over.

use memento_core::access::AccessLevel;
use pgrx::Uuid;
use pgrx::prelude::*;
use serde_json::json;

use super::access::{AccessError, as_owner, authorize_current};
use super::item::ItemError;
use crate::error::{Failure, StatementError, passed_on, reported};
use crate::ffi::jsonb::Jsonb;
use crate::spi::erase::{Doomed, Due};
use crate::{ffi, spi};

/// The most rows of a dry run, and items of one batch.
pub const MAX_BATCH: i32 = 10_000;

/// Why something cannot be forgotten.
#[derive(Debug, thiserror::Error)]
pub enum EraseError {
    #[error("forget needs to know what")]
    NothingNamed,
    #[error("forget takes an item, a source, a subject, a conversation, or the whole project: one of them")]
    TooMuchNamed,
    #[error("a source is named by source_system and source_id, or by source_system and whole_source")]
    HalfASource,
    #[error("{0} must not be empty")]
    Empty(&'static str),
    #[error("{name} must be between 1 and {MAX_BATCH}, not {given}")]
    BadLimit { name: &'static str, given: i32 },
    #[error("receipt {0} does not exist in this project")]
    NoReceipt(Uuid),
    #[error(transparent)]
    Item(#[from] ItemError),
    #[error(transparent)]
    Access(#[from] AccessError),
    #[error(transparent)]
    Statement(#[from] StatementError),
}

reported!(EraseError);

impl Failure for EraseError {
    passed_on!(Item, Access, Statement);

    fn sqlstate(&self) -> PgSqlErrorCode {
        match self {
            Self::NoReceipt(_) => PgSqlErrorCode::ERRCODE_NO_DATA_FOUND,
            _ => PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::NoReceipt(_) => "RECEIPT_NOT_FOUND",
            _ => "VALIDATION_ERROR",
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::NothingNamed | Self::TooMuchNamed | Self::HalfASource | Self::Empty(_) => Some(
                "for example: item_id => '...', or source_system => 'wiki', source_id => 'page-7', or subject => 'ana@example.com'"
                    .into(),
            ),
            Self::BadLimit { name, .. } => Some(format!("for example: {name} => 1000")),
            Self::NoReceipt(_) => Some("see: select * from memento.erasure".into()),
            _ => None,
        }
    }
}

/// An argument that is null by accident must not stand for everything: a source without its id has to be asked for.
fn check(doomed: &Doomed) -> Result<(), EraseError> {
    let source = doomed.source_system.is_some() || doomed.source_id.is_some() || doomed.whole_source;
    let named = [
        doomed.item.is_some(),
        source,
        doomed.subject.is_some(),
        doomed.conversation.is_some(),
        doomed.whole_project,
    ];
    match named.into_iter().filter(|is_named| *is_named).count() {
        0 => return Err(EraseError::NothingNamed),
        1 => {}
        _ => return Err(EraseError::TooMuchNamed),
    }
    let is_whole_name = doomed.source_system.is_some() && doomed.source_id.is_some() != doomed.whole_source;
    if source && !is_whole_name {
        return Err(EraseError::HalfASource);
    }
    for (name, value) in [("subject", doomed.subject), ("conversation_id", doomed.conversation)] {
        if value.is_some_and(|value| value.trim().is_empty()) {
            return Err(EraseError::Empty(name));
        }
    }
    Ok(())
}

/// Erases from the session's project what is named, with all that belongs to it, for good, in one transaction. The whole
/// project takes an admin.
pub fn forget(doomed: &Doomed) -> Result<Jsonb, EraseError> {
    check(doomed)?;
    let level = if doomed.whole_project { AccessLevel::Admin } else { AccessLevel::Write };
    let project = authorize_current(level)?;
    let by = ffi::identity::current_role();
    match (as_owner(|| spi::erase::forget(project, doomed, by))?, doomed.item) {
        (Some(receipt), _) => Ok(receipt),
        (None, Some(item)) => Err(ItemError::NoItem(item).into()),
        (None, None) => {
            Ok(json!({"receipt_id": null, "items": 0, "versions": 0, "chunks": 0, "counts": {}}).into())
        }
    }
}

/// Whether nothing is left of what a receipt says was erased.
pub fn verify_forgotten(receipt: Uuid) -> Result<Jsonb, EraseError> {
    let project = authorize_current(AccessLevel::Read)?;
    as_owner(|| spi::erase::verify(project, receipt))?.ok_or(EraseError::NoReceipt(receipt))
}

/// What of the session's project retention will erase by then; now if it does not say.
pub fn due(at: Option<TimestampWithTimeZone>, limit: i32) -> Result<Vec<Due>, EraseError> {
    checked("max_items", limit)?;
    let project = authorize_current(AccessLevel::Read)?;
    Ok(as_owner(|| spi::erase::due(project, at, limit))?)
}

/// Erases what retention has come to the end of, in all projects. For workers: who may call it is decided by the privilege on
/// the function.
pub fn apply_retention(batch: i32) -> Result<i64, EraseError> {
    checked("batch", batch)?;
    let by = ffi::identity::current_role();
    Ok(as_owner(|| spi::erase::erase_expired(batch, by))?)
}

fn checked(name: &'static str, given: i32) -> Result<(), EraseError> {
    if (1..=MAX_BATCH).contains(&given) { Ok(()) } else { Err(EraseError::BadLimit { name, given }) }
}

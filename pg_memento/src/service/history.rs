//! Conversations, turn by turn.

use memento_core::access::AccessLevel;
use memento_core::memory_kind::Speaker;
use pgrx::prelude::*;
use serde_json::json;

use super::access::{AccessError, as_owner, authorize_current};
use super::secret::{Screen, SecretError};
use crate::error::{Failure, StatementError, passed_on, reported};
use crate::ffi::jsonb::Jsonb;
use crate::spi::history::NewTurn;
use crate::{ffi, gucs, spi};

/// The most turns of one page.
pub const MAX_TURNS: i32 = 1000;

/// Longer names are content.
const LONGEST_NAME: usize = 200;

/// Why a turn cannot be added or read.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    #[error("conversation_id must have 1 to {LONGEST_NAME} characters")]
    BadConversation,
    #[error("role must be one of {}", Speaker::WORDS.join(", "))]
    UnknownRole,
    #[error("content is empty")]
    Empty,
    #[error("content has {size} bytes, the limit is {limit}")]
    TooLarge { size: usize, limit: usize },
    #[error("turn_index must not be negative")]
    BadIndex,
    #[error("turn {0} of this conversation says something else")]
    Taken(i32),
    #[error("metadata must be a JSON object")]
    MetadataNotObject,
    #[error("max_turns must be between 1 and {MAX_TURNS}, not {0}")]
    BadLimit(i32),
    #[error(transparent)]
    Secret(#[from] SecretError),
    #[error(transparent)]
    Access(#[from] AccessError),
    #[error(transparent)]
    Statement(#[from] StatementError),
}

reported!(HistoryError);

impl Failure for HistoryError {
    passed_on!(Secret, Access, Statement);

    fn sqlstate(&self) -> PgSqlErrorCode {
        match self {
            Self::Taken(_) => PgSqlErrorCode::ERRCODE_UNIQUE_VIOLATION,
            Self::TooLarge { .. } => PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED,
            _ => PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::Taken(_) => "TURN_EXISTS",
            Self::TooLarge { .. } => "CONTENT_TOO_LARGE",
            _ => "VALIDATION_ERROR",
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::BadConversation => Some("a uuid is a good name".into()),
            Self::UnknownRole => Some("for example: role => 'user'".into()),
            Self::Empty => Some("give text with at least one character that is not white space".into()),
            Self::TooLarge { .. } => Some("keep large texts with memento.artifact_ingest()".into()),
            Self::BadIndex | Self::Taken(_) => Some("leave turn_index out to add the next turn".into()),
            Self::MetadataNotObject => Some("for example: metadata => '{\"model\": \"small\"}'".into()),
            Self::BadLimit(_) => Some("read on with before_turn => next_before of the page before".into()),
            _ => None,
        }
    }
}

fn check_conversation(name: &str) -> Result<(), HistoryError> {
    let is_fine = !name.trim().is_empty() && name.chars().count() <= LONGEST_NAME;
    is_fine.then_some(()).ok_or(HistoryError::BadConversation)
}

fn check(turn: &NewTurn) -> Result<(), HistoryError> {
    check_conversation(turn.conversation)?;
    Speaker::from_word(turn.role).ok_or(HistoryError::UnknownRole)?;
    let (size, limit) = (turn.content.len(), gucs::max_inline_bytes());
    if size > limit {
        return Err(HistoryError::TooLarge { size, limit });
    }
    if turn.content.trim().is_empty() {
        return Err(HistoryError::Empty);
    }
    if turn.index.is_some_and(|index| index < 0) {
        return Err(HistoryError::BadIndex);
    }
    if !turn.metadata.is_object() {
        return Err(HistoryError::MetadataNotObject);
    }
    Ok(())
}

/// Adds a turn to a conversation of the session's project. Said again at the same place, it changes nothing.
pub fn append(turn: NewTurn) -> Result<Jsonb, HistoryError> {
    check(&turn)?;
    let project = authorize_current(AccessLevel::Write)?;
    let mut screen = Screen::of_project(project)?;
    let (content, metadata) = (screen.text(turn.content)?, screen.json(turn.metadata.clone())?);
    let secrets = screen.into_found();
    let turn = NewTurn { content: &content, metadata, ..turn };
    let by = ffi::identity::current_role();
    let (index, status) = loop {
        if let Some(index) = as_owner(|| spi::history::append(project, by, &turn))? {
            break (index, "appended");
        }
        match turn.index {
            // Somebody else has added the next turn at the same moment.
            None => ffi::server::check_for_interrupts(),
            Some(index) if as_owner(|| spi::history::is_same(project, &turn))? => break (index, "unchanged"),
            Some(index) => return Err(HistoryError::Taken(index)),
        }
    };
    let mut seen = json!({"conversation_id": turn.conversation, "turn_index": index, "status": status});
    if !secrets.is_empty() {
        seen["secrets"] = json!(secrets);
    }
    Ok(seen.into())
}

/// The last turns of a conversation, or the last before a place, oldest first.
pub fn get(conversation: &str, limit: i32, before: Option<i32>) -> Result<Jsonb, HistoryError> {
    check_conversation(conversation)?;
    if !(1..=MAX_TURNS).contains(&limit) {
        return Err(HistoryError::BadLimit(limit));
    }
    let project = authorize_current(AccessLevel::Read)?;
    as_owner(|| spi::history::get(project, conversation, limit, before))?
        .ok_or_else(|| StatementError::from(pgrx::spi::Error::InvalidPosition).into())
}

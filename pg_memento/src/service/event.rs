//! Semantic events: finding, showing and comparing them.

mod cursor;
mod search;

pub use search::{MAX_EVENTS, Query, search};

use memento_core::access::AccessLevel;
use memento_core::event::Category;
use memento_core::event::compare::{Told, compare};
use memento_core::quote::CodePoints;
use pgrx::Uuid;
use pgrx::prelude::*;
use serde_json::{Value, json};

use super::access::{AccessError, as_owner, authorize_current};
use super::artifact::{self, ArtifactError};
use crate::error::{Failure, StatementError, passed_on, reported};
use crate::ffi::jsonb::Jsonb;
use crate::spi;
use crate::spi::event::Revision;

/// Why something cannot be done with events.
#[derive(Debug, thiserror::Error)]
pub enum EventError {
    #[error("category must be one of {}", Category::WORDS.join(", "))]
    UnknownCategory,
    #[error("max_items must be between 1 and {MAX_EVENTS}, not {0}")]
    BadLimit(i32),
    #[error("min_confidence must be between 0 and 1")]
    BadConfidence,
    #[error("after is not where a page ended")]
    BadCursor,
    #[error("event {0} does not exist in this project")]
    NoEvent(Uuid),
    #[error("artifact {0} has no such revision in this project")]
    NoRevision(String),
    #[error(transparent)]
    Artifact(#[from] ArtifactError),
    #[error(transparent)]
    Access(#[from] AccessError),
    #[error(transparent)]
    Statement(#[from] StatementError),
}

reported!(EventError);

impl Failure for EventError {
    passed_on!(Artifact, Access, Statement);

    fn sqlstate(&self) -> PgSqlErrorCode {
        match self {
            Self::NoEvent(_) | Self::NoRevision(_) => PgSqlErrorCode::ERRCODE_NO_DATA_FOUND,
            _ => PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::NoEvent(_) => "EVENT_NOT_FOUND",
            Self::NoRevision(_) => "REVISION_NOT_FOUND",
            _ => "VALIDATION_ERROR",
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::UnknownCategory => "for example: category => 'Decision'".into(),
            Self::BadLimit(_) | Self::BadCursor => {
                "read on with after => next_after of the page before".into()
            }
            Self::BadConfidence => "for example: min_confidence => 0.8".into(),
            Self::NoEvent(_) => {
                "events get new ids when a revision is looked through again: memento.event_search() has them"
                    .into()
            }
            Self::NoRevision(_) => {
                "artifact_ingest() returns its names; without a revision_id it is the latest".into()
            }
            _ => return None,
        })
    }
}

/// What is wrong with quotes of a content, in words; none if they are what it says at their spans.
pub fn quote_problem(content: &str, quotes: impl Iterator<Item = (i32, i32, String)>) -> Option<String> {
    let points = CodePoints::new(content);
    quotes
        .map(|(start, end, quote)| points.verify(&(place(start)..place(end)), &quote))
        .find_map(Result::err)
        .map(|problem| problem.to_string())
}

/// What a content says at spans; none where it has no such span.
pub fn texts_at(content: &str, spans: impl Iterator<Item = (i32, i32)>) -> Vec<Option<String>> {
    let points = CodePoints::new(content);
    spans.map(|(start, end)| points.said(&(place(start)..place(end))).map(str::to_owned)).collect()
}

/// No text is so long that it has the place that a negative number is.
fn place(number: i32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// One event in full.
pub fn get(event: Uuid) -> Result<Jsonb, EventError> {
    let project = authorize_current(AccessLevel::Read)?;
    as_owner(|| spi::event::get(project, event))?.ok_or(EventError::NoEvent(event))
}

/// The revision of an artifact, or of any item, that is named.
pub fn revision(project: Uuid, given: &str, revision_id: Option<&str>) -> Result<Revision, EventError> {
    let name = artifact::name(given)?;
    let found = as_owner(|| spi::event::revision(project, &name, revision_id))?;
    found.ok_or_else(|| match revision_id {
        Some(_) => EventError::NoRevision(given.chars().take(80).collect()),
        None => artifact::missing(given).into(),
    })
}

/// The events of a revision.
pub fn list_for_revision(
    given: &str,
    revision_id: Option<&str>,
    with_evidence: bool,
) -> Result<Value, EventError> {
    let project = authorize_current(AccessLevel::Read)?;
    let revision = revision(project, given, revision_id)?;
    let events = events_of(project, &revision, with_evidence)?;
    Ok(json!({
        "artifact_uid": revision.artifact_uid,
        "revision_id": revision.revision_id,
        "is_latest": revision.is_latest,
        "total": events.len(),
        "events": events,
    }))
}

fn events_of(project: Uuid, revision: &Revision, with_evidence: bool) -> Result<Vec<Value>, EventError> {
    let events = as_owner(|| spi::event::of_version(project, revision.version, with_evidence))?;
    Ok(events.iter().filter_map(|event| event.parse().ok()).collect())
}

/// What became of the events of one revision in another.
pub fn diff(given: &str, before: &str, after: Option<&str>) -> Result<Value, EventError> {
    let project = authorize_current(AccessLevel::Read)?;
    let (before, after) = (revision(project, given, Some(before))?, revision(project, given, after)?);
    let (old, new) = (events_of(project, &before, true)?, events_of(project, &after, true)?);
    let (told_before, told_after): (Vec<Told>, Vec<Told>) =
        (old.iter().map(told).collect(), new.iter().map(told).collect());
    let seen = compare(&told_before, &told_after);
    let pair = |(from, to): &(usize, usize)| json!({"from": old[*from], "to": new[*to]});
    Ok(json!({
        "artifact_uid": before.artifact_uid,
        "revision_a": before.revision_id,
        "revision_b": after.revision_id,
        "added": seen.added.iter().map(|place| &new[*place]).collect::<Vec<_>>(),
        "removed": seen.removed.iter().map(|place| &old[*place]).collect::<Vec<_>>(),
        "changed": seen.changed.iter().map(pair).collect::<Vec<_>>(),
        "unchanged": seen.unchanged.iter().map(pair).collect::<Vec<_>>(),
    }))
}

fn told(event: &Value) -> Told<'_> {
    let text = |pointer: &str| event.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    Told { category: text("/category"), subject: text("/subject/ref"), narrative: text("/narrative") }
}

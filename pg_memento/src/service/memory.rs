//! Storing a memory: item, version and chunks in the caller's transaction.

use std::borrow::Cow;

use memento_core::access::AccessLevel;
use memento_core::memory_kind::{Scope, Sensitivity, Visibility};
use memento_core::retention::RetentionError;
use pgrx::Uuid;
use pgrx::prelude::*;

use super::access::{AccessError, as_owner, authorize_current};
use super::ingest::{Written, write_version};
use super::lineage::record;
use super::secret::{Screen, SecretError, Secrets};
use crate::error::{Failure, StatementError, passed_on, reported};
use crate::spi::store::{self, Audit, Classification, Identity, KnownItem, NewMemory};
use crate::{ffi, gucs, spi};

/// What became of a memory.
pub struct Remembered {
    pub status: Status,
    pub item_id: Uuid,
    pub version_id: Uuid,
    pub version_num: i32,
    pub chunk_count: usize,
    /// The job that will chunk it, where that is left for later.
    pub ingest_job: Option<i64>,
    /// Keys and passwords that the content has, or had.
    pub secrets: Secrets,
}

/// Whether something was written.
#[derive(Clone, Copy)]
pub enum Status {
    Created,
    Updated,
    Unchanged,
    Restored,
}

impl Status {
    /// The word in the result.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Unchanged => "unchanged",
            Self::Restored => "restored",
        }
    }
}

/// Keys are in an index, whose entries are limited by the size of a page.
const LONGEST_KEY: usize = 1000;

/// Why a memory cannot be stored.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("content is empty")]
    Empty,
    #[error("content has {size} bytes, the limit is {limit}")]
    TooLarge { size: usize, limit: usize },
    #[error("{0} must not be empty")]
    EmptyArgument(&'static str),
    #[error("{0} must not have more than {LONGEST_KEY} bytes")]
    KeyTooLong(&'static str),
    #[error("source_system and source_id go together")]
    HalfASource,
    #[error("tags must not contain null or empty strings")]
    BadTag,
    #[error("participants must not contain null or empty strings")]
    BadParticipant,
    #[error("metadata must be a JSON object")]
    MetadataNotObject,
    #[error("{argument} must be one of {}", .known.join(", "))]
    UnknownWord { argument: &'static str, known: &'static [&'static str] },
    #[error(transparent)]
    Retention(#[from] RetentionError),
    #[error(transparent)]
    Secret(#[from] SecretError),
    #[error(transparent)]
    Access(#[from] AccessError),
    #[error(transparent)]
    Statement(#[from] StatementError),
}

reported!(StoreError);

impl Failure for StoreError {
    passed_on!(Secret, Access, Statement);

    fn sqlstate(&self) -> PgSqlErrorCode {
        match self {
            Self::TooLarge { .. } => PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED,
            _ => PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::TooLarge { .. } => "CONTENT_TOO_LARGE",
            _ => "VALIDATION_ERROR",
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Empty => Some("give text with at least one character that is not white space".into()),
            Self::TooLarge { .. } => {
                Some("split the document, or let a superuser raise memento.max_content_size".into())
            }
            Self::EmptyArgument(name) => Some(format!("leave {name} out to use its default")),
            Self::KeyTooLong(_) => Some("use a hash of it, and keep the long form in metadata".into()),
            Self::HalfASource => Some("give both, or neither".into()),
            Self::BadTag => Some("for example: tags => array['runbook', 'payments']".into()),
            Self::BadParticipant => {
                Some("for example: participants => array['ana@example.com', 'Tom']".into())
            }
            Self::UnknownWord { argument, .. } => Some(format!("leave {argument} out to use its default")),
            Self::Retention(_) => Some("for example: retention => '1y'".into()),
            Self::MetadataNotObject => Some("for example: metadata => '{\"author\": \"ana\"}'".into()),
            _ => None,
        }
    }
}

/// Stores a memory in the session's project. The same source with the same content changes nothing, with
/// another content it is a new version of the same item.
pub fn remember(memory: NewMemory) -> Result<Remembered, StoreError> {
    let project = authorize_current(AccessLevel::Write)?;
    let remembered = remember_in(project, memory, audit("remember", None))?;
    record("remember", || remembered.to_json())?;
    Ok(remembered)
}

/// What the caller's versions are written by.
pub fn audit(operation: &'static str, commit: Option<Uuid>) -> Audit {
    Audit { commit, role: ffi::identity::current_role(), operation }
}

/// The same, for a project that the caller may write to, as part of a commit.
pub fn remember_in(project: Uuid, memory: NewMemory, audit: Audit) -> Result<Remembered, StoreError> {
    let screened = screened(project, memory)?;
    let remembered = as_owner(|| write(project, &screened.memory(), audit))?;
    Ok(Remembered { secrets: screened.secrets, ..remembered })
}

/// A memory that was checked, as it may be stored.
pub struct Screened<'a> {
    given: NewMemory<'a>,
    content: Cow<'a, str>,
    title: Option<Cow<'a, str>>,
    /// The keys and passwords that it has, or had.
    pub secrets: Secrets,
}

impl Screened<'_> {
    /// The memory without what must not be stored.
    pub fn memory(&self) -> NewMemory<'_> {
        NewMemory { content: &self.content, title: self.title.as_deref(), ..self.given.clone() }
    }
}

/// Checks a memory, and looks for secrets in all that is free text.
pub fn screened(project: Uuid, memory: NewMemory<'_>) -> Result<Screened<'_>, StoreError> {
    check(&memory)?;
    let mut screen = Screen::of_project(project)?;
    let (content, title) = (screen.text(memory.content)?, screen.optional(memory.title)?);
    let metadata = screen.json(memory.metadata.clone())?;
    let secrets = screen.into_found();
    Ok(Screened { given: NewMemory { metadata, ..memory }, content, title, secrets })
}

/// How a memory is to be treated, from the words that a user gives; null is the default.
pub fn classification<'a>(
    scope: Option<&str>,
    doc_class: Option<&'a str>,
    sensitivity: Option<&str>,
    visibility: Option<&str>,
    retention: Option<&str>,
) -> Result<Classification<'a>, StoreError> {
    if doc_class.is_some_and(|class| class.trim().is_empty()) {
        return Err(StoreError::EmptyArgument("doc_class"));
    }
    let unknown = |argument, known| move || StoreError::UnknownWord { argument, known };
    Ok(Classification {
        scope: scope
            .map_or(Some(Scope::Project), Scope::from_word)
            .ok_or_else(unknown("scope", Scope::WORDS))?,
        doc_class,
        sensitivity: sensitivity
            .map_or(Some(Sensitivity::Normal), Sensitivity::from_word)
            .ok_or_else(unknown("sensitivity", Sensitivity::WORDS))?,
        visibility: visibility
            .map_or(Some(Visibility::Me), Visibility::from_word)
            .ok_or_else(unknown("visibility", Visibility::WORDS))?,
        retention: retention.unwrap_or("forever").parse()?,
    })
}

fn check(memory: &NewMemory) -> Result<(), StoreError> {
    let (size, limit) = (memory.content.len(), gucs::max_content_bytes());
    if size > limit {
        return Err(StoreError::TooLarge { size, limit });
    }
    if memory.content.trim().is_empty() {
        return Err(StoreError::Empty);
    }
    if memory.kind.trim().is_empty() {
        return Err(StoreError::EmptyArgument("kind"));
    }
    for (name, value) in [
        ("title", memory.title),
        ("source_url", memory.origin.url),
        ("author", memory.origin.author),
        ("source_system", memory.origin.system),
    ] {
        if value.is_some_and(|value| value.trim().is_empty()) {
            return Err(StoreError::EmptyArgument(name));
        }
    }
    match memory.identity {
        Some(Identity::Source { system, id }) if system.is_empty() || id.is_empty() => {
            return Err(StoreError::EmptyArgument("source_system and source_id"));
        }
        Some(Identity::Canonical(key)) if key.trim().is_empty() => {
            return Err(StoreError::EmptyArgument("canonical_key"));
        }
        Some(Identity::Source { system, id }) if system.len().max(id.len()) > LONGEST_KEY => {
            return Err(StoreError::KeyTooLong("source_system and source_id"));
        }
        Some(Identity::Canonical(key)) if key.len() > LONGEST_KEY => {
            return Err(StoreError::KeyTooLong("canonical_key"));
        }
        _ => {}
    }
    if memory.tags.iter().any(|tag| tag.trim().is_empty()) {
        return Err(StoreError::BadTag);
    }
    if memory.origin.participants.iter().any(|name| name.trim().is_empty()) {
        return Err(StoreError::BadParticipant);
    }
    if !memory.metadata.is_object() {
        return Err(StoreError::MetadataNotObject);
    }
    Ok(())
}

/// Writes what has been checked, as the owner: an item or the next version of one, or nothing.
pub fn write(project: Uuid, memory: &NewMemory, audit: Audit) -> spi::StatementResult<Remembered> {
    let content = memory.content;
    let (status, item, version_num) = match known_or_new(project, memory)? {
        Claim::New(item_id) => (Status::Created, KnownItem { item_id, kind: memory.kind.to_owned() }, 1),
        Claim::Known(item) => match store::latest_version(project, item.item_id, content)? {
            Some(latest) if latest.is_same_content => {
                return Ok(Remembered {
                    status: Status::Unchanged,
                    item_id: item.item_id,
                    version_id: latest.version_id,
                    version_num: latest.version_num,
                    chunk_count: store::count_chunks(project, latest.version_id)?,
                    ingest_job: None,
                    secrets: Secrets::new(),
                });
            }
            latest => (Status::Updated, item, latest.map_or(1, |latest| latest.version_num + 1)),
        },
    };
    let Written { version_id, chunk_count, ingest_job } =
        write_version(project, &item, version_num, content, audit)?;
    let secrets = Secrets::new();
    Ok(Remembered {
        status,
        item_id: item.item_id,
        version_id,
        version_num,
        chunk_count,
        ingest_job,
        secrets,
    })
}

/// What a version is to be written to.
enum Claim {
    New(Uuid),
    Known(KnownItem),
}

/// The item of the memory's identity, locked, or a new one. Whoever writes the same identity for the first time at the same
/// moment waits for the other in the insert, and finds the item then.
fn known_or_new(project: Uuid, memory: &NewMemory) -> spi::StatementResult<Claim> {
    loop {
        if let Some(identity) = memory.identity
            && let Some(known) = store::lock_item(project, identity)?
        {
            return Ok(Claim::Known(known));
        }
        if let Some(item) = store::insert_item(project, memory)? {
            return Ok(Claim::New(item));
        }
        ffi::server::check_for_interrupts();
    }
}

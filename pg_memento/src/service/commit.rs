//! Several memories written together, once, and the sessions that they belong to.

use memento_core::access::AccessLevel;
use pgrx::Uuid;
use pgrx::prelude::*;
use serde_json::{Value, json};

use super::access::{AccessError, as_owner, authorize_current};
use super::memory::{self, Remembered, Status, StoreError};
use super::secret::{Screen, SecretError};
use crate::error::{Failure, StatementError, reported};
use crate::ffi;
use crate::ffi::jsonb::Jsonb;
use crate::spi;
use crate::spi::commit::{BadValue, ENTRY_KEYS, Entry, Request};
use crate::spi::store::{Audit, Identity, NewMemory, Origin};

/// The most entries of one commit: it is one transaction, and its locks are held to the end.
pub const MAX_ENTRIES: i32 = 1000;

/// Longer ones are content.
const LONGEST_KEY: usize = 200;

/// Why a commit or a session cannot be.
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    #[error("entries must be a JSON array of 1 to {MAX_ENTRIES} objects")]
    NotEntries,
    #[error("unknown keys in entries: {}", .0.join(", "))]
    UnknownKeys(Vec<String>),
    #[error("entry {number}: {key} must be {expected}")]
    BadValue { number: i32, key: String, expected: String },
    #[error("idempotency_key must have 1 to {LONGEST_KEY} characters")]
    BadKey,
    #[error("idempotency_key was used for another request")]
    KeyReused,
    #[error("entry {number}: {reason}")]
    BadEntry { number: usize, reason: StoreError },
    #[error("session {0} does not exist in this project")]
    NoSession(Uuid),
    #[error("session {0} has ended")]
    SessionEnded(Uuid),
    #[error("metadata must be a JSON object")]
    MetadataNotObject,
    #[error(transparent)]
    Secret(#[from] SecretError),
    #[error(transparent)]
    Access(#[from] AccessError),
    #[error(transparent)]
    Statement(#[from] StatementError),
}

reported!(CommitError);

impl Failure for CommitError {
    fn inner(&self) -> Option<&dyn Failure> {
        match self {
            Self::BadEntry { reason, .. } => Some(reason),
            Self::Secret(error) => Some(error),
            Self::Access(error) => Some(error),
            Self::Statement(error) => Some(error),
            _ => None,
        }
    }

    fn sqlstate(&self) -> PgSqlErrorCode {
        match self {
            Self::KeyReused => PgSqlErrorCode::ERRCODE_UNIQUE_VIOLATION,
            Self::NoSession(_) => PgSqlErrorCode::ERRCODE_NO_DATA_FOUND,
            Self::SessionEnded(_) => PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
            _ => PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::KeyReused => "IDEMPOTENCY_CONFLICT",
            Self::NoSession(_) => "SESSION_NOT_FOUND",
            Self::SessionEnded(_) => "SESSION_ENDED",
            _ => "VALIDATION_ERROR",
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::NotEntries | Self::BadValue { .. } => {
                Some(r#"for example: '[{"content": "We deploy on Tuesdays.", "kind": "decision"}]'"#.into())
            }
            Self::UnknownKeys(_) => Some(format!("known keys: {}", ENTRY_KEYS.join(", "))),
            Self::BadKey => Some("a uuid is a good key".into()),
            Self::KeyReused => Some("use a new key for a new request".into()),
            Self::NoSession(_) | Self::SessionEnded(_) => {
                Some("begin one: select memento.sessions_start()".into())
            }
            Self::MetadataNotObject => Some("for example: metadata => '{\"agent\": \"planner\"}'".into()),
            _ => None,
        }
    }
}

/// Writes all entries or none. The same key with the same request gives the first result again and writes nothing.
pub fn commit(request: &Request) -> Result<Jsonb, CommitError> {
    check(request)?;
    let project = authorize_current(AccessLevel::Write)?;
    let role = ffi::identity::current_role();
    // Before the session is looked at: it may have ended since the first time.
    if request.idempotency_key.is_some()
        && let Some((result, is_same)) = as_owner(|| spi::commit::first_result(project, request))?
    {
        return if is_same { Ok(result) } else { Err(CommitError::KeyReused) };
    }
    if let Some(session) = request.session {
        match as_owner(|| spi::commit::session_is_open(project, session))? {
            None => return Err(CommitError::NoSession(session)),
            Some(false) => return Err(CommitError::SessionEnded(session)),
            Some(true) => {}
        }
    }
    let message = Screen::of_project(project)?.optional(request.message)?;
    let Some(commit) = as_owner(|| spi::commit::begin(project, role, request, message.as_deref()))? else {
        return match as_owner(|| spi::commit::first_result(project, request))? {
            Some((result, true)) => Ok(result),
            _ => Err(CommitError::KeyReused),
        };
    };
    let entries = spi::commit::entries(request.entries)?;
    let memories = entries
        .iter()
        .enumerate()
        .map(|(number, entry)| new_memory(entry).map_err(|reason| CommitError::BadEntry { number, reason }))
        .collect::<Result<Vec<_>, _>>()?;
    let results = write(project, memories, memory::audit("commit", Some(commit)))?;
    if results.iter().all(|remembered| remembered.version_is_old()) {
        // Nothing was written that it could be about, and nothing that would take it along when it is forgotten.
        as_owner(|| spi::commit::silence(project, commit))?;
    }
    let results: Vec<Value> = results.iter().map(Remembered::to_json).collect();
    let result: Jsonb =
        json!({"commit_id": commit.to_string(), "replayed": false, "results": results}).into();
    if request.idempotency_key.is_some() {
        as_owner(|| spi::commit::finish(project, commit, result.clone()))?;
    }
    Ok(result)
}

fn check(request: &Request) -> Result<(), CommitError> {
    if request.idempotency_key.is_some_and(|key| key.trim().is_empty() || key.chars().count() > LONGEST_KEY) {
        return Err(CommitError::BadKey);
    }
    if !spi::commit::is_entries(request.entries, MAX_ENTRIES)? {
        return Err(CommitError::NotEntries);
    }
    if let Some(BadValue { number, key, expected }) = spi::commit::bad_value(request.entries)? {
        return Err(CommitError::BadValue { number, key, expected });
    }
    match spi::commit::unknown_keys(request.entries)? {
        unknown if unknown.is_empty() => Ok(()),
        unknown => {
            Err(CommitError::UnknownKeys(unknown.iter().map(|key| key.chars().take(80).collect()).collect()))
        }
    }
}

/// Writes them in one order for everybody, so that two commits with the same sources do not wait for each other in a circle;
/// the results are in the order of the entries.
fn write(project: Uuid, memories: Vec<NewMemory>, audit: Audit) -> Result<Vec<Remembered>, CommitError> {
    let mut in_order: Vec<(usize, NewMemory)> = memories.into_iter().enumerate().collect();
    in_order.sort_by_key(|(number, memory)| (memory.identity, *number));
    let mut results = in_order
        .into_iter()
        .map(|(number, memory)| {
            ffi::server::check_for_interrupts();
            let remembered = memory::remember_in(project, memory, audit);
            remembered.map(|done| (number, done)).map_err(|reason| CommitError::BadEntry { number, reason })
        })
        .collect::<Result<Vec<_>, _>>()?;
    results.sort_by_key(|(number, _)| *number);
    Ok(results.into_iter().map(|(_, remembered)| remembered).collect())
}

fn new_memory(entry: &Entry) -> Result<NewMemory<'_>, StoreError> {
    let identity = match (&entry.source_system, &entry.source_id) {
        (Some(system), Some(id)) => Some(Identity::Source { system, id }),
        (None, None) => None,
        _ => return Err(StoreError::HalfASource),
    };
    let whole =
        |list: Option<Vec<Option<String>>>| list.unwrap_or_default().into_iter().collect::<Option<Vec<_>>>();
    let classification = memory::classification(
        entry.scope.as_deref(),
        entry.doc_class.as_deref(),
        entry.sensitivity.as_deref(),
        entry.visibility.as_deref(),
        entry.retention.as_deref(),
    )?;
    Ok(NewMemory {
        content: entry.content.as_deref().ok_or(StoreError::Empty)?,
        title: entry.title.as_deref(),
        kind: entry.kind.as_deref().unwrap_or("note"),
        tags: whole(entry.tags.clone()).ok_or(StoreError::BadTag)?,
        identity,
        metadata: entry.metadata.clone().unwrap_or_else(|| json!({}).into()),
        origin: Origin {
            system: None,
            url: entry.source_url.as_deref(),
            author: entry.author.as_deref(),
            participants: whole(entry.participants.clone()).ok_or(StoreError::BadParticipant)?,
        },
        class: classification,
    })
}

impl Remembered {
    /// Whether nothing was written.
    fn version_is_old(&self) -> bool {
        matches!(self.status, Status::Unchanged)
    }

    /// As the user sees it.
    pub fn to_json(&self) -> Value {
        let mut seen = json!({
            "status": self.status.as_str(),
            "item_id": self.item_id.to_string(),
            "version_id": self.version_id.to_string(),
            "version_num": self.version_num,
            "chunks": self.chunk_count,
        });
        if let Some(job) = self.ingest_job {
            seen["chunking"] = json!("pending");
            seen["job_id"] = json!(job);
        }
        if !self.secrets.is_empty() {
            seen["secrets"] = json!(self.secrets);
        }
        seen
    }
}

/// Begins a session in the session's project.
pub fn start_session(title: Option<&str>, metadata: Jsonb) -> Result<Jsonb, CommitError> {
    if !metadata.is_object() {
        return Err(CommitError::MetadataNotObject);
    }
    let project = authorize_current(AccessLevel::Write)?;
    let role = ffi::identity::current_role();
    let mut screen = Screen::of_project(project)?;
    let (title, metadata) = (screen.optional(title)?, screen.json(metadata)?);
    let started = as_owner(|| spi::commit::start_session(project, role, title.as_deref(), metadata))?;
    started.ok_or_else(|| StatementError::from(pgrx::spi::Error::InvalidPosition).into())
}

/// Ends it; ending it again changes only the summary.
pub fn end_session(session: Uuid, summary: Option<&str>) -> Result<Jsonb, CommitError> {
    let project = authorize_current(AccessLevel::Write)?;
    let summary = Screen::of_project(project)?.optional(summary)?;
    as_owner(|| spi::commit::end_session(project, session, summary.as_deref()))?
        .ok_or(CommitError::NoSession(session))
}

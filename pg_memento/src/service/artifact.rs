//! Artifacts: documents of other systems, ingested revision by revision.

pub mod search;

use memento_core::access::AccessLevel;
use memento_core::memory_kind::ArtifactType;
use memento_core::token;
use pgrx::Uuid;
use pgrx::prelude::*;
use serde_json::{Value, json};

use super::access::{AccessError, as_owner, authorize_current};
use super::erase::{self, EraseError};
use super::extract::enqueue;
use super::memory::{self, Remembered, Status, StoreError};
use super::search::SearchError;
use super::text::int;
use crate::error::{Failure, StatementError, passed_on, reported};
use crate::ffi::jsonb::Jsonb;
use crate::ffi::server::check_for_interrupts;
use crate::spi;
use crate::spi::artifact::{Name, NewRevision, Wanted};
use crate::spi::erase::Doomed;
use crate::spi::store::{Classification, Identity, NewMemory, Origin};

/// What is not longer than this is one piece, and its chunks have no names of their own.
const SINGLE_PIECE_TOKENS: usize = 1200;

/// Why something cannot be done with an artifact.
#[derive(Debug, thiserror::Error)]
pub enum ArtifactError {
    #[error("artifact_type must be one of {}", ArtifactType::WORDS.join(", "))]
    UnknownType,
    #[error("an artifact is named by art_..., uid_... or the id of its item")]
    BadName,
    #[error("artifact {0} does not exist in this project")]
    NoArtifact(String),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Erase(#[from] EraseError),
    #[error(transparent)]
    Search(#[from] SearchError),
    #[error(transparent)]
    Access(#[from] AccessError),
    #[error(transparent)]
    Statement(#[from] StatementError),
}

reported!(ArtifactError);

impl Failure for ArtifactError {
    passed_on!(Store, Erase, Search, Access, Statement);

    fn sqlstate(&self) -> PgSqlErrorCode {
        match self {
            Self::NoArtifact(_) => PgSqlErrorCode::ERRCODE_NO_DATA_FOUND,
            _ => PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::NoArtifact(_) => "ARTIFACT_NOT_FOUND",
            _ => "VALIDATION_ERROR",
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::UnknownType => Some("for example: artifact_type => 'doc'".into()),
            Self::BadName | Self::NoArtifact(_) => Some("artifact_ingest() returns its names".into()),
            _ => None,
        }
    }
}

/// An artifact as it is given to be ingested.
pub struct NewArtifact<'a> {
    pub artifact_type: &'a str,
    pub system: &'a str,
    pub id: Option<&'a str>,
    pub content: &'a str,
    pub title: Option<&'a str>,
    pub url: Option<&'a str>,
    pub author: Option<&'a str>,
    pub participants: Vec<String>,
    pub source_ts: Option<TimestampWithTimeZone>,
    pub class: Classification<'a>,
}

/// Ingests a content. One that the artifact has or had is not a new revision and is not asked about again; one that it had
/// becomes the latest again.
pub fn ingest(new: NewArtifact) -> Result<Jsonb, ArtifactError> {
    let kind = ArtifactType::from_word(new.artifact_type).ok_or(ArtifactError::UnknownType)?.as_str();
    let project = authorize_current(AccessLevel::Write)?;
    let memory = NewMemory {
        content: new.content,
        title: new.title,
        kind,
        tags: Vec::new(),
        identity: new.id.map(|id| Identity::Source { system: new.system, id }),
        metadata: json!({}).into(),
        origin: Origin {
            system: Some(new.system),
            url: new.url,
            author: new.author,
            participants: new.participants,
        },
        class: new.class,
    };
    let screened = memory::screened(project, memory)?;
    let memory = screened.memory();
    let tokens = token::count_interruptibly(memory.content, check_for_interrupts);
    let audit = memory::audit("artifact", None);
    let mut seen = as_owner(|| {
        let remembered = memory::write(project, &memory, audit)?;
        let revision = NewRevision {
            version: remembered.version_id,
            artifact_type: kind,
            source_ts: new.source_ts,
            token_count: int(tokens),
            is_chunked: tokens > SINGLE_PIECE_TOKENS,
        };
        record(project, &memory, remembered, &revision)
    })?;
    if !screened.secrets.is_empty() {
        seen["secrets"] = json!(screened.secrets);
    }
    Ok(seen.into())
}

fn record(
    project: Uuid,
    memory: &NewMemory,
    remembered: Remembered,
    new: &NewRevision,
) -> spi::StatementResult<Value> {
    let revision = spi::artifact::record(project, new)?
        .ok_or_else(|| StatementError::from(pgrx::spi::Error::InvalidPosition))?;
    if matches!(remembered.status, Status::Updated) {
        spi::artifact::describe(project, remembered.item_id, memory)?;
    }
    let chunks = if new.is_chunked {
        spi::artifact::chunk_names(project, remembered.version_id, &revision.artifact_id)?
    } else {
        Vec::new()
    };
    let job = revision
        .is_new
        .then(|| enqueue(project, new.version, &revision.artifact_uid, &revision.revision_id))
        .transpose()?;
    let status = match (revision.is_new, remembered.status) {
        (false, _) => Status::Unchanged,
        (true, Status::Created) => Status::Created,
        (true, _) => Status::Updated,
    };
    let stored: Vec<&String> = std::iter::once(&revision.artifact_id).chain(&chunks).collect();
    let mut seen = json!({
        "artifact_id": revision.artifact_id,
        "artifact_uid": revision.artifact_uid,
        "revision_id": revision.revision_id,
        "is_chunked": new.is_chunked,
        "num_chunks": chunks.len(),
        "stored_ids": stored,
        "job_id": job,
        "job_status": if job.is_some() { "PENDING" } else { "N/A" },
        "status": status.as_str(),
        "item_id": remembered.item_id.to_string(),
        "version_id": remembered.version_id.to_string(),
        "version_num": remembered.version_num,
    });
    if let Some(job) = remembered.ingest_job {
        seen["chunking"] = json!("pending");
        seen["ingest_job_id"] = json!(job);
    }
    Ok(seen)
}

/// The artifact that a text names.
pub fn name(given: &str) -> Result<Name, ArtifactError> {
    if given.starts_with("art_") {
        Ok(Name::Revision(given.to_owned()))
    } else if given.starts_with("uid_") {
        Ok(Name::Artifact(given.to_owned()))
    } else {
        let item = uuid::Uuid::try_parse(given).map_err(|_| ArtifactError::BadName)?;
        Ok(Name::Item(Uuid::from_bytes(*item.as_bytes())))
    }
}

/// There is none of that name.
pub fn missing(given: &str) -> ArtifactError {
    ArtifactError::NoArtifact(given.chars().take(80).collect())
}

/// An artifact: the revision that is named, or the latest.
pub fn get(
    given: &str,
    revision_id: Option<&str>,
    with_content: bool,
    with_chunks: bool,
) -> Result<Jsonb, ArtifactError> {
    let name = name(given)?;
    let project = authorize_current(AccessLevel::Read)?;
    let wanted = Wanted { name: &name, revision_id, with_content, with_chunks };
    as_owner(|| spi::artifact::get(project, &wanted))?.ok_or_else(|| missing(given))
}

/// Erases an artifact with all its revisions.
pub fn delete(given: &str) -> Result<Jsonb, ArtifactError> {
    let name = name(given)?;
    let project = authorize_current(AccessLevel::Write)?;
    let (item, uid, revisions) =
        as_owner(|| spi::artifact::find(project, &name))?.ok_or_else(|| missing(given))?;
    let receipt = erase::forget(&Doomed { item: Some(item), ..Doomed::default() })?;
    let mut seen = receipt.parse().unwrap_or_else(|_| json!({}));
    seen["deleted"] = json!(true);
    seen["artifact_id"] = json!(given);
    seen["artifact_uid"] = json!(uid);
    seen["revisions"] = json!(revisions);
    Ok(seen.into())
}

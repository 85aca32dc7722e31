//! Looking for events in documents: asking for it, what became of it, and how it is done.

use memento_core::access::AccessLevel;
use memento_core::event::prompt::{Purpose, SYSTEM, Template, TemplateError};
use memento_core::token;
use pgrx::Uuid;
use pgrx::prelude::*;
use serde_json::{Value, json};

use super::access::{AccessError, as_owner, authorize_current};
use super::chat_profile::{self, ChatProfileError, RULES};
use super::event::{self, EventError};
use super::worker::wake_at_commit;
use crate::error::{Failure, StatementError, passed_on, reported};
use crate::ffi::jsonb::Jsonb;
use crate::spi::event::Revision;
use crate::spi::extract::ExtractionJob;
use crate::spi::job::NewJob;
use crate::{ffi, spi};

/// What an estimate reckons with: the size of a passage, how much text there is for each event, and how long one is in an answer.
const PASSAGE_TOKENS: i64 = 900;
const TOKENS_PER_EVENT: i64 = 100;
const EVENT_TOKENS: i64 = 120;

/// So many events are put together by one call.
const EVENTS_TOGETHER: i64 = 40;

/// Why events are not looked for.
#[derive(Debug, thiserror::Error)]
pub enum ExtractError {
    #[error("no job looks for events in artifact {0}")]
    NoJob(String),
    #[error("name must be one of {}", Purpose::WORDS.join(", "))]
    UnknownPrompt,
    #[error(transparent)]
    Template(#[from] TemplateError),
    #[error(transparent)]
    Event(#[from] EventError),
    #[error(transparent)]
    Profile(#[from] ChatProfileError),
    #[error(transparent)]
    Access(#[from] AccessError),
    #[error(transparent)]
    Statement(#[from] StatementError),
}

reported!(ExtractError);

impl Failure for ExtractError {
    passed_on!(Event, Profile, Access, Statement);

    fn sqlstate(&self) -> PgSqlErrorCode {
        match self {
            Self::NoJob(_) => PgSqlErrorCode::ERRCODE_NO_DATA_FOUND,
            _ => PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::NoJob(_) => "JOB_NOT_FOUND",
            _ => "VALIDATION_ERROR",
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::NoJob(_) => Some("ask for one with memento.event_reextract(artifact_uid)".into()),
            Self::UnknownPrompt => Some("for example: memento.set_extraction_prompt('extract', ...)".into()),
            Self::Template(_) => {
                Some("see the built-in ones in memento.extraction_prompts(); null goes back to them".into())
            }
            _ => None,
        }
    }
}

/// Asks for a job that looks for events in a version, one at a time for each revision.
pub fn enqueue(
    project: Uuid,
    version: Uuid,
    artifact_uid: &str,
    revision_id: &str,
) -> spi::StatementResult<i64> {
    let key = format!("{artifact_uid}:{revision_id}");
    let payload = json!({"artifact_uid": artifact_uid, "revision_id": revision_id}).into();
    let job = NewJob { kind: "extract_events", version: Some(version), dedup_key: Some(&key), payload };
    spi::job::enqueue(project, job)
}

/// Looks for events in a revision again. What was found before stays until that is done.
pub fn reextract(given: &str, revision_id: Option<&str>, force: bool) -> Result<Value, ExtractError> {
    let project = authorize_current(AccessLevel::Write)?;
    let revision = event::revision(project, given, revision_id)?;
    let known = as_owner(|| spi::extract::job(project, revision.version))?;
    let state = known.as_ref().map(|known| known.state.as_str());
    if let (Some(known), Some("pending" | "running" | "done"), false) = (&known, state, force) {
        let message = match state {
            Some("done") => "events were looked for already (use force => true to look again)",
            _ => "job already in progress (use force => true to run it once more)",
        };
        return Ok(asked(&revision, known.job, status_of(&known.state), message));
    }
    let job = as_owner(|| {
        let job = enqueue(project, revision.version, &revision.artifact_uid, &revision.revision_id)?;
        spi::extract::hurry(project, job).map(|()| job)
    })?;
    wake_at_commit();
    let message = match state {
        Some("running") => "job runs once more when it is done (force => true)",
        Some("pending") => "job reset and re-enqueued (force => true)",
        _ => "re-extraction job enqueued",
    };
    let status = if state == Some("running") { "PROCESSING" } else { "PENDING" };
    Ok(asked(&revision, job, status, message))
}

fn asked(revision: &Revision, job: i64, status: &str, message: &str) -> Value {
    json!({
        "job_id": job,
        "artifact_uid": revision.artifact_uid,
        "revision_id": revision.revision_id,
        "status": status,
        "message": message,
    })
}

fn status_of(state: &str) -> &'static str {
    match state {
        "pending" => "PENDING",
        "running" => "PROCESSING",
        "done" => "DONE",
        _ => "FAILED",
    }
}

/// What became of the newest job of a revision.
pub fn status(given: &str, revision_id: Option<&str>) -> Result<Value, ExtractError> {
    let project = authorize_current(AccessLevel::Read)?;
    let revision = event::revision(project, given, revision_id)?;
    let found: Option<ExtractionJob> = as_owner(|| spi::extract::job(project, revision.version))?;
    let job = found.ok_or_else(|| ExtractError::NoJob(revision.artifact_uid.clone()))?;
    let mut seen = job.seen.parse().unwrap_or_else(|_| json!({}));
    seen["artifact_uid"] = json!(revision.artifact_uid);
    seen["revision_id"] = json!(revision.revision_id);
    Ok(seen)
}

/// Lets the documents of the session's project be read by a chat profile, or by rules.
pub fn set_extractor(name: Option<&str>) -> Result<Value, ExtractError> {
    let project = authorize_current(AccessLevel::Admin)?;
    let name = name.filter(|name| *name != RULES);
    let profile = name.map(chat_profile::find).transpose()?;
    let waiting = as_owner(|| spi::extract::set_profile(project, profile))?;
    wake_at_commit();
    Ok(json!({"extractor": name.unwrap_or(RULES), "waiting_jobs": waiting}))
}

/// Overrides a prompt in the session's project; none goes back to the built-in one.
pub fn set_prompt(name: &str, template: Option<&str>) -> Result<Value, ExtractError> {
    let purpose = Purpose::from_word(name).ok_or(ExtractError::UnknownPrompt)?;
    template.map(|text| Template::try_new(purpose, text)).transpose()?;
    let project = authorize_current(AccessLevel::Admin)?;
    let role = ffi::identity::current_role();
    let version = as_owner(|| spi::extract::set_prompt(project, name, template, role))?;
    Ok(json!({"name": name, "version": version, "is_built_in": template.is_none()}))
}

/// The prompts of the session's project.
pub fn prompts() -> Result<Jsonb, ExtractError> {
    let project = authorize_current(AccessLevel::Read)?;
    let own = as_owner(|| spi::extract::prompts(project))?;
    let shown: Vec<Value> = Purpose::WORDS
        .iter()
        .filter_map(|word| Purpose::from_word(word))
        .map(|purpose| {
            let found = own.iter().find(|prompt| prompt.name == purpose.as_str());
            let template = found.and_then(|prompt| prompt.template.as_deref());
            json!({
                "name": purpose.as_str(),
                "version": found.filter(|_| template.is_some()).map_or(0, |prompt| prompt.version),
                "is_built_in": template.is_none(),
                "template": template.unwrap_or(purpose.default_text()),
            })
        })
        .collect();
    Ok(json!(shown).into())
}

/// What reading a revision would cost, or the latest revisions of the whole project.
pub fn estimate(given: Option<&str>, revision_id: Option<&str>) -> Result<Value, ExtractError> {
    let project = authorize_current(AccessLevel::Read)?;
    let version = given.map(|given| event::revision(project, given, revision_id)).transpose()?;
    let size = as_owner(|| spi::extract::size(project, version.map(|revision| revision.version)))?;
    let (documents, tokens) = size.map_or((0, 0), |size| (size.documents, size.tokens));
    let Some((profile, model)) = as_owner(|| spi::extract::model(project))? else {
        return Ok(json!({"extractor": RULES, "documents": documents, "text_tokens": tokens,
                         "model_calls": 0, "input_tokens": 0, "output_tokens": 0}));
    };
    let prompts = as_owner(|| spi::extract::prompts(project))?;
    let told = |purpose: Purpose| {
        let own = prompts.iter().find(|prompt| prompt.name == purpose.as_str());
        let text = own.and_then(|prompt| prompt.template.as_deref()).unwrap_or(purpose.default_text());
        (token::count(SYSTEM) + token::count(text)) as i64
    };
    // Passages are cut near their target; a document has one at least. What is found in more than one is put together by other calls.
    let passages = (tokens + PASSAGE_TOKENS - 1).div_euclid(PASSAGE_TOKENS).max(documents);
    let found = tokens / TOKENS_PER_EVENT;
    let together = match documents.min(passages - documents) {
        0 => 0,
        several => several.max((found + EVENTS_TOGETHER - 1).div_euclid(EVENTS_TOGETHER)),
    };
    Ok(json!({
        "extractor": profile,
        "model": model,
        "documents": documents,
        "text_tokens": tokens,
        "model_calls": passages + together,
        "input_tokens": tokens + passages * told(Purpose::Extract) + together * told(Purpose::Canonicalise) + found * EVENT_TOKENS,
        "output_tokens": 2 * found * EVENT_TOKENS,
    }))
}

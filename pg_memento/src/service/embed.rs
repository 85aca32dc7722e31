//! Vectors for a caller who waits for them: a query, or `memento.embed()`.

use std::path::Path;
use std::sync::mpsc::channel;
use std::time::Duration;

use memento_core::access::AccessLevel;
use memento_worker::model_socket::{Call, Request, Response};
use memento_worker::models::Models;
use memento_worker::provider::{Code, EmbedRequest, ProviderError, Purpose, check_vectors};
use memento_worker::store::Profile;
use pgrx::prelude::*;

use super::access::{AccessError, as_owner, authorize_current};
use super::models::{MODEL_SOCKET, MODEL_TIME, ServerModels};
use crate::error::{Failure, StatementError, passed_on, reported};
use crate::ffi;
use crate::spi;

/// How often a wait looks for a cancelled statement.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// More texts are work for the queue.
const MOST_TEXTS: usize = 256;

/// Why there are no vectors.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    #[error("the project has no active embedding profile")]
    NoProfile,
    #[error("texts must not contain null or blank strings")]
    BlankText,
    #[error("more than {MOST_TEXTS} texts")]
    TooMany,
    #[error("purpose must be query or document")]
    UnknownPurpose,
    #[error(transparent)]
    Provider(#[from] ProviderError),
    #[error(transparent)]
    Access(#[from] AccessError),
    #[error(transparent)]
    Statement(#[from] StatementError),
}

reported!(EmbedError);

impl Failure for EmbedError {
    passed_on!(Provider, Access, Statement);

    fn sqlstate(&self) -> PgSqlErrorCode {
        match self {
            Self::NoProfile => PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
            Self::TooMany => PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED,
            _ => PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::NoProfile => "NO_PROFILE",
            _ => "VALIDATION_ERROR",
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::NoProfile => Some("select memento.embedding_profiles_activate('local')".into()),
            Self::BlankText => Some("leave them out".into()),
            Self::TooMany => Some("memories are embedded by the queue: use memento.remember()".into()),
            Self::UnknownPurpose => Some("leave it out for query".into()),
            Self::Provider(_) | Self::Access(_) | Self::Statement(_) => None,
        }
    }
}

/// Vectors of texts by the model of the session's project.
pub fn embed(texts: Vec<Option<String>>, purpose: &str) -> Result<Vec<Vec<f32>>, EmbedError> {
    let purpose = match purpose {
        "query" => Purpose::Query,
        "document" => Purpose::Document,
        _ => return Err(EmbedError::UnknownPurpose),
    };
    if texts.len() > MOST_TEXTS {
        return Err(EmbedError::TooMany);
    }
    let texts = texts
        .into_iter()
        .map(|text| text.filter(|text| !text.trim().is_empty()).ok_or(EmbedError::BlankText))
        .collect::<Result<Vec<_>, _>>()?;
    let project = authorize_current(AccessLevel::Read)?;
    let profile = as_owner(|| spi::profile::active(project, None))?.ok_or(EmbedError::NoProfile)?;
    if texts.is_empty() {
        return Ok(Vec::new());
    }
    Ok(vectors(&profile, texts, purpose)?)
}

/// The vector of a query.
pub fn query_vector(profile: &Profile, query: &str) -> Result<Vec<f32>, ProviderError> {
    vectors(profile, vec![query.to_owned()], Purpose::Query)?
        .pop()
        .ok_or_else(|| ProviderError::new(Code::BadAnswer, "the model gave no vector"))
}

/// Asks a model and waits for it; the statement can be cancelled meanwhile.
fn vectors(profile: &Profile, texts: Vec<String>, purpose: Purpose) -> Result<Vec<Vec<f32>>, ProviderError> {
    if profile.provider == "local" {
        ask_local(texts, purpose, profile.dims)
    } else {
        ask(profile, texts, purpose)
    }
}

fn ask_local(texts: Vec<String>, purpose: Purpose, dims: usize) -> Result<Vec<Vec<f32>>, ProviderError> {
    let count = texts.len();
    match over_the_socket(&Request::Embed { texts, purpose }, MODEL_TIME)? {
        Response::Vectors { vectors, .. } => check_vectors(vectors.into_iter().enumerate(), count, dims),
        _ => Err(something_else()),
    }
}

/// Scores of texts for a query, by the local reranker.
pub fn local_scores(query: String, texts: Vec<String>, time: Duration) -> Result<Vec<f32>, ProviderError> {
    let count = texts.len();
    match over_the_socket(&Request::Rerank { query, texts }, time)? {
        Response::Scores { scores, .. } if scores.len() == count => Ok(scores),
        _ => Err(something_else()),
    }
}

/// Asks the process that holds the local models.
fn over_the_socket(request: &Request, time: Duration) -> Result<Response, ProviderError> {
    let mut call = Call::start(Path::new(MODEL_SOCKET), request, time)?;
    loop {
        match call.poll(LOOK_EVERY)? {
            Some(response) => return Ok(response),
            None => ffi::server::check_for_interrupts(),
        }
    }
}

fn something_else() -> ProviderError {
    ProviderError::new(Code::BadAnswer, "the local model answered something else")
}

fn ask(profile: &Profile, texts: Vec<String>, purpose: Purpose) -> Result<Vec<Vec<f32>>, ProviderError> {
    let embedder = ServerModels::new().embedder(profile)?;
    let work = move || embedder.embed(&EmbedRequest { texts: &texts, purpose, contextual: false });
    Ok(on_a_thread(work)?.vectors)
}

/// Calls a model on a thread, which is left to itself if the statement is cancelled.
pub fn on_a_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ProviderError> + Send + 'static,
) -> Result<T, ProviderError> {
    let (answer, answered) = channel();
    let run = move || {
        // Nobody waits any more if the statement was cancelled.
        let _ = answer.send(work());
    };
    ffi::thread::spawn("memento-query", run)
        .map_err(|_| ProviderError::new(Code::Unavailable, "no thread can be started"))?;
    loop {
        match answered.recv_timeout(LOOK_EVERY) {
            Ok(outcome) => return outcome,
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => ffi::server::check_for_interrupts(),
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => {
                return Err(ProviderError::new(
                    Code::Unavailable,
                    "the provider's code panicked: this is a bug",
                ));
            }
        }
    }
}

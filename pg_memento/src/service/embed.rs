//! Vectors for a caller who waits for them: a query, or `memento.embed()`.

use std::path::Path;
use std::time::Duration;

use memento_core::access::AccessLevel;
use memento_core::token;
use memento_worker::model_socket::{Call, Request, Response, time_for};
use memento_worker::models::spec_of;
use memento_worker::provider::{Code, EmbedRequest, ProviderError, Purpose, check_vectors};
use memento_worker::store::Profile;
use pgrx::Uuid;
use pgrx::prelude::*;

use super::access::{AccessError, as_owner, authorize_current};
use super::model_call::{self, Callee, LOOK_EVERY};
use super::models::{self, MODEL_SOCKET, MODEL_TIME};
use crate::error::{Failure, StatementError, passed_on, reported};
use crate::ffi;
use crate::spi::{self, StatementResult};

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
    Ok(vectors(project, &profile, texts, purpose)??)
}

/// The vector of a query of a project.
pub fn query_vector(
    project: Uuid,
    profile: &Profile,
    query: &str,
) -> StatementResult<Result<Vec<f32>, ProviderError>> {
    let answer = vectors(project, profile, vec![query.to_owned()], Purpose::Query)?;
    Ok(answer.and_then(|mut vectors| {
        vectors.pop().ok_or_else(|| ProviderError::new(Code::BadAnswer, "the model gave no vector"))
    }))
}

/// Asks a model and waits for it; the statement can be cancelled meanwhile.
fn vectors(
    project: Uuid,
    profile: &Profile,
    texts: Vec<String>,
    purpose: Purpose,
) -> StatementResult<Result<Vec<Vec<f32>>, ProviderError>> {
    match profile.provider.as_str() {
        "local" => Ok(ask_local(profile, texts, purpose)),
        _ => ask(project, profile, texts, purpose),
    }
}

fn ask_local(
    profile: &Profile,
    texts: Vec<String>,
    purpose: Purpose,
) -> Result<Vec<Vec<f32>>, ProviderError> {
    let count = texts.len();
    let request = Request::Embed { spec: spec_of(profile), texts, purpose };
    match over_the_socket(&request, time_for(count, MODEL_TIME))? {
        Response::Vectors { vectors, .. } => {
            check_vectors(vectors.into_iter().enumerate(), count, profile.dims)
        }
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

/// By HTTP, unless it is `hash`, which is nothing but arithmetic.
fn ask(
    project: Uuid,
    profile: &Profile,
    texts: Vec<String>,
    purpose: Purpose,
) -> StatementResult<Result<Vec<Vec<f32>>, ProviderError>> {
    let embedder = match models::query_embedder(profile) {
        Ok(embedder) => embedder,
        Err(error) => return Ok(Err(error)),
    };
    let callee = Callee {
        project,
        role: "embed",
        provider: profile.provider.clone(),
        model: profile.model.clone(),
        endpoint: profile.endpoint.clone(),
        items: texts.len(),
        tokens: texts.iter().map(|text| token::count(text) as u64).sum(),
    };
    let work = move || embedder.embed(&EmbedRequest { texts: &texts, purpose, contextual: false });
    if profile.provider == "hash" {
        return Ok(work().map(|embedded| embedded.vectors));
    }
    Ok(match model_call::rest_of(&profile.endpoint)? {
        Some(rest) => Err(rest),
        None => model_call::call(callee, |embedded| embedded.usage, work).map(|embedded| embedded.vectors),
    })
}

//! Looking at the best candidates again with a model that reads query and text together. Off unless it is asked for.

use std::time::Duration;

use memento_core::token;
use memento_worker::provider::{self, Code, ProfileSpec, ProviderError};
use pgrx::Uuid;
use pgrx::prelude::*;
use serde_json::Value;

use super::lane::{LaneHit, LaneOutcome, timed};
use crate::service::embed;
use crate::service::model_call::{self, Callee};
use crate::service::models::{self, MODEL_TIME};
use crate::{gucs, spi};

/// How many of the fused candidates are looked at again, by seed 002, unless the setting has another number.
const DEPTH: u64 = 60;
const MOST_DEPTH: u64 = 200;

/// How much of a text the model is shown, in characters: some 500 tokens.
const SHOWN: usize = 2000;

/// The candidates by the model's scores, best first; equal ones stay in the order they have.
pub fn run(project: Uuid, query: &str, is_asked_for: bool, candidates: &[i64]) -> LaneOutcome {
    timed(|| {
        if !is_asked_for {
            return Ok(Err("not asked for (memento.rerank)".into()));
        }
        if gucs::reranker().is_none() {
            return Ok(Err("no reranker is configured (memento.reranker)".into()));
        }
        let configured = match Configured::read() {
            Ok(configured) => configured,
            Err(error) => return Ok(Err(reason(&error))),
        };
        let candidates = &candidates[..candidates.len().min(configured.depth)];
        let (chunks, texts) = shown(project, candidates)?;
        if texts.is_empty() {
            return Ok(Err("there is nothing to look at".into()));
        }
        if let Some(rest) = configured.rest()? {
            return Ok(Err(format!("the reranker is left alone for now ({})", rest.code.name())));
        }
        match configured.scores(project, query.to_owned(), texts) {
            Ok(scores) => Ok(Ok((configured.used().into(), by_score(&chunks, &scores)))),
            Err(error) => Ok(Err(reason(&error))),
        }
    })
}

/// What a caller is told. The settings are nobody's business but the administrator's, so what names a host goes to the log.
fn reason(error: &ProviderError) -> String {
    ereport!(
        PgLogLevel::LOG_SERVER_ONLY,
        PgSqlErrorCode::ERRCODE_EXTERNAL_ROUTINE_EXCEPTION,
        format!("pg_memento: a search was not reranked: {error}")
    );
    format!("the reranker failed ({}); the server's log says why", error.code.name())
}

/// The reranker that the settings name.
struct Configured {
    spec: ProfileSpec,
    depth: usize,
}

impl Configured {
    fn read() -> Result<Self, ProviderError> {
        let wrong = |message: &str| ProviderError::new(Code::Config, message);
        let setting: Value = serde_json::from_str(&gucs::reranker().unwrap_or_default())
            .map_err(|_| wrong("memento.reranker is not a JSON object"))?;
        let text = |key: &str| setting[key].as_str().unwrap_or_default().to_owned();
        let depth = match &setting["depth"] {
            Value::Null => Some(DEPTH),
            number => number.as_u64().filter(|depth| (1..=MOST_DEPTH).contains(depth)),
        };
        let depth = depth.and_then(|depth| usize::try_from(depth).ok());
        let spec = ProfileSpec {
            provider: text("provider"),
            model: text("model"),
            dims: 0,
            config: setting["config"].clone(),
        };
        let is_empty = spec.config.as_object().is_none_or(serde_json::Map::is_empty);
        if spec.provider == "local" && !is_empty {
            return Err(wrong("the local reranker of memento.reranker_dir takes no config"));
        }
        let depth = depth.ok_or_else(|| wrong("depth of memento.reranker is no number from 1 to 200"))?;
        Ok(Self { spec, depth })
    }

    fn is_local(&self) -> bool {
        self.spec.provider == "local"
    }

    fn used(&self) -> &'static str {
        if self.is_local() { "local model" } else { "model" }
    }

    /// Why it is not to be asked now, if it is not.
    fn rest(&self) -> spi::StatementResult<Option<ProviderError>> {
        match self.is_local() {
            true => Ok(None),
            false => model_call::rest_of(&provider::endpoint(&self.spec)),
        }
    }

    /// Over the socket of the local models, or on a thread; the statement can be cancelled meanwhile.
    fn scores(&self, project: Uuid, query: String, texts: Vec<String>) -> Result<Vec<f32>, ProviderError> {
        if self.is_local() {
            let time = u64::try_from(gucs::lane_timeout_ms()).map_or(MODEL_TIME, Duration::from_millis);
            return embed::local_scores(query, texts, time.min(MODEL_TIME));
        }
        let reranker = models::query_reranker(&self.spec)?;
        let callee = Callee {
            project,
            role: "rerank",
            provider: self.spec.provider.clone(),
            model: self.spec.model.clone(),
            endpoint: provider::endpoint(&self.spec),
            items: texts.len(),
            tokens: texts.iter().map(|text| token::count(text) as u64).sum(),
        };
        let work = move || reranker.rerank(&query, &texts);
        Ok(model_call::call(callee, |reranked| reranked.usage, work)?.scores)
    }
}

/// Those of the candidates that are still there, in their order, with their texts as far as the model is shown them.
fn shown(project: Uuid, candidates: &[i64]) -> spi::StatementResult<(Vec<i64>, Vec<String>)> {
    let mut passages = spi::search::passages(project, candidates.to_vec())?;
    let place = |chunk: i64| candidates.iter().position(|candidate| *candidate == chunk);
    passages.sort_by_key(|passage| place(passage.chunk_id));
    Ok(passages
        .into_iter()
        .map(|passage| (passage.chunk_id, passage.excerpt.chars().take(SHOWN).collect::<String>()))
        .unzip())
}

fn by_score(candidates: &[i64], scores: &[f32]) -> Vec<LaneHit> {
    let scored = candidates.iter().zip(scores);
    let mut hits: Vec<LaneHit> =
        scored.map(|(chunk_id, score)| LaneHit { chunk_id: *chunk_id, score: f64::from(*score) }).collect();
    hits.sort_by(|a, b| b.score.total_cmp(&a.score));
    hits
}

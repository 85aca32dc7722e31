//! Looking at the best candidates again with a model that reads query and text together. Off unless it is asked for.

use std::sync::Arc;

use memento_worker::provider::{self, Code, ProfileSpec, ProviderError, Reranker};
use pgrx::Uuid;
use pgrx::prelude::*;
use serde_json::Value;

use super::lane::{LaneHit, LaneOutcome, timed};
use crate::service::{embed, models};
use crate::{gucs, spi};

/// How many of the fused candidates are looked at again.
pub const DEPTH: usize = 60;

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
        let reranker = match configured() {
            Ok(reranker) => reranker,
            Err(error) => return Ok(Err(reason(&error))),
        };
        let (chunks, texts) = shown(project, candidates)?;
        if texts.is_empty() {
            return Ok(Err("there is nothing to look at".into()));
        }
        let query = query.to_owned();
        let work = move || reranker.rerank(&query, &texts);
        match embed::on_a_thread(work) {
            Ok(reranked) => Ok(Ok(("model".into(), by_score(&chunks, &reranked.scores)))),
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
fn configured() -> Result<Arc<dyn Reranker>, ProviderError> {
    let wrong = |message: &str| ProviderError::new(Code::Config, message);
    let setting: Value = serde_json::from_str(&gucs::reranker().unwrap_or_default())
        .map_err(|_| wrong("memento.reranker is not a JSON object"))?;
    let text = |key: &str| setting[key].as_str().unwrap_or_default().to_owned();
    let spec = ProfileSpec {
        provider: text("provider"),
        model: text("model"),
        dims: 0,
        config: setting["config"].clone(),
    };
    if spec.provider == "local" {
        return Err(wrong("the process that holds the local model does not rerank yet"));
    }
    provider::reranker(&spec, &models::policy())
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

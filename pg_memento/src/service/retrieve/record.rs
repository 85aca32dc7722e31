//! Packs that were given: kept without text, to be explained.

use memento_core::access::AccessLevel;
use memento_core::fusion::{self, SEARCH_K};
use pgrx::Uuid;
use pgrx::pg_sys::Oid;
use serde_json::{Value, json};

use super::pack::{Evidence, lane_details, notes};
use super::{Made, Request, RetrieveError};
use crate::ffi::jsonb::Jsonb;
use crate::gucs;
use crate::service::access::{as_owner, authorize_current};
use crate::service::search::weights;
use crate::spi::retrieve::{NewPack, StoredPack};
use crate::spi::search::Scope;
use crate::spi::{self, StatementResult};

/// Keeps a pack and gives its key.
pub fn store(scope: &Scope, caller: Oid, request: &Request, made: &Made) -> StatementResult<Uuid> {
    let evidence = &made.chosen.evidence;
    spi::retrieve::insert_pack(
        scope.project,
        NewPack {
            caller,
            query: request.query,
            settings: settings(scope, request, made).into(),
            lanes: lane_details(&made.found).into(),
            evidence: Value::from(evidence.iter().map(kept).collect::<Vec<_>>()).into(),
            item_ids: evidence.iter().map(|one| one.passage.item_id).collect(),
            as_of: request.as_of,
            shown: made.shown.clone().into(),
        },
    )
}

/// What the pack was made of beside the rows: all that it takes to make it again, and to say what each lane counted.
fn settings(scope: &Scope, request: &Request, made: &Made) -> Value {
    let analysis = &made.found.analysis;
    let mut retrieval = notes(&made.found);
    // They are kept in a column of their own.
    retrieval["lane_details"] = Value::Null;
    let bm25 = gucs::bm25();
    json!({
        "extension": env!("CARGO_PKG_VERSION"),
        "profile": scope.profile.map(|profile| profile.to_string()),
        "bm25_k1": bm25.k1,
        "bm25_b": bm25.b,
        "max_evidence_items": request.max_items,
        "max_total_chars": request.max_chars,
        "max_total_tokens": request.max_tokens,
        "max_per_item": request.max_per_item,
        "search_max_per_item": made.manner.max_per_item,
        "rerank": made.manner.rerank,
        "day": made.manner.day.days(),
        "strategy": request.strategy,
        "return_style": request.return_style,
        "debug": request.debug,
        "given_intent": request.intent,
        "retrieval": retrieval,
        "filters": request.filters.parse().unwrap_or(Value::Null),
        "intent": analysis.intent.as_str(),
        "weight_profile": analysis.weight_profile.as_str(),
        "tech_tokens": analysis.tech_tokens,
        "search_weights": weights::shown(made.manner.weights),
        "weights": made.found.weights,
        "k": SEARCH_K,
    })
}

/// A piece of evidence as packs keep it.
pub fn kept(one: &Evidence) -> Value {
    json!({
        "evidence_id": one.evidence_id(),
        "chunk_id": one.passage.chunk_id,
        "item_id": one.passage.item_id.to_string(),
        "version_num": one.passage.version_num,
        "start_char": one.start_char,
        "end_char": one.end_char,
        "score": one.score,
        "lanes": one.lanes,
    })
}

/// A lane's part in the place of a piece of evidence.
pub struct Explained {
    pub place: i32,
    pub evidence_id: String,
    pub chunk_id: i64,
    pub lane: String,
    pub rank: i64,
    pub lane_score: Option<f64>,
    pub weight: f64,
    pub contribution: f64,
    pub fused_score: f64,
    pub note: Option<String>,
}

/// Why each piece of evidence of a pack stands where it does: what each lane added to its score.
pub fn explain(pack_id: Uuid) -> Result<Vec<Explained>, RetrieveError> {
    let project = authorize_current(AccessLevel::Read)?;
    let pack = as_owner(|| spi::retrieve::pack(project, pack_id))?.ok_or(RetrieveError::NoPack(pack_id))?;
    Ok(rows_of(&pack))
}

fn rows_of(pack: &StoredPack) -> Vec<Explained> {
    let read = |jsonb: &Jsonb| jsonb.parse().unwrap_or(Value::Null);
    let (settings, evidence) = (read(&pack.settings), read(&pack.evidence));
    // A model that looks at candidates again has no part in the score.
    let weight = |lane: &str| settings["weights"][lane].as_f64().unwrap_or_default();
    let k = settings["k"].as_f64().unwrap_or(SEARCH_K);
    let mut rows = Vec::new();
    for (place, one) in (1..).zip(evidence.as_array().into_iter().flatten()) {
        for (lane, found) in one["lanes"].as_object().into_iter().flatten() {
            let rank = found["rank"].as_u64().unwrap_or(1);
            rows.push(Explained {
                place,
                evidence_id: one["evidence_id"].as_str().unwrap_or_default().to_owned(),
                chunk_id: one["chunk_id"].as_i64().unwrap_or_default(),
                lane: lane.clone(),
                rank: i64::try_from(rank).unwrap_or(i64::MAX),
                lane_score: found["score"].as_f64(),
                weight: weight(lane),
                contribution: fusion::score(rank, weight(lane), k),
                fused_score: one["score"].as_f64().unwrap_or_default(),
                note: note(found),
            });
        }
    }
    rows
}

fn note(found: &Value) -> Option<String> {
    let tokens: Vec<&str> = found["tokens"].as_array()?.iter().filter_map(Value::as_str).collect();
    let guaranteed = if found["guaranteed"] == true { "; guaranteed a place" } else { "" };
    Some(format!("has {}{guaranteed}", tokens.join(", ")))
}

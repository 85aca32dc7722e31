//! How a pack is shown, and what is said about how it was looked for.

use memento_core::transcript::SEVERAL_SPEAKERS;
use pgrx::Uuid;
use serde_json::{Map, Value, json};

use super::Request;
use super::choose::Chosen;
use crate::service::search::dense::INDEX;
use crate::service::search::gather::{DENSE, Gathered, LEXICAL, TECH_TOKEN};
use crate::service::search::hierarchy::{
    ARTIFACT_DEPTH, ARTIFACT_KINDS, DENSE_DOCUMENTS, LEXICAL_ARTIFACTS, LEXICAL_DOCUMENTS,
};
use crate::service::search::lane::LaneOutcome;
use crate::spi::search::Passage;

/// A passage in a pack.
pub struct Evidence {
    pub passage: Passage,
    /// The conversation that it is of, or that it was made from.
    pub call: Option<Uuid>,
    pub snippet: String,
    /// Of the snippet, in the version.
    pub start_char: i32,
    pub end_char: i32,
    pub score: f64,
    pub lanes: Value,
}

impl Evidence {
    pub fn is_artifact(&self) -> bool {
        is_artifact(&self.passage.kind)
    }

    pub fn evidence_id(&self) -> String {
        let letter = if self.is_artifact() { 'A' } else { 'Q' };
        format!("{letter}-{}", self.passage.chunk_id)
    }

    pub fn retrieved_id(&self) -> String {
        let kind = if self.is_artifact() { "artifact_chunk" } else { "chunk" };
        format!("{kind}:{}", self.passage.chunk_id)
    }

    /// As the contract of packs has it, and where it comes from.
    pub fn shown(&self, debug: bool) -> Value {
        let passage = &self.passage;
        let mut shown = json!({
            "evidence_id": self.evidence_id(),
            "call_id": self.call.map(|call| call.to_string()),
            "item_id": passage.item_id.to_string(),
            "version_num": passage.version_num,
            "title": passage.title,
            "kind": passage.kind,
            "heading_path": passage.heading_path,
            "start_char": self.start_char,
            "end_char": self.end_char,
            "snippet": self.snippet,
            "why_relevant": self.why(),
            "score": self.score,
        });
        let more = if self.is_artifact() {
            json!({"artifact_id": passage.item_id.to_string(), "artifact_chunk_id": passage.chunk_id})
        } else {
            json!({
                "chunk_id": passage.chunk_id,
                "speaker": self.speaker(),
                "speakers": passage.speakers,
                // Times of turns are not stored: see docs/search.md.
                "start_ts_ms": null,
                "end_ts_ms": null,
            })
        };
        if let (Value::Object(shown), Value::Object(more)) = (&mut shown, more) {
            shown.extend(more);
            if debug {
                shown.insert("lanes".into(), self.lanes.clone());
            }
        }
        shown
    }

    /// Who speaks, in the words of seed 002.
    fn speaker(&self) -> Option<&str> {
        match self.passage.speakers.as_slice() {
            [] => None,
            [one] => Some(one),
            _ => Some(SEVERAL_SPEAKERS),
        }
    }

    /// One sentence from the lanes.
    fn why(&self) -> String {
        let rank = |lane: &str| self.lanes[lane]["rank"].as_u64();
        let mut reasons = Vec::new();
        if let Some(tokens) = self.lanes[TECH_TOKEN]["tokens"].as_array() {
            let tokens: Vec<&str> = tokens.iter().filter_map(Value::as_str).collect();
            reasons.push(format!("has {}", tokens.join(", ")));
        }
        for (lane, by) in [(LEXICAL, "words"), (DENSE, "meaning"), ("trigram", "spelling")] {
            if let Some(rank) = rank(lane) {
                reasons.push(format!("is number {rank} by {by}"));
            }
        }
        if rank(LEXICAL_DOCUMENTS).or(rank(DENSE_DOCUMENTS)).is_some() {
            reasons.push("is in one of the best documents".into());
        }
        for (lane, is) in [
            ("canonical", "is canonical"),
            ("pinned", "is pinned"),
            ("intent", "is of a kind that has such answers"),
            ("time", "is of the time that is meant"),
        ] {
            if rank(lane).is_some() {
                reasons.push(is.into());
            }
        }
        match reasons.pop() {
            Some(last) if reasons.is_empty() => format!("It {last}."),
            Some(last) => format!("It {} and {last}.", reasons.join(", ")),
            None => "It was found.".into(),
        }
    }
}

pub fn is_artifact(kind: &str) -> bool {
    ARTIFACT_KINDS.contains(&kind)
}

/// What is shown of a pack, without its key and how it was looked for: all that depends on rows and request alone.
pub fn shown(request: &Request, found: &Gathered, chosen: &Chosen) -> Value {
    let Chosen { evidence, events } = chosen;
    if request.return_style == "ids_only" {
        let ids: Vec<String> = evidence.iter().map(Evidence::retrieved_id).collect();
        return json!({"retrieved_ids": ids});
    }
    let (artifacts, quotes): (Vec<_>, Vec<_>) = evidence.iter().partition(|one| one.is_artifact());
    let shown = |evidence: Vec<&Evidence>| -> Vec<Value> {
        evidence.into_iter().map(|one| one.shown(request.debug)).collect()
    };
    json!({
        "intent": found.analysis.intent.as_str(),
        "budget": budget(request),
        "artifacts": shown(artifacts),
        "quotes": shown(quotes),
        "events": events,
    })
}

fn budget(request: &Request) -> Value {
    json!({
        "max_evidence_items": request.max_items,
        "max_total_chars": request.max_chars,
        "max_total_tokens": request.max_tokens,
    })
}

/// How it was looked for, in the words of seed 002, and more.
pub fn notes(found: &Gathered) -> Value {
    let used = |name: &str| {
        found.lanes.iter().find(|lane| lane.name == name).and_then(|lane| match &lane.outcome {
            LaneOutcome::Ran(hits) => Some(hits.used.as_str()),
            LaneOutcome::Off { .. } => None,
        })
    };
    let depth = |name: &str| used(name).map_or(0, |_| found.depth);
    let planner = match used(DENSE) {
        Some(used) if used.starts_with(INDEX) => "ann",
        Some(_) => "exact",
        None => "lexical_only",
    };
    json!({
        "planner": planner,
        "dense_topk": depth(DENSE),
        "lex_topk": depth(LEXICAL),
        "artifact_chunk_lex_topk": used(LEXICAL_ARTIFACTS).map_or(0, |_| ARTIFACT_DEPTH),
        "tech_token_topk": depth(TECH_TOKEN),
        "reranked_from": found.reranked_from(),
        "lanes": {
            "bm25": used(LEXICAL).is_some(),
            "tech_tokens": used(TECH_TOKEN).is_some(),
            "dense": used(DENSE).is_some(),
            "trigram": used("trigram").is_some(),
        },
        "hierarchy": found.hierarchy.as_ref().map(|hierarchy| json!({
            "documents": hierarchy.documents.iter().map(Uuid::to_string).collect::<Vec<_>>(),
            "fallback": hierarchy.fallback,
        })),
        "lane_details": lane_details(found),
        "tech_tokens": found.analysis.tech_tokens,
        "weight_profile": found.analysis.weight_profile.as_str(),
    })
}

/// Each lane: what it used, how many it found, its weight and its time; or why it did not run.
pub fn lane_details(found: &Gathered) -> Value {
    let detail = |outcome: &LaneOutcome, weight: f64| match outcome {
        LaneOutcome::Ran(hits) => json!({
            "ran": true,
            "used": hits.used,
            "hits": hits.hits.len(),
            "weight": weight,
            "milliseconds": (hits.took.as_secs_f64() * 1e6).round() / 1e3,
        }),
        LaneOutcome::Off { reason } => json!({"ran": false, "reason": reason}),
    };
    let details: Map<String, Value> =
        found.lanes.iter().map(|lane| (lane.name.to_owned(), detail(&lane.outcome, lane.weight))).collect();
    details.into()
}

/// The pack of a query that nothing can match.
pub fn empty(request: &Request, reason: &str) -> Value {
    if request.return_style == "ids_only" {
        return json!({"query_id": null, "retrieved_ids": []});
    }
    json!({
        "query_id": null,
        "intent": request.intent.unwrap_or("auto"),
        "budget": budget(request),
        "artifacts": [],
        "quotes": [],
        "events": [],
        "notes": {"retrieval": null, "stored": false, "not_stored_because": reason},
    })
}

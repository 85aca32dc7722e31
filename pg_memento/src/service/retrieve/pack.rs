//! Which passages go into a pack, and how they are shown.

use std::collections::BTreeMap;

use memento_core::query::Intent;
use memento_core::{snippet, token};
use pgrx::Uuid;
use serde_json::{Map, Value, json};

use super::Request;
use crate::service::search::gather::{DENSE, Gathered, LEXICAL, Ranked, TECH_TOKEN};
use crate::service::search::hierarchy::{
    ARTIFACT_DEPTH, ARTIFACT_KINDS, DENSE_DOCUMENTS, LEXICAL_ARTIFACTS, LEXICAL_DOCUMENTS,
};
use crate::service::search::lane::LaneOutcome;
use crate::spi::search::Passage;
use crate::spi::{self, StatementResult};

/// A snippet that is shorter says nothing.
const SHORTEST_SNIPPET: usize = 40;

/// One in four pieces of evidence is an artifact, if there are others.
const ITEMS_PER_ARTIFACT: usize = 4;

/// What a pack may hold.
pub struct Budget {
    pub items: usize,
    pub chars: usize,
    pub tokens: Option<usize>,
    pub per_item: usize,
}

/// A passage in a pack.
pub struct Evidence {
    pub passage: Passage,
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
            "call_id": null,
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
            json!({"chunk_id": passage.chunk_id, "speaker": null, "start_ts_ms": null, "end_ts_ms": null})
        };
        if let (Value::Object(shown), Value::Object(more)) = (&mut shown, more) {
            shown.extend(more);
            if debug {
                shown.insert("lanes".into(), self.lanes.clone());
            }
        }
        shown
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
        for (lane, is) in [("canonical", "is canonical"), ("pinned", "is pinned")] {
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

fn is_artifact(kind: &str) -> bool {
    ARTIFACT_KINDS.contains(&kind)
}

/// Takes passages in their order as long as the budget lasts; what does not fit is shortened to what matched, or left out.
pub fn choose(project: Uuid, request: &Request, found: &Gathered) -> StatementResult<Vec<Evidence>> {
    let budget = request.budget();
    let chunks = found.ranked.iter().map(|ranked| ranked.chunk_id).collect();
    let mut passages: BTreeMap<i64, Passage> =
        spi::search::passages(project, chunks)?.into_iter().map(|one| (one.chunk_id, one)).collect();
    let mut chosen: Vec<Evidence> = Vec::new();
    let (mut chars, mut tokens) = (budget.chars, budget.tokens);
    // Twice a fair share, so that a long passage does not take it all.
    let most = (budget.chars * 2 / budget.items).max(SHORTEST_SNIPPET);
    for ranked in in_turn(request, found, &passages) {
        if chosen.len() == budget.items || chars == 0 {
            break;
        }
        let Some(passage) = passages.remove(&ranked.chunk_id) else { continue };
        if chosen.iter().filter(|one| one.passage.item_id == passage.item_id).count() == budget.per_item {
            continue;
        }
        let Some(evidence) = cut_to_fit(passage, ranked, request.query, most.min(chars), tokens) else {
            continue;
        };
        chars -= evidence.snippet.chars().count();
        tokens = tokens.map(|left| left.saturating_sub(token::count(&evidence.snippet)));
        chosen.push(evidence);
    }
    Ok(chosen)
}

/// The passages in the order in which they get their places. As seed 002 has it, one in four is an artifact at most as long as there
/// is something else, unless the query asks for what artifacts hold.
fn in_turn<'a>(request: &Request, found: &'a Gathered, passages: &BTreeMap<i64, Passage>) -> Vec<&'a Ranked> {
    let intent = request.intent.unwrap_or(found.analysis.intent.as_str());
    let asks_for_artifacts = [Intent::Decision, Intent::ActionItems].iter().any(|one| one.as_str() == intent);
    let share = request.budget().items.div_ceil(ITEMS_PER_ARTIFACT);
    let most = if asks_for_artifacts { usize::MAX } else { share };
    let is_artifact =
        |ranked: &&Ranked| passages.get(&ranked.chunk_id).is_some_and(|passage| is_artifact(&passage.kind));
    let mut artifacts = 0;
    let (first, rest): (Vec<&Ranked>, Vec<&Ranked>) = found.ranked.iter().partition(|ranked| {
        artifacts += usize::from(is_artifact(ranked));
        !is_artifact(ranked) || artifacts <= most
    });
    [first, rest].concat()
}

/// What of a passage fits; none if that says nothing. Tokens are counted, not guessed: it is cut until they are few enough.
fn cut_to_fit(
    passage: Passage,
    ranked: &Ranked,
    query: &str,
    mut most: usize,
    tokens: Option<usize>,
) -> Option<Evidence> {
    let whole = passage.excerpt.chars().count();
    let mut passage = passage;
    loop {
        let evidence = cut(passage, ranked, query, most);
        let length = evidence.snippet.chars().count();
        if length < SHORTEST_SNIPPET && length < whole {
            return None;
        }
        let cost = token::count(&evidence.snippet);
        match tokens {
            Some(left) if cost > left => most = (length * left / cost).min(length - 1),
            _ => return Some(evidence),
        }
        passage = evidence.passage;
    }
}

/// The events that the passages prove, each with its quote, in the order of the passages; as many as fit in what is left of the
/// budget.
pub fn events(project: Uuid, request: &Request, chosen: &[Evidence]) -> StatementResult<Vec<Value>> {
    let budget = request.budget();
    let spent = |size: fn(&str) -> usize| chosen.iter().map(|one| size(&one.snippet)).sum::<usize>();
    let mut chars = budget.chars.saturating_sub(spent(|snippet| snippet.chars().count()));
    let mut tokens = budget.tokens.map(|tokens| tokens.saturating_sub(spent(token::count)));
    let chunks = chosen.iter().map(|one| one.passage.chunk_id).collect();
    let mut fitting = Vec::new();
    for quoted in spi::event::of_chunks(project, chunks, request.max_items)? {
        let Ok(mut seen) = quoted.seen.parse() else { continue };
        let text = |name: &str| seen[name].as_str().map_or(0, token::count);
        let cost = tokens.map(|left| (left, text("narrative") + text("quote")));
        let length = usize::try_from(quoted.chars).unwrap_or(usize::MAX);
        if length > chars || cost.is_some_and(|(left, cost)| cost > left) {
            continue;
        }
        chars -= length;
        tokens = cost.map(|(left, cost)| left - cost);
        let source = chosen.iter().find(|one| one.passage.chunk_id == quoted.chunk);
        seen["why_relevant"] = json!(source.map(|one| format!("is said in {}", one.evidence_id())));
        fitting.push(seen);
    }
    Ok(fitting)
}

fn cut(passage: Passage, ranked: &Ranked, query: &str, most: usize) -> Evidence {
    let span = snippet::span(&passage.excerpt, query, most);
    let snippet = passage.excerpt.chars().skip(span.start).take(span.len()).collect();
    let offset = |chars: usize| passage.start_char + i32::try_from(chars).unwrap_or(0);
    let (start_char, end_char) = (offset(span.start), offset(span.end));
    Evidence { snippet, start_char, end_char, score: ranked.score, lanes: ranked.lanes.clone(), passage }
}

/// What is shown of a pack, without its key and how it was looked for: all that depends on rows and request alone.
pub fn shown(request: &Request, found: &Gathered, evidence: &[Evidence], events: &[Value]) -> Value {
    if request.return_style == "ids_only" {
        let ids: Vec<String> = evidence.iter().map(Evidence::retrieved_id).collect();
        return json!({"retrieved_ids": ids});
    }
    let (artifacts, quotes): (Vec<_>, Vec<_>) = evidence.iter().partition(|one| one.is_artifact());
    let shown = |evidence: Vec<&Evidence>| -> Vec<Value> {
        evidence.into_iter().map(|one| one.shown(request.debug)).collect()
    };
    json!({
        "intent": request.intent.unwrap_or(found.analysis.intent.as_str()),
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
        Some("index") => "ann",
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

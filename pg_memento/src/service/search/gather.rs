//! From a query to ranked chunks: analysis, lanes, fusion, places.

use std::collections::BTreeMap;

use memento_core::fusion::{self, Fused, Lane, SEARCH_K, confidence};
use memento_core::placing;
use memento_core::query::{self, Analysis, LONGEST_QUERY};
use pgrx::Uuid;
use serde_json::{Map, Value, json};

use super::dense::{self, Meaning};
use super::hierarchy::{self, Hierarchy};
use super::lane::{LaneHit, LaneOutcome, guarded};
use super::manner::Manner;
use super::tech_token::{self, FoundTokens};
use super::{lexical, rerank, trigram};
use crate::service::term::Tokenizer;
use crate::spi::search::{Candidate, Scope};
use crate::spi::{self, StatementResult};

/// Names of lanes, as results have them.
pub const LEXICAL: &str = "fts";
pub const DENSE: &str = "dense";
pub const TECH_TOKEN: &str = "tech_token";
pub const TRIGRAM: &str = "trigram";
pub const RERANK: &str = "rerank";
const CANONICAL: &str = "canonical";
const PINNED: &str = "pinned";

/// How deep lanes are looked into for each result, by seed 001, and how deep at least and at most.
const DEPTH_FACTOR: i32 = 4;
const MIN_DEPTH: i32 = 50;
const MAX_DEPTH: i32 = 1000;

/// What is left of the dense lane's weight for a query with a name in it: the vector of such a sentence is near to whatever
/// addresses or mentions the name, whatever else it says (LoCoMo: nDCG@10 0.19 beside 0.41 of words).
const NAMED: f64 = 0.1;

/// A lane of a search, and what became of it.
pub struct LaneReport {
    pub name: &'static str,
    pub weight: f64,
    pub outcome: LaneOutcome,
}

/// A chunk in its place.
pub struct Ranked {
    pub chunk_id: i64,
    pub score: f64,
    pub lanes: Value,
}

/// What a search found, best first, and how.
pub struct Gathered {
    pub analysis: Analysis,
    pub depth: i32,
    pub hierarchy: Option<Hierarchy>,
    pub lanes: Vec<LaneReport>,
    pub ranked: Vec<Ranked>,
}

impl Gathered {
    /// How many candidates a model has looked at again, if it has.
    pub fn reranked_from(&self) -> Option<usize> {
        let rerank = self.lanes.iter().find(|lane| lane.name == RERANK)?;
        matches!(rerank.outcome, LaneOutcome::Ran(_)).then(|| rerank.outcome.hits().len())
    }
}

/// Runs all lanes and makes one ranking of theirs: the first `limit`.
pub fn gather(scope: &Scope, query: &str, limit: i32) -> StatementResult<Gathered> {
    gather_as(scope, query, limit, &Manner::of_session())
}

/// The same in a manner of its own.
pub fn gather_as(scope: &Scope, query: &str, limit: i32, manner: &Manner) -> StatementResult<Gathered> {
    let query = &query[..query.floor_char_boundary(LONGEST_QUERY)];
    let mut analysis = query::analyze(query, manner.day);
    analysis.tech_tokens = Tokenizer::of_project(scope.project)?.tokens(query).into_iter().collect();
    let depth = limit.saturating_mul(DEPTH_FACTOR).clamp(MIN_DEPTH, MAX_DEPTH.max(limit));
    let LaneRun { mut lanes, tokens, meaning } = run_lanes(scope, query, &analysis, limit, depth);
    let hierarchy = if manner.hierarchical {
        Some(hierarchy::descend(scope, query, meaning.as_ref(), depth, &mut lanes)?)
    } else {
        None
    };
    let ranked = rank(scope.project, query, manner, &mut lanes, &tokens, &analysis, limit)?;
    Ok(Gathered { analysis, depth, hierarchy, lanes, ranked })
}

/// What the lanes left.
struct LaneRun {
    lanes: Vec<LaneReport>,
    /// Which identifiers were found where.
    tokens: FoundTokens,
    meaning: Option<Meaning>,
}

/// The lanes that look for chunks, each on its own.
fn run_lanes(scope: &Scope, query: &str, analysis: &Analysis, limit: i32, depth: i32) -> LaneRun {
    let (mut tokens, mut meaning) = (FoundTokens::new(), None);
    if query.trim().is_empty() {
        let off = |name| LaneReport { name, weight: 0.0, outcome: LaneOutcome::off("the query is empty") };
        return LaneRun { lanes: [LEXICAL, DENSE, TECH_TOKEN, TRIGRAM].map(off).into(), tokens, meaning };
    }
    let lexical = guarded(LEXICAL, || lexical::run(scope, query, depth));
    let tech_token = guarded(TECH_TOKEN, || {
        let found = tech_token::run(scope, analysis.tech_tokens.clone(), depth);
        tokens = found.tokens;
        found.outcome
    });
    let has_room = lexical.hits().len() + tech_token.hits().len() < usize::try_from(limit).unwrap_or(0);
    let trigram = guarded(TRIGRAM, || trigram::run(scope, query, depth, has_room));
    let dense = guarded(DENSE, || {
        let found = dense::run(scope, query, depth);
        meaning = found.meaning;
        found.outcome
    });
    let lanes = [(LEXICAL, lexical), (DENSE, dense), (TECH_TOKEN, tech_token), (TRIGRAM, trigram)];
    let report = |(name, outcome): (&'static str, LaneOutcome)| {
        let weight = weight_of(name, outcome.hits(), analysis);
        LaneReport { name, weight, outcome }
    };
    let mut lanes: Vec<LaneReport> = lanes.map(report).into();
    rescale(&mut lanes, analysis);
    LaneRun { lanes, tokens, meaning }
}

/// Confidence says how words and vectors count beside each other. Together they count as much as ever, or else identifiers and
/// what is preferred would decide alone where both are unsure.
fn rescale(lanes: &mut [LaneReport], analysis: &Analysis) {
    let weights = analysis.weight_profile.weights();
    let base = |lane: &LaneReport| match lane.name {
        LEXICAL if !lane.outcome.hits().is_empty() => weights.lexical,
        DENSE if !lane.outcome.hits().is_empty() => weights.semantic,
        _ => 0.0,
    };
    let meant: f64 = lanes.iter().map(base).sum();
    let have: f64 = lanes.iter().filter(|lane| base(lane) > 0.0).map(|lane| lane.weight).sum();
    for lane in lanes {
        if base(lane) > 0.0 {
            lane.weight *= meant / have;
        }
    }
}

/// What a lane counts for this query: by the looks of the query, and by how its hits stand out.
fn weight_of(name: &str, hits: &[LaneHit], analysis: &Analysis) -> f64 {
    let weights = analysis.weight_profile.weights();
    let scores: Vec<f64> = hits.iter().map(|hit| hit.score).collect();
    match name {
        LEXICAL => weights.lexical * confidence::by_ratio(&scores),
        DENSE if analysis.has_name => weights.semantic * confidence::by_distance(&scores) * NAMED,
        DENSE => weights.semantic * confidence::by_distance(&scores),
        TECH_TOKEN => weights.tech_token,
        _ => weights.trigram,
    }
}

fn rank(
    project: Uuid,
    query: &str,
    manner: &Manner,
    lanes: &mut Vec<LaneReport>,
    tokens: &FoundTokens,
    analysis: &Analysis,
    limit: i32,
) -> StatementResult<Vec<Ranked>> {
    let mut fusing: Vec<Lane<i64>> = lanes.iter().map(as_lane).collect();
    let found = fusion::fuse(&fusing, SEARCH_K);
    let chunks = found.iter().map(|fused| fused.id).collect();
    let candidates: BTreeMap<i64, Candidate> =
        spi::search::candidates(project, chunks)?.into_iter().map(|one| (one.chunk_id, one)).collect();
    let weights = analysis.weight_profile.weights();
    fusing.push(preferred(CANONICAL, weights.canonical, &found, &candidates, |one| one.is_canonical));
    fusing.push(preferred(PINNED, weights.pinned, &found, &candidates, |one| one.is_pinned));
    let fused: Vec<Fused<i64>> = fusion::fuse(&fusing, SEARCH_K)
        .into_iter()
        // Gone since the lane saw it: another statement of this transaction sees more.
        .filter(|fused| candidates.contains_key(&fused.id))
        .collect();
    let fused = reranked(project, query, manner, fused, lanes);
    let spread =
        placing::spread(fused, manner.max_per_item, |fused| *candidates[&fused.id].item_id.as_bytes());
    let order: Vec<i64> = spread.iter().map(|fused| fused.id).collect();
    let limit = usize::try_from(limit).unwrap_or(0);
    let (first, brought) = placing::guarantee(&order, limit, &tech_token::holders(tokens));
    let fused: BTreeMap<i64, Fused<i64>> = spread.into_iter().map(|fused| (fused.id, fused)).collect();
    let shown = first.iter().filter_map(|id| fused.get(id));
    let own: BTreeMap<&str, Own> = lanes.iter().map(|lane| (lane.name, own(lane))).collect();
    Ok(shown
        .map(|fused| Ranked {
            chunk_id: fused.id,
            score: fused.score,
            lanes: places(fused, &own, tokens.get(&fused.id), brought.contains(&fused.id)),
        })
        .collect())
}

/// The fused ranking with its best candidates in the order of the model that looks at them again, if it is asked for and answers.
fn reranked(
    project: Uuid,
    query: &str,
    manner: &Manner,
    mut fused: Vec<Fused<'static, i64>>,
    lanes: &mut Vec<LaneReport>,
) -> Vec<Fused<'static, i64>> {
    let candidates: Vec<i64> = fused.iter().map(|fused| fused.id).collect();
    let outcome = guarded(RERANK, || rerank::run(project, query, manner.rerank, &candidates));
    let rank: BTreeMap<i64, u64> = outcome.hits().iter().map(|hit| hit.chunk_id).zip(1..).collect();
    for fused in &mut fused {
        fused.ranks.extend(rank.get(&fused.id).map(|rank| (RERANK, *rank)));
    }
    // Stable: what the model has not seen stays behind, as it is.
    fused.sort_by_key(|fused| rank.get(&fused.id).copied().unwrap_or(u64::MAX));
    lanes.push(LaneReport { name: RERANK, weight: 0.0, outcome });
    fused
}

fn as_lane(report: &LaneReport) -> Lane<'static, i64> {
    let scored = report.outcome.hits().iter().map(|hit| (hit.chunk_id, hit.score));
    Lane::by_score(report.name, report.weight, scored)
}

/// What a lane says about its results: their scores, and which engine it used if there is a choice.
struct Own {
    scores: BTreeMap<i64, f64>,
    used: Option<String>,
}

fn own(report: &LaneReport) -> Own {
    let used = match &report.outcome {
        LaneOutcome::Ran(found) if report.name == LEXICAL => Some(found.used.clone()),
        _ => None,
    };
    Own { scores: report.outcome.hits().iter().map(|hit| (hit.chunk_id, hit.score)).collect(), used }
}

/// A ranked list of what the lanes have found and that is to be preferred, by seed 001: not a fixed bonus. It counts beside lanes
/// that are sure of themselves as it does beside others.
fn preferred(
    name: &'static str,
    weight: f64,
    found: &[Fused<i64>],
    candidates: &BTreeMap<i64, Candidate>,
    is_meant: impl Fn(&Candidate) -> bool,
) -> Lane<'static, i64> {
    let meant = found.iter().map(|fused| fused.id).filter(|id| candidates.get(id).is_some_and(&is_meant));
    Lane::in_order(name, weight, meant)
}

/// Where each lane has a chunk, with the lane's own score.
fn places(
    fused: &Fused<i64>,
    own: &BTreeMap<&str, Own>,
    tokens: Option<&Vec<String>>,
    is_brought: bool,
) -> Value {
    let mut places = Map::new();
    for (lane, rank) in &fused.ranks {
        let mut place = Map::from_iter([("rank".to_owned(), json!(rank))]);
        if let Some(own) = own.get(lane) {
            place.extend(own.scores.get(&fused.id).map(|score| ("score".to_owned(), json!(score))));
            place.extend(own.used.as_ref().map(|used| ("used".to_owned(), json!(used))));
        }
        if let (TECH_TOKEN, Some(tokens)) = (*lane, tokens) {
            place.insert("tokens".into(), json!(tokens));
            if is_brought {
                place.insert("guaranteed".into(), json!(true));
            }
        }
        places.insert((*lane).to_owned(), place.into());
    }
    places.into()
}

//! From a query to ranked chunks: analysis, lanes, fusion, places.

use std::collections::{BTreeMap, BTreeSet};

use memento_core::fusion::Fused;
use memento_core::query::{self, Analysis, LONGEST_QUERY, LaneWeights};
use pgrx::Uuid;
use serde_json::{Map, Value, json};

use super::dense::{self, Meaning};
use super::fuse::{self, Candidates, Fusion};
use super::hierarchy::{self, Hierarchy};
use super::lane::{LaneOutcome, guarded};
use super::manner::Manner;
use super::tech_token::{self, FoundTokens};
use super::{lexical, mention, rerank, trigram};
use crate::ffi::setting::with_settings;
use crate::service::term::Tokenizer;
use crate::spi::StatementResult;
use crate::spi::search::Scope;

/// Names of lanes, as results have them.
pub const LEXICAL: &str = "fts";
pub const DENSE: &str = "dense";
pub const TECH_TOKEN: &str = "tech_token";
pub const TRIGRAM: &str = "trigram";
pub const RERANK: &str = "rerank";

/// How deep lanes are looked into for each result, by seed 001, and how deep at least and at most.
const DEPTH_FACTOR: i32 = 4;
const MIN_DEPTH: i32 = 50;
const MAX_DEPTH: i32 = 1000;

/// How many times as deep they are looked into where few items fill them.
const SECOND_LOOK: i32 = 4;

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
    /// What each list that was fused counts: those of lanes, and those of what is preferred.
    pub weights: BTreeMap<&'static str, f64>,
    tokens: FoundTokens,
}

impl Gathered {
    /// For each identifier of the query that was found, the chunks that have it. The rarest first.
    pub fn wants(&self) -> Vec<Vec<i64>> {
        tech_token::holders(&self.tokens)
    }

    /// How many candidates a model has looked at again, if it has.
    pub fn reranked_from(&self) -> Option<usize> {
        let rerank = self.lanes.iter().find(|lane| lane.name == RERANK)?;
        matches!(rerank.outcome, LaneOutcome::Ran(_)).then(|| rerank.outcome.hits().len())
    }
}

/// Runs all lanes and makes one ranking of theirs: the first `limit`.
pub fn gather(scope: &Scope, query: &str, limit: i32) -> StatementResult<Gathered> {
    gather_as(scope, query, limit, &Manner::of(scope.project)?)
}

/// The same in a manner of its own.
pub fn gather_as(scope: &Scope, query: &str, limit: i32, manner: &Manner) -> StatementResult<Gathered> {
    let query = looked_at(query);
    let mut found = collect(scope, query, limit, manner)?;
    let (ranked, weights) = rank(scope, query, manner, &mut found, limit);
    let Collected { analysis, depth, hierarchy, lanes, tokens, .. } = found;
    Ok(Gathered { analysis, depth, hierarchy, lanes, ranked, weights, tokens })
}

/// What of a query counts.
pub fn looked_at(query: &str) -> &str {
    &query[..query.floor_char_boundary(LONGEST_QUERY)]
}

/// What a ranking is made of: what lanes have found, weighed.
pub struct Collected {
    pub analysis: Analysis,
    pub lanes: Vec<LaneReport>,
    /// Everything that a lane has found, as far as it is still there.
    pub candidates: Candidates,
    tokens: FoundTokens,
    depth: i32,
    hierarchy: Option<Hierarchy>,
}

impl Collected {
    /// The first `limit` chunks if the weights had these factors, without a model that looks at them again.
    pub fn with_factors(&mut self, factors: LaneWeights, max_per_item: usize, limit: usize) -> Vec<i64> {
        fuse::weigh(&mut self.lanes, &self.analysis, factors);
        let fused = fuse::fused(&self.lanes, &self.candidates, &self.analysis, factors);
        let order: Vec<i64> = fused.ranking.iter().map(|fused| fused.id).collect();
        fuse::placed(&order, &self.candidates, &self.tokens, max_per_item, limit).0
    }
}

/// Runs all lanes. Not compiled: by the estimate for a large table the server would, and take longer for that than for the search.
pub fn collect(scope: &Scope, query: &str, limit: i32, manner: &Manner) -> StatementResult<Collected> {
    with_settings(&[(c"jit", "off".to_owned())], || collect_interpreted(scope, query, limit, manner))
}

fn collect_interpreted(
    scope: &Scope,
    query: &str,
    limit: i32,
    manner: &Manner,
) -> StatementResult<Collected> {
    let looked_up = mention::looked_up(scope)?.map(|filter| scope.with_filter(filter));
    let scope = looked_up.as_ref().unwrap_or(scope);
    let query = looked_at(query);
    let mut analysis = query::analyze(query, manner.day);
    analysis.intent = manner.intent.unwrap_or(analysis.intent);
    analysis.tech_tokens = Tokenizer::of_project(scope.project)?.tokens(query).into_iter().collect();
    let mut depth = limit.saturating_mul(DEPTH_FACTOR).clamp(MIN_DEPTH, MAX_DEPTH.max(limit));
    let mut run = run_lanes(scope, query, &analysis, limit, depth, None);
    let mut candidates = candidates_of(scope.project, &run.lanes)?;
    // One long item must not hide the others behind all of its chunks.
    if depth < MAX_DEPTH
        && run.is_full(depth)
        && places_for(&candidates, manner.max_per_item) < usize::try_from(limit).unwrap_or(0)
    {
        depth = depth.saturating_mul(SECOND_LOOK).min(MAX_DEPTH);
        run = run_lanes(scope, query, &analysis, limit, depth, run.meaning);
        candidates = candidates_of(scope.project, &run.lanes)?;
    }
    let LaneRun { mut lanes, tokens, meaning } = run;
    fuse::weigh(&mut lanes, &analysis, manner.weights);
    let mut hierarchy = None;
    if manner.hierarchical {
        hierarchy = Some(hierarchy::descend(scope, query, meaning.as_ref(), depth, &mut lanes)?);
        candidates = candidates_of(scope.project, &lanes)?;
    }
    Ok(Collected { analysis, lanes, candidates, tokens, depth, hierarchy })
}

/// What decides about the places of what lanes have found.
fn candidates_of(project: Uuid, lanes: &[LaneReport]) -> StatementResult<Candidates> {
    let chunks: BTreeSet<i64> =
        lanes.iter().flat_map(|lane| lane.outcome.hits()).map(|hit| hit.chunk_id).collect();
    let candidates = super::candidates(project, chunks.into_iter().collect())?;
    Ok(candidates.into_iter().map(|one| (one.chunk_id, one)).collect())
}

/// How many places candidates can fill if no item has more than its share.
fn places_for(candidates: &Candidates, max_per_item: usize) -> usize {
    let mut of_item: BTreeMap<[u8; 16], usize> = BTreeMap::new();
    for one in candidates.values() {
        *of_item.entry(*one.item_id.as_bytes()).or_default() += 1;
    }
    of_item.into_values().map(|chunks| chunks.min(max_per_item)).sum()
}

/// What the lanes left.
struct LaneRun {
    lanes: Vec<LaneReport>,
    /// Which identifiers were found where.
    tokens: FoundTokens,
    meaning: Option<Meaning>,
}

impl LaneRun {
    /// Whether some lane has more than was looked for.
    fn is_full(&self, depth: i32) -> bool {
        self.lanes
            .iter()
            .any(|lane| usize::try_from(depth).is_ok_and(|depth| lane.outcome.hits().len() >= depth))
    }
}

/// The lanes that look for chunks, each on its own. What a query means is not asked twice.
fn run_lanes(
    scope: &Scope,
    query: &str,
    analysis: &Analysis,
    limit: i32,
    depth: i32,
    known: Option<Meaning>,
) -> LaneRun {
    let (mut tokens, mut meaning) = (FoundTokens::new(), known);
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
        if let Some(meaning) = &meaning {
            return dense::again(scope, meaning, depth);
        }
        let found = dense::run(scope, query, depth);
        meaning = found.meaning;
        found.outcome
    });
    let lanes = [(LEXICAL, lexical), (DENSE, dense), (TECH_TOKEN, tech_token), (TRIGRAM, trigram)];
    let unweighed = |(name, outcome): (&'static str, LaneOutcome)| LaneReport { name, weight: 0.0, outcome };
    LaneRun { lanes: lanes.map(unweighed).into(), tokens, meaning }
}

/// What was collected as a ranking, and what each of the fused lists counts.
fn rank(
    scope: &Scope,
    query: &str,
    manner: &Manner,
    found: &mut Collected,
    limit: i32,
) -> (Vec<Ranked>, BTreeMap<&'static str, f64>) {
    let Fusion { ranking, weights } =
        fuse::fused(&found.lanes, &found.candidates, &found.analysis, manner.weights);
    let fused = reranked(scope.project, query, manner, ranking, &mut found.lanes);
    let order: Vec<i64> = fused.iter().map(|fused| fused.id).collect();
    let limit = usize::try_from(limit).unwrap_or(0);
    let (first, brought) = fuse::placed(&order, &found.candidates, &found.tokens, manner.max_per_item, limit);
    let fused: BTreeMap<i64, Fused<i64>> = fused.into_iter().map(|fused| (fused.id, fused)).collect();
    let own: BTreeMap<&str, Own> = found.lanes.iter().map(|lane| (lane.name, own(lane))).collect();
    let shown = first.iter().filter_map(|id| fused.get(id));
    let ranked = shown.map(|fused| Ranked {
        chunk_id: fused.id,
        score: fused.score,
        lanes: places(fused, &own, found.tokens.get(&fused.id), brought.contains(&fused.id)),
    });
    (ranked.collect(), weights)
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

//! From what lanes have found to one order: what each lane counts, the fusion, and the places. No statement runs here, so the same
//! hits can be fused again with other weights.

use std::collections::{BTreeMap, BTreeSet};

use memento_core::fusion::{self, Fused, Lane, SEARCH_K, confidence};
use memento_core::placing;
use memento_core::query::{Analysis, Date, LaneWeights};

use super::gather::{DENSE, LEXICAL, LaneReport, TECH_TOKEN, TRIGRAM};
use super::lane::LaneHit;
use super::tech_token::{self, FoundTokens};
use crate::spi::search::Candidate;

const CANONICAL: &str = "canonical";
const PINNED: &str = "pinned";
const INTENT: &str = "intent";
const TIME: &str = "time";

/// What is left of the dense lane's weight for a query with a name in it: the vector of such a sentence is near to whatever
/// addresses or mentions the name, whatever else it says (LoCoMo: nDCG@10 0.50 beside 0.66 of words).
const NAMED: f64 = 0.3;

/// How much of a lane's weight is that of its order without what models said in chats: what somebody told a model is what they will
/// ask for, and the long answer to it uses all of its words (LongMemEval, Recall@10 of sessions: .778 without it, .795 to .802 with a
/// half to three quarters).
const PEOPLE: f64 = 2.0 / 3.0;

/// What decides about chunks beside the lanes.
pub type Candidates = BTreeMap<i64, Candidate>;

/// Gives the lanes that look everywhere their weights for a query: by its looks, by how their hits stand out, and by the factors
/// of the project.
pub fn weigh(lanes: &mut [LaneReport], analysis: &Analysis, factors: LaneWeights) {
    let weights = analysis.weight_profile.weights().times(factors);
    for lane in &mut *lanes {
        if let Some(weight) = weight_of(lane.name, lane.outcome.hits(), analysis, weights) {
            lane.weight = weight;
        }
    }
    rescale(lanes, weights);
}

/// What a lane counts for this query; none for a lane that counts by another.
fn weight_of(name: &str, hits: &[LaneHit], analysis: &Analysis, weights: LaneWeights) -> Option<f64> {
    let scores = || hits.iter().map(|hit| hit.score).collect::<Vec<f64>>();
    Some(match name {
        LEXICAL => weights.lexical * confidence::by_ratio(&scores()),
        DENSE if analysis.has_name => weights.semantic * confidence::by_distance(&scores()) * NAMED,
        DENSE => weights.semantic * confidence::by_distance(&scores()),
        TECH_TOKEN => weights.tech_token,
        TRIGRAM => weights.trigram,
        _ => return None,
    })
}

/// Confidence says how words and vectors count beside each other. Together they count as much as ever, or else identifiers and
/// what is preferred would decide alone where both are unsure.
fn rescale(lanes: &mut [LaneReport], weights: LaneWeights) {
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

/// A fused ranking, and what each list that it is made of counts.
pub struct Fusion {
    pub ranking: Vec<Fused<'static, i64>>,
    pub weights: BTreeMap<&'static str, f64>,
}

/// All that lanes have found and that is still there, best first. What is canonical, pinned, of a kind that has such answers, or of
/// the time that is meant, counts once more.
pub fn fused(
    lanes: &[LaneReport],
    candidates: &Candidates,
    analysis: &Analysis,
    factors: LaneWeights,
) -> Fusion {
    let weights = analysis.weight_profile.weights().times(factors);
    let mut fusing: Vec<Lane<i64>> = lanes.iter().flat_map(|lane| in_order(lane, candidates)).collect();
    let found = fusion::fuse(&fusing, SEARCH_K);
    fusing.push(preferred(CANONICAL, weights.canonical, &found, candidates, |one| one.is_canonical));
    fusing.push(preferred(PINNED, weights.pinned, &found, candidates, |one| one.is_pinned));
    let kinds = analysis.intent.kinds();
    fusing.push(preferred(INTENT, weights.intent, &found, candidates, |one| {
        kinds.contains(&one.kind.as_str())
    }));
    let is_meant = |one: &Candidate| {
        let range = analysis.dates.as_ref().map(|mention| mention.range);
        range.zip(Date::from_days(one.day)).is_some_and(|(range, day)| range.contains(day))
    };
    fusing.push(preferred(TIME, weights.time, &found, candidates, is_meant));
    let mut ranking = fusion::fuse(&fusing, SEARCH_K);
    // Gone since the lane saw it: another statement of this transaction sees more.
    ranking.retain(|fused| candidates.contains_key(&fused.id));
    Fusion { ranking, weights: fusing.iter().map(|lane| (lane.name, lane.weight)).collect() }
}

/// What a lane has found, in its order; and once more without what a model said in a chat, where there is such.
fn in_order(report: &LaneReport, candidates: &Candidates) -> Vec<Lane<'static, i64>> {
    let is_of_model = |hit: &LaneHit| candidates.get(&hit.chunk_id).is_some_and(|one| one.is_of_model);
    let hits = report.outcome.hits();
    let ranked = |name, weight, wanted: &dyn Fn(&LaneHit) -> bool| {
        let scored = hits.iter().filter(|hit| wanted(hit)).map(|hit| (hit.chunk_id, hit.score));
        Lane::by_score(name, weight, scored)
    };
    match of_people(report.name).filter(|_| hits.iter().any(is_of_model)) {
        None => vec![ranked(report.name, report.weight, &|_| true)],
        Some(name) => vec![
            ranked(report.name, report.weight * (1.0 - PEOPLE), &|_| true),
            ranked(name, report.weight * PEOPLE, &|hit| !is_of_model(hit)),
        ],
    }
}

/// What the order without models is called, of the lanes that long answers are in the way of.
fn of_people(lane: &str) -> Option<&'static str> {
    match lane {
        LEXICAL => Some("fts_people"),
        DENSE => Some("dense_people"),
        _ => None,
    }
}

/// A ranked list of what the lanes have found and that is to be preferred, by seed 001: not a fixed bonus. It counts beside lanes
/// that are sure of themselves as it does beside others.
fn preferred(
    name: &'static str,
    weight: f64,
    found: &[Fused<i64>],
    candidates: &Candidates,
    is_meant: impl Fn(&Candidate) -> bool,
) -> Lane<'static, i64> {
    let meant = found.iter().map(|fused| fused.id).filter(|id| candidates.get(id).is_some_and(&is_meant));
    Lane::in_order(name, weight, meant)
}

/// The chunks of the first places, and which of them are there because of an identifier: no item fills the places, an identifier of
/// the query has one, and an item that has it comes before a second passage of another.
pub fn placed(
    ranked: &[i64],
    candidates: &Candidates,
    tokens: &FoundTokens,
    max_per_item: usize,
    limit: usize,
) -> (Vec<i64>, BTreeSet<i64>) {
    let item = |chunk: &i64| candidates.get(chunk).map(|one| *one.item_id.as_bytes());
    let spread = placing::spread(ranked.to_vec(), max_per_item, item);
    let holders: BTreeSet<i64> = tokens.keys().copied().collect();
    let (shown, mut brought) = placing::show_groups(&spread, limit, &holders, item);
    let (first, guaranteed) = placing::guarantee(&shown, limit, &tech_token::holders(tokens));
    brought.extend(guaranteed);
    (first, brought)
}

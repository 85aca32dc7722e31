//! Documents first, then passages in them, as seed 002 has it (9.2). The lanes that look everywhere have run before and are fused
//! with what is found here: a document that is not on the shortlist loses nothing but the preference.

use std::collections::BTreeMap;

use memento_core::filter::Filter;
use memento_core::fusion::{self, Lane, SEARCH_K, confidence};
use pgrx::Uuid;

use super::dense::{self, Meaning};
use super::gather::{DENSE, LEXICAL, LaneReport, TECH_TOKEN};
use super::lane::{LaneHit, LaneOutcome, guarded};
use super::{candidates, lexical};
use crate::spi::search::Scope;
use crate::spi::{self, StatementResult};

/// Kinds of items that say what others mean: decisions of a call, its action items, its summary.
pub const ARTIFACT_KINDS: [&str; 7] =
    ["decision", "decisions", "action_item", "action_items", "summary", "tech_notes", "analysis"];

/// How many chunks of artifacts each lane gives, by seed 002.
pub const ARTIFACT_DEPTH: i32 = 10;

/// Lanes of the two stages, as results have them.
pub const LEXICAL_ARTIFACTS: &str = "fts_artifacts";
const DENSE_ARTIFACTS: &str = "dense_artifacts";
pub const LEXICAL_DOCUMENTS: &str = "fts_documents";
pub const DENSE_DOCUMENTS: &str = "dense_documents";

/// How many documents are looked into, and how many of them at most because artifacts say so: what an artifact is about need not
/// have the words of the query.
const SHORTLIST: usize = 8;
const BY_ARTIFACTS: usize = 4;

/// What a stage counts beside the lane that looks everywhere. Less than one, so that it orders what both have found and does not
/// put what only it has found above what is best everywhere.
const SHARE: f64 = 0.5;

/// A lane whose confidence is less has many hits that are about as good: a tenth hit with four fifths of the best one's score.
const UNSURE: f64 = 0.2;

/// Which documents were looked into, or why none.
pub struct Hierarchy {
    pub documents: Vec<Uuid>,
    pub fallback: Option<&'static str>,
}

/// Adds the lanes of both stages to those that have looked everywhere.
pub fn descend(
    scope: &Scope,
    query: &str,
    meaning: Option<&Meaning>,
    depth: i32,
    lanes: &mut Vec<LaneReport>,
) -> StatementResult<Hierarchy> {
    let fallback = |reason| Hierarchy { documents: Vec::new(), fallback: Some(reason) };
    if !lanes.iter().any(is_sure) {
        return Ok(fallback("no lane tells the documents apart"));
    }
    let artifacts = of_artifacts(scope);
    if !artifacts.filter.matches_nothing() {
        let names = [LEXICAL_ARTIFACTS, DENSE_ARTIFACTS];
        lanes.extend(look_into(&artifacts, query, meaning, ARTIFACT_DEPTH, names, lanes));
    }
    let documents = shortlist(scope.project, lanes)?;
    if documents.is_empty() {
        return Ok(fallback("no document was found"));
    }
    let inside = within(scope, &documents);
    let names = [LEXICAL_DOCUMENTS, DENSE_DOCUMENTS];
    lanes.extend(look_into(&inside, query, meaning, depth, names, lanes));
    Ok(Hierarchy { documents, fallback: None })
}

/// Whether its best hits stand out.
fn is_sure(lane: &LaneReport) -> bool {
    let scores: Vec<f64> = lane.outcome.hits().iter().map(|hit| hit.score).collect();
    !scores.is_empty()
        && match lane.name {
            LEXICAL => confidence::by_ratio(&scores) >= UNSURE,
            DENSE => confidence::by_distance(&scores) >= UNSURE,
            name => name == TECH_TOKEN,
        }
}

/// Only artifacts of a scope.
fn of_artifacts(scope: &Scope) -> Scope {
    let is_wanted = |kind: &&str| match &scope.filter.kinds {
        Some(kinds) => kinds.iter().any(|wanted| wanted == kind),
        None => true,
    };
    let kinds = ARTIFACT_KINDS.iter().copied().filter(is_wanted).map(str::to_owned).collect();
    scope.with_filter(Filter { kinds: Some(kinds), ..scope.filter.clone() })
}

/// Only some items of a scope.
fn within(scope: &Scope, items: &[Uuid]) -> Scope {
    let mut ids: Vec<uuid::Uuid> =
        items.iter().map(|item| uuid::Uuid::from_bytes(*item.as_bytes())).collect();
    if let Some(wanted) = &scope.filter.item_ids {
        ids.retain(|id| wanted.contains(id));
    }
    ids.sort_unstable();
    scope.with_filter(Filter { item_ids: Some(ids), ..scope.filter.clone() })
}

/// Words and meaning in a part of the scope, with a share of the weight that they have everywhere.
fn look_into(
    part: &Scope,
    query: &str,
    meaning: Option<&Meaning>,
    depth: i32,
    [lexical, dense]: [&'static str; 2],
    everywhere: &[LaneReport],
) -> Vec<LaneReport> {
    let weight =
        |name: &str| everywhere.iter().find(|lane| lane.name == name).map_or(0.0, |lane| lane.weight * SHARE);
    let by_words = guarded(lexical, || lexical::run(part, query, depth));
    let by_meaning = match meaning {
        Some(meaning) => guarded(dense, || dense::again(part, meaning, depth)),
        None => LaneOutcome::off("lane dense did not run"),
    };
    vec![
        LaneReport { name: lexical, weight: weight(LEXICAL), outcome: by_words },
        LaneReport { name: dense, weight: weight(DENSE), outcome: by_meaning },
    ]
}

/// The best documents by where lanes have their best chunk: those of artifacts first, with what is linked with them.
fn shortlist(project: Uuid, lanes: &[LaneReport]) -> StatementResult<Vec<Uuid>> {
    let chunks = lanes.iter().flat_map(|lane| lane.outcome.hits()).map(|hit| hit.chunk_id).collect();
    let items: BTreeMap<i64, [u8; 16]> =
        candidates(project, chunks)?.into_iter().map(|one| (one.chunk_id, *one.item_id.as_bytes())).collect();
    let mut artifacts: Vec<Uuid> = Vec::new();
    for lane in lanes.iter().filter(|lane| is_of_artifacts(lane)) {
        artifacts.extend(items_of(lane, &items).map(|(item, _)| Uuid::from_bytes(item)));
    }
    let mut linked: BTreeMap<[u8; 16], Vec<[u8; 16]>> = BTreeMap::new();
    for (artifact, other) in spi::search::linked(project, artifacts)? {
        linked.entry(*artifact.as_bytes()).or_default().push(*other.as_bytes());
    }
    let ranking = |lane: &'_ LaneReport| {
        let with_linked = items_of(lane, &items).flat_map(|(item, score)| {
            let others = if is_of_artifacts(lane) { linked.get(&item) } else { None };
            let others: Vec<[u8; 16]> = others.cloned().unwrap_or_default();
            std::iter::once(item).chain(others).map(move |item| (item, score))
        });
        Lane::by_score(lane.name, lane.weight, with_linked)
    };
    let (of_artifacts, everywhere): (Vec<&LaneReport>, Vec<&LaneReport>) =
        lanes.iter().partition(|lane| is_of_artifacts(lane));
    let best =
        |lanes: Vec<&LaneReport>| fusion::fuse(&lanes.into_iter().map(ranking).collect::<Vec<_>>(), SEARCH_K);
    let mut documents: Vec<[u8; 16]> = Vec::new();
    let first = best(of_artifacts).into_iter().take(BY_ARTIFACTS);
    for document in first.chain(best(everywhere)) {
        if documents.len() < SHORTLIST && !documents.contains(&document.id) {
            documents.push(document.id);
        }
    }
    Ok(documents.into_iter().map(Uuid::from_bytes).collect())
}

fn is_of_artifacts(lane: &LaneReport) -> bool {
    [LEXICAL_ARTIFACTS, DENSE_ARTIFACTS].contains(&lane.name)
}

/// The items of a lane's hits, in their order, with the scores of the hits.
fn items_of<'a>(
    lane: &'a LaneReport,
    items: &'a BTreeMap<i64, [u8; 16]>,
) -> impl Iterator<Item = ([u8; 16], f64)> + 'a {
    let item = |hit: &LaneHit| Some((*items.get(&hit.chunk_id)?, hit.score));
    lane.outcome.hits().iter().filter_map(item)
}

//! How good searches are on a user's own labelled queries, lane by lane.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use memento_core::metric;
use pgrx::Uuid;
use serde_json::Value;

use super::access::as_owner;
use super::search::gather::{Gathered, gather};
use super::search::{self, SearchError};
use crate::error::{Failure, StatementError, passed_on, reported};
use crate::ffi::jsonb::Jsonb;
use crate::ffi::server::check_for_interrupts;
use crate::spi::search::Scope;
use crate::spi::{self, StatementResult};

/// More is not read by anybody in one statement.
const MOST_QUERIES: usize = 10_000;

/// The ranking that searches give.
const FUSED: &str = "fused";

/// Why queries cannot be evaluated.
#[derive(Debug, thiserror::Error)]
pub enum EvalError {
    #[error("queryset must be a JSON array of 1 to {MOST_QUERIES} objects with query and relevant")]
    BadQueryset,
    #[error("relevant of query {0} must be an array of item ids or chunk ids, not empty")]
    BadRelevant(usize),
    #[error(transparent)]
    Search(#[from] SearchError),
    #[error(transparent)]
    Statement(#[from] StatementError),
}

reported!(EvalError);

impl Failure for EvalError {
    passed_on!(Search, Statement);

    fn hint(&self) -> Option<String> {
        Some(r#"for example: [{"query": "which port?", "relevant": ["<item_id>", 17]}]"#.into())
    }
}

/// What is right for a query: items, or single chunks of them.
struct Labelled {
    query: String,
    relevant: BTreeSet<Label>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Label {
    Item([u8; 16]),
    Chunk(i64),
}

/// The quality of a lane, or of all together: means over the queries.
pub struct Quality {
    pub lane: String,
    pub queries: i64,
    pub recall: f64,
    pub mrr: f64,
    pub ndcg: f64,
    pub milliseconds: f64,
}

/// Sums over the queries so far.
#[derive(Default)]
struct Sum {
    queries: i64,
    recall: f64,
    mrr: f64,
    ndcg: f64,
    milliseconds: Vec<f64>,
}

impl Sum {
    fn add(&mut self, ranked: &[Label], relevant: &BTreeSet<Label>, k: usize, milliseconds: f64) {
        self.queries += 1;
        self.recall += metric::recall(ranked, relevant, k);
        self.mrr += metric::reciprocal_rank(ranked, relevant, k);
        self.ndcg += metric::ndcg(ranked, relevant, k);
        self.milliseconds.push(milliseconds);
    }

    fn quality(mut self, lane: &str, of: i64) -> Quality {
        self.milliseconds.sort_by(f64::total_cmp);
        let mean = |sum: f64| sum / of as f64;
        Quality {
            lane: lane.to_owned(),
            queries: self.queries,
            recall: mean(self.recall),
            mrr: mean(self.mrr),
            ndcg: mean(self.ndcg),
            milliseconds: self.milliseconds.get(self.milliseconds.len() / 2).copied().unwrap_or(0.0),
        }
    }
}

/// Searches for all queries; a lane that does not run for a query finds nothing for it.
pub fn eval(queryset: &Jsonb, k: i32) -> Result<Vec<Quality>, EvalError> {
    let labelled = read(queryset)?;
    let Some(scope) = search::scope(k, &serde_json::json!({}).into(), None)? else { return Ok(Vec::new()) };
    let depth = usize::try_from(k).unwrap_or(0);
    let mut sums: BTreeMap<String, Sum> = BTreeMap::new();
    as_owner(|| {
        for one in &labelled {
            check_for_interrupts();
            measure(&scope, one, depth, &mut sums)?;
        }
        Ok(())
    })?;
    let of = i64::try_from(labelled.len()).unwrap_or(i64::MAX);
    Ok(sums.into_iter().map(|(lane, sum)| sum.quality(&lane, of)).collect())
}

fn measure(scope: &Scope, one: &Labelled, k: usize, sums: &mut BTreeMap<String, Sum>) -> StatementResult<()> {
    let started = Instant::now();
    let found = gather(scope, &one.query, i32::try_from(k).unwrap_or(i32::MAX))?;
    let took = started.elapsed().as_secs_f64() * 1e3;
    let items = items_of(scope.project, &found)?;
    let fused: Vec<i64> = found.ranked.iter().map(|ranked| ranked.chunk_id).collect();
    let ranking = |chunks: &[i64]| ranking(chunks, &items, &one.relevant);
    sums.entry(FUSED.into()).or_default().add(&ranking(&fused), &one.relevant, k, took);
    for lane in &found.lanes {
        let super::search::lane::LaneOutcome::Ran(hits) = &lane.outcome else { continue };
        let chunks: Vec<i64> = hits.hits.iter().map(|hit| hit.chunk_id).collect();
        let took = hits.took.as_secs_f64() * 1e3;
        sums.entry(lane.name.into()).or_default().add(&ranking(&chunks), &one.relevant, k, took);
    }
    Ok(())
}

fn items_of(project: Uuid, found: &Gathered) -> StatementResult<BTreeMap<i64, [u8; 16]>> {
    let of_lanes = found.lanes.iter().flat_map(|lane| lane.outcome.hits()).map(|hit| hit.chunk_id);
    let chunks: BTreeSet<i64> = of_lanes.collect();
    let candidates = spi::search::candidates(project, chunks.into_iter().collect())?;
    Ok(candidates.into_iter().map(|one| (one.chunk_id, *one.item_id.as_bytes())).collect())
}

/// Chunks as their labels: a chunk that is labelled itself, else its item, each once.
fn ranking(chunks: &[i64], items: &BTreeMap<i64, [u8; 16]>, relevant: &BTreeSet<Label>) -> Vec<Label> {
    let mut seen = BTreeSet::new();
    chunks
        .iter()
        .filter_map(|chunk| {
            let item = Label::Item(*items.get(chunk)?);
            let is_labelled = relevant.contains(&Label::Chunk(*chunk));
            Some(if is_labelled { Label::Chunk(*chunk) } else { item })
        })
        .filter(|label| seen.insert(*label))
        .collect()
}

fn read(queryset: &Jsonb) -> Result<Vec<Labelled>, EvalError> {
    let Ok(Value::Array(entries)) = queryset.parse() else { return Err(EvalError::BadQueryset) };
    if entries.is_empty() || entries.len() > MOST_QUERIES {
        return Err(EvalError::BadQueryset);
    }
    (1..).zip(&entries).map(|(number, entry)| labelled(number, entry)).collect()
}

fn labelled(number: usize, entry: &Value) -> Result<Labelled, EvalError> {
    let query = entry["query"].as_str().ok_or(EvalError::BadQueryset)?.to_owned();
    let labels = entry["relevant"].as_array().ok_or(EvalError::BadRelevant(number))?;
    let relevant: Option<BTreeSet<Label>> = labels
        .iter()
        .map(|label| match label {
            Value::String(item) => Some(Label::Item(*uuid::Uuid::parse_str(item).ok()?.as_bytes())),
            Value::Number(chunk) => Some(Label::Chunk(chunk.as_i64()?)),
            _ => None,
        })
        .collect();
    match relevant {
        Some(relevant) if !relevant.is_empty() => Ok(Labelled { query, relevant }),
        _ => Err(EvalError::BadRelevant(number)),
    }
}

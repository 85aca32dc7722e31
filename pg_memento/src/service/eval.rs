//! How good searches are on a user's own labelled queries, lane by lane.

pub mod stored;
pub mod tune;

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use memento_core::metric;
use pgrx::Uuid;
use pgrx::prelude::PgSqlErrorCode;
use serde_json::Value;

use super::access::{AccessError, as_owner};
use super::search::gather::{Gathered, gather};
use super::search::lane::LaneOutcome;
use super::search::{self, SearchError};
use crate::error::{Failure, StatementError, passed_on, reported};
use crate::ffi::jsonb::Jsonb;
use crate::ffi::server::check_for_interrupts;
use crate::spi::search::Scope;
use crate::spi::{self, StatementResult};

/// More is not read by anybody in one statement.
const MOST_QUERIES: usize = 10_000;

/// Longer names are no names.
const MOST_NAME: usize = 200;

/// The ranking that searches give.
const FUSED: &str = "fused";

/// Why queries cannot be evaluated.
#[derive(Debug, thiserror::Error)]
pub enum EvalError {
    #[error("queryset must be a JSON array of 1 to {MOST_QUERIES} objects with query and relevant")]
    BadQueryset,
    #[error("relevant of query {0} must be an array of item ids or chunk ids, not empty")]
    BadRelevant(usize),
    #[error("give queryset or eval_set, one of them")]
    BadChoice,
    #[error("more than 2000 queries to tune on")]
    TooManyToTune,
    #[error("{train} queries to tune on and {held_out} to prove it are too few")]
    TooFewToTune { train: usize, held_out: usize },
    #[error("the name of an eval set must be given, of at most {MOST_NAME} characters")]
    BadName,
    #[error("there is no eval set {0:?} in this project")]
    NoSet(String),
    #[error("there is no embedding profile {0:?}")]
    NoProfile(String),
    #[error("the project has no vectors by profile {0:?}")]
    NoVectors(String),
    #[error(transparent)]
    Search(#[from] SearchError),
    #[error(transparent)]
    Access(#[from] AccessError),
    #[error(transparent)]
    Statement(#[from] StatementError),
}

reported!(EvalError);

impl Failure for EvalError {
    passed_on!(Search, Access, Statement);

    fn sqlstate(&self) -> PgSqlErrorCode {
        match self {
            Self::NoSet(_) | Self::NoProfile(_) => PgSqlErrorCode::ERRCODE_NO_DATA_FOUND,
            Self::NoVectors(_) => PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
            _ => PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::NoSet(_) => "EVAL_SET_NOT_FOUND",
            Self::NoProfile(_) => "PROFILE_NOT_FOUND",
            Self::NoVectors(_) => "PROFILE_NOT_FILLED",
            _ => "VALIDATION_ERROR",
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::BadName | Self::NoSet(_) => "memento.save_eval_set(name, queryset) saves one".into(),
            Self::NoProfile(_) => "memento.embedding_profiles_list() has their names".into(),
            Self::NoVectors(name) => format!("memento.embedding_profiles_fill('{name}') makes them"),
            Self::TooManyToTune => "take a part of them".into(),
            Self::TooFewToTune { .. } => {
                "label more queries: each side needs five, and fifty say more than ten".into()
            }
            Self::BadQueryset | Self::BadRelevant(_) | Self::BadChoice => {
                r#"for example: [{"query": "which port?", "relevant": ["<item_id>", 17]}]"#.into()
            }
            Self::Search(_) | Self::Access(_) | Self::Statement(_) => return None,
        })
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

/// What was measured of the queries so far.
#[derive(Default)]
struct Measured {
    recall: f64,
    mrr: f64,
    /// By the number of the query, so that two rankings can be compared query by query.
    ndcg: BTreeMap<usize, f64>,
    milliseconds: Vec<f64>,
}

impl Measured {
    fn quality(mut self, lane: &str, of: usize) -> Quality {
        self.milliseconds.sort_by(f64::total_cmp);
        let mean = |sum: f64| sum / of as f64;
        Quality {
            lane: lane.to_owned(),
            queries: i64::try_from(self.ndcg.len()).unwrap_or(i64::MAX),
            recall: mean(self.recall),
            mrr: mean(self.mrr),
            ndcg: mean(self.ndcg.values().sum()),
            milliseconds: self.milliseconds.get(self.milliseconds.len() / 2).copied().unwrap_or(0.0),
        }
    }
}

/// What was measured of each lane.
type Lanes = BTreeMap<String, Measured>;

/// Searches for all queries; a lane that does not run for a query finds nothing for it.
pub fn eval(queryset: &Jsonb, k: i32) -> Result<Vec<Quality>, EvalError> {
    let labelled = read(queryset)?;
    let Some(scope) = everything(k)? else { return Ok(Vec::new()) };
    Ok(qualities(measure_all(&scope, &labelled, k)?, labelled.len()))
}

/// The whole of the session's project.
fn everything(k: i32) -> Result<Option<Scope>, SearchError> {
    search::scope(k, &serde_json::json!({}).into(), None)
}

fn qualities(lanes: Lanes, queries: usize) -> Vec<Quality> {
    lanes.into_iter().map(|(lane, measured)| measured.quality(&lane, queries)).collect()
}

fn measure_all(scope: &Scope, labelled: &[Labelled], k: i32) -> StatementResult<Lanes> {
    let mut lanes = Lanes::new();
    as_owner(|| {
        for (number, one) in labelled.iter().enumerate() {
            check_for_interrupts();
            measure(scope, (number, one), k, &mut lanes)?;
        }
        Ok(())
    })?;
    Ok(lanes)
}

fn measure(
    scope: &Scope,
    (number, one): (usize, &Labelled),
    k: i32,
    lanes: &mut Lanes,
) -> StatementResult<()> {
    let started = Instant::now();
    let found = gather(scope, &one.query, k)?;
    let took = started.elapsed();
    let items = items_of(scope.project, &found)?;
    let depth = usize::try_from(k).unwrap_or(0);
    let mut add = |lane: &str, chunks: Vec<i64>, took: Duration| {
        let ranked = ranking(&chunks, &items, &one.relevant);
        let measured = lanes.entry(lane.to_owned()).or_default();
        measured.recall += metric::recall(&ranked, &one.relevant, depth);
        measured.mrr += metric::reciprocal_rank(&ranked, &one.relevant, depth);
        measured.ndcg.insert(number, metric::ndcg(&ranked, &one.relevant, depth));
        measured.milliseconds.push(took.as_secs_f64() * 1e3);
    };
    add(FUSED, found.ranked.iter().map(|ranked| ranked.chunk_id).collect(), took);
    for lane in &found.lanes {
        if let LaneOutcome::Ran(ran) = &lane.outcome {
            // As many as a search by this lane alone would give: it looks deeper, and several chunks may be of one item.
            add(lane.name, ran.hits.iter().take(depth).map(|hit| hit.chunk_id).collect(), ran.took);
        }
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

//! The dense lane: chunks whose vectors are near that of the query.
//!
//! Candidates come from the index of the profile, which all projects share; or, where few chunks are in question, from their
//! vectors alone. The index is not asked when so much of it would have to be passed over that the vectors themselves are read
//! faster, and its answer is not taken when it is short.

use memento_worker::store::Profile;
use serde_json::Value;

use super::lane::{LaneHit, LaneOutcome, timed};
use crate::service::embed;
use crate::spi;
use crate::spi::StatementResult;
use crate::spi::dense::{IndexScan, Space};
use crate::spi::search::Scope;

/// So many vectors are read and compared at most: some 16 µs each, nearly all of it joins.
const FEW_CHUNKS: f64 = 10_000.0;

/// As many are read at most on the word of an estimate.
const MOST_READ: i64 = 40_000;

/// What it costs to pass over a vector in the index, which lies anywhere, beside reading one in order.
const COST_OF_PASSING: f64 = 3.0;

/// How many candidates are asked for each hit of the lane, without and with filters: twice what seed 001 has, as lanes look for
/// four hits for each result. The index passes over more of its graph for them, and finds more of the nearest.
const OVERSAMPLING: [f64; 2] = [2.0, 4.0];

/// How many times as many are asked for if that was short.
const SECOND_TRY: i64 = 4;

/// A query as a point among the vectors of a project.
pub struct Meaning {
    profile: Profile,
    space: Space,
    vector: Vec<f32>,
}

/// What the lane found, and the query's vector, which costs a model call.
pub struct DenseLane {
    pub outcome: LaneOutcome,
    pub meaning: Option<Meaning>,
}

/// Runs the lane with the model of the project's profile.
pub fn run(scope: &Scope, query: &str, limit: i32) -> DenseLane {
    let mut known = None;
    let outcome = timed(|| match meaning(scope, query)? {
        Ok(meaning) => {
            let found = near(scope, &meaning, limit)?;
            known = Some(meaning);
            Ok(Ok(found))
        }
        Err(reason) => Ok(Err(reason)),
    });
    DenseLane { outcome, meaning: known }
}

/// Runs it in another scope of the same project.
pub fn again(scope: &Scope, meaning: &Meaning, limit: i32) -> LaneOutcome {
    timed(|| near(scope, meaning, limit).map(Ok))
}

/// The query's vector, or why there is none.
fn meaning(scope: &Scope, query: &str) -> StatementResult<Result<Meaning, String>> {
    let Some(profile) = spi::profile::active(scope.project, scope.profile)? else {
        return Ok(Err("the project has no active embedding profile".into()));
    };
    let profile_id = pgrx::Uuid::from_bytes(*profile.profile.as_bytes());
    let Some(space) = spi::dense::space(scope.project, profile_id)? else {
        return Ok(Err("the project has no vectors by its embedding profile yet".into()));
    };
    Ok(match embed::query_vector(&profile, query) {
        Ok(vector) => Ok(Meaning { profile, space, vector }),
        Err(error) => Err(error.to_string()),
    })
}

fn near(scope: &Scope, meaning: &Meaning, limit: i32) -> StatementResult<(String, Vec<LaneHit>)> {
    let Meaning { profile, space, vector } = meaning;
    let (used, found) = nearest(scope, space, profile, vector.clone(), limit)?;
    let hits = found
        .into_iter()
        .map(|(chunk_id, distance)| LaneHit { chunk_id, score: space.similarity(distance) })
        .collect();
    Ok((used.into(), hits))
}

/// The nearest chunks, never fewer than there are, and how they were found.
fn nearest(
    scope: &Scope,
    space: &Space,
    profile: &Profile,
    vector: Vec<f32>,
    limit: i32,
) -> StatementResult<(&'static str, Vec<(i64, f64)>)> {
    let in_scope = spi::dense::estimate(scope)?;
    let scan = index_scan(scope, space, profile, in_scope, limit)?;
    if in_scope <= FEW_CHUNKS || scan.is_none() {
        // The estimate may be wrong, if nobody has counted yet: then it is better to ask the index.
        let bound = scan.is_some().then_some(MOST_READ);
        if let Some(found) = spi::dense::exact(scope, space, vector.clone(), limit, bound)? {
            return Ok(("exact", found));
        }
    }
    for scan in scan.iter().flat_map(|scan| [scan.clone(), scan.times(SECOND_TRY)]) {
        let found = spi::dense::by_index(scope, space, &scan, vector.clone(), limit)?;
        if found.len() >= usize::try_from(limit).unwrap_or(0) {
            return Ok(("index", found));
        }
    }
    Ok(("exact", spi::dense::exact(scope, space, vector, limit, None)?.unwrap_or_default()))
}

/// How to ask the index; none if there is none, or if the vectors themselves are read faster.
fn index_scan(
    scope: &Scope,
    space: &Space,
    profile: &Profile,
    in_scope: f64,
    limit: i32,
) -> StatementResult<Option<IndexScan>> {
    let Some(indexed) = space.indexed else { return Ok(None) };
    let wanted = f64::from(limit) * OVERSAMPLING[usize::from(scope.is_filtered())];
    // Beside those in question the project has others: filtered out, archived, or of old versions.
    let in_project = spi::dense::estimate_project(scope.project)?.max(in_scope);
    let candidates = (wanted * in_project / in_scope.max(1.0)).min(in_project).ceil();
    let passed_over = candidates * indexed.max(in_project) / in_project.max(1.0);
    if passed_over * COST_OF_PASSING > in_scope.max(FEW_CHUNKS) {
        return Ok(None);
    }
    let ef_search = EfSearch::of(&profile.config).for_candidates(candidates);
    Ok(Some(IndexScan { candidates: candidates as i64, ef_search, most_passed: (passed_over * 4.0) as i64 }))
}

/// How `hnsw.ef_search` follows the number of candidates: `query` in the profile's config.
struct EfSearch {
    min: f64,
    factor: f64,
    max: f64,
}

impl EfSearch {
    fn of(config: &Value) -> Self {
        let number = |key: &str, otherwise: f64| {
            config["query"][key].as_f64().filter(|number| number.is_finite()).unwrap_or(otherwise)
        };
        Self {
            min: number("ef_search_min", 40.0),
            factor: number("ef_search_factor", 2.0),
            max: number("ef_search_max", 400.0),
        }
    }

    /// Within what pgvector takes.
    fn for_candidates(&self, candidates: f64) -> i32 {
        (candidates * self.factor).min(self.max).max(self.min).clamp(1.0, 1000.0) as i32
    }
}

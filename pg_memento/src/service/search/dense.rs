//! The dense lane: chunks whose vectors are near that of the query.
//!
//! There are three ways to them: candidates from the index of the profile, which all projects share; candidates from all vectors of
//! the project, compared one by one; and the vectors of those chunks alone that are in question. The cheapest by the server's
//! estimates is tried first. Where it gives too few, or the estimates were wrong, the others are tried.

use memento_worker::store::Profile;
use serde_json::Value;

use super::lane::{LaneHit, LaneOutcome, timed};
use crate::service::embed;
use crate::spi;
use crate::spi::StatementResult;
use crate::spi::dense::{IndexScan, Nearest, Query, Space};
use crate::spi::search::Scope;

/// What is used where vectors are compared one by one.
pub const EXACT: &str = "exact";

/// What it costs, in microseconds, to compare a vector of the project, and each number of it; to look at what a chunk belongs to;
/// and to pass over a vector in the index, which lies anywhere. As measured (docs/search.md); only their relation counts.
const COST_OF_VECTOR: f64 = 0.5;
const COST_OF_NUMBER: f64 = 0.0022;
const COST_OF_CHUNK: f64 = 12.0;
const COST_OF_PASSING: f64 = 30.0;

/// So many times as long may what is exact take before the index is asked, which may miss some of the nearest.
const WORTH_OF_EXACTNESS: f64 = 2.0;

/// What a way may cost that does without the index: it must end long before lanes have to.
const MOST_COST: f64 = 400_000.0;

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
            Ok(found)
        }
        Err(reason) => Ok(Err(reason)),
    });
    DenseLane { outcome, meaning: known }
}

/// Runs it in another scope of the same project.
pub fn again(scope: &Scope, meaning: &Meaning, limit: i32) -> LaneOutcome {
    timed(|| near(scope, meaning, limit))
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
    Ok(match embed::query_vector(scope.project, &profile, query)? {
        Ok(vector) => Ok(Meaning { profile, space, vector }),
        Err(error) => Err(error.to_string()),
    })
}

fn near(
    scope: &Scope,
    meaning: &Meaning,
    limit: i32,
) -> StatementResult<Result<(String, Vec<LaneHit>), String>> {
    let Meaning { profile, space, vector } = meaning;
    let query = Query { space, vector, limit };
    let ways = Ways::new(Amounts::of(scope, space)?, &query, &profile.config, scope.is_filtered());
    for way in ways.cheapest_first() {
        let Some(Nearest { found, saw_all }) = way.go(scope, &query, ways.most())? else { continue };
        if saw_all || i32::try_from(found.len()).is_ok_and(|count| count >= limit) {
            let hit = |(chunk_id, distance)| LaneHit { chunk_id, score: space.similarity(vector, distance) };
            return Ok(Ok((way.name().into(), found.into_iter().map(hit).collect())));
        }
    }
    Ok(Err(match space.indexed {
        Some(_) => "too many vectors to compare, and the index gave too few".into(),
        None => "too many vectors to compare while their index is not built".into(),
    }))
}

/// How much there is, about.
struct Amounts {
    in_scope: f64,
    /// Beside those in question the project has others: filtered out, archived, or of old versions.
    in_project: f64,
    indexed: Option<f64>,
}

impl Amounts {
    fn of(scope: &Scope, space: &Space) -> StatementResult<Self> {
        let in_scope = spi::dense::estimate(scope)?.max(1.0);
        let in_project = spi::dense::estimate_project(scope.project)?.max(in_scope);
        Ok(Self { in_scope, in_project, indexed: space.indexed.filter(|_| !scope.is_exact) })
    }
}

/// A way to the nearest chunks.
#[derive(Clone)]
enum Way {
    Index(IndexScan),
    Scan { candidates: i64 },
    Scope,
}

impl Way {
    /// As results have it.
    fn name(&self) -> &'static str {
        match self {
            Self::Index(_) => "index",
            Self::Scan { .. } | Self::Scope => EXACT,
        }
    }

    /// None if that would be too much.
    fn go(&self, scope: &Scope, query: &Query, most: Most) -> StatementResult<Option<Nearest>> {
        match self {
            Self::Index(scan) => spi::dense::by_index(scope, query, scan),
            Self::Scan { candidates } => spi::dense::by_scan(scope, query, *candidates, most.vectors),
            Self::Scope => spi::dense::in_scope(scope, query, most.chunks),
        }
    }
}

/// How much is compared at most without the index.
#[derive(Clone, Copy)]
struct Most {
    vectors: i64,
    chunks: i64,
}

/// The ways there are, and what each may cost.
struct Ways {
    amounts: Amounts,
    cost_of_vector: f64,
    candidates: f64,
    ef_search: EfSearch,
}

impl Ways {
    fn new(amounts: Amounts, query: &Query, config: &Value, is_filtered: bool) -> Self {
        let wanted = f64::from(query.limit) * OVERSAMPLING[usize::from(is_filtered)];
        Self {
            cost_of_vector: COST_OF_VECTOR + COST_OF_NUMBER * f64::from(query.space.dims),
            candidates: (wanted * amounts.in_project / amounts.in_scope).min(amounts.in_project).ceil(),
            ef_search: EfSearch::of(config),
            amounts,
        }
    }

    fn most(&self) -> Most {
        let vectors = (MOST_COST / self.cost_of_vector) as i64;
        Most { vectors, chunks: (MOST_COST / (COST_OF_CHUNK + self.cost_of_vector)) as i64 }
    }

    /// The index is asked before what is exact if it is cheaper, and never afterwards.
    fn cheapest_first(&self) -> Vec<Way> {
        let Amounts { in_scope, in_project, .. } = self.amounts;
        let scan = in_project * self.cost_of_vector + self.candidates * COST_OF_CHUNK;
        let in_order = in_scope * (COST_OF_CHUNK + self.cost_of_vector);
        let candidates = self.candidates as i64;
        let mut exact = vec![Way::Scan { candidates }, Way::Scope];
        if in_order < scan {
            exact.reverse();
        }
        // For a scope that was larger than the estimate, and not among the nearest.
        exact.push(Way::Scan { candidates: self.most().chunks });
        let mut ways = self.by_index(scan.min(in_order));
        ways.append(&mut exact);
        ways
    }

    fn by_index(&self, exact: f64) -> Vec<Way> {
        let Amounts { in_project, indexed: Some(indexed), .. } = self.amounts else { return Vec::new() };
        let ef_search = self.ef_search.for_candidates(self.candidates);
        let passed_over = self.candidates * indexed.max(in_project) / in_project;
        let cost = passed_over.max(f64::from(ef_search)) * COST_OF_PASSING + self.candidates * COST_OF_CHUNK;
        if cost * WORTH_OF_EXACTNESS > exact {
            return Vec::new();
        }
        let scan = IndexScan {
            candidates: self.candidates as i64,
            ef_search,
            most_passed: (passed_over * 4.0) as i64,
        };
        let again = scan.times(SECOND_TRY);
        vec![Way::Index(scan), Way::Index(again)]
    }
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

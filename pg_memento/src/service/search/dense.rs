//! The dense lane: chunks whose vectors are near that of the query.
//!
//! The cheapest way to them by the server's estimates is tried first (`memento_core::nearest`). Where it gives too few, or the
//! estimates were wrong, the others are tried.

use memento_core::nearest::{Amounts, Wanted, Way, Ways};
use memento_worker::store::Profile;

use super::lane::{LaneHit, LaneOutcome, timed};
use crate::service::embed;
use crate::spi;
use crate::spi::StatementResult;
use crate::spi::dense::{Nearest, Query, Space};
use crate::spi::search::Scope;

/// What is used where vectors are compared one by one.
pub const EXACT: &str = "exact";

/// What is used where the index gives them.
pub const INDEX: &str = "index";

/// What is used where the index has been asked for all that it gives in time, and that was less than the lane looks for.
const SHORT_INDEX: &str = "index, short";

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
    let wanted = Wanted { limit, dims: space.dims, is_filtered: scope.is_filtered() };
    let ways = Ways::new(amounts(scope, space)?, &wanted, &profile.config);
    let hits = |found: Vec<(i64, f64)>| {
        let hit = |(chunk_id, distance)| LaneHit { chunk_id, score: space.similarity(vector, distance) };
        found.into_iter().map(hit).collect::<Vec<_>>()
    };
    let mut most = Vec::new();
    for way in ways.cheapest_first() {
        let Some(Nearest { found, saw_all }) = go(&way, &ways, scope, &query)? else { continue };
        if saw_all || i32::try_from(found.len()).is_ok_and(|count| count >= limit) {
            return Ok(Ok((name(&way).into(), hits(found))));
        }
        if found.len() > most.len() {
            most = found;
        }
    }
    // Fewer than the lane looks for are still the nearest that the index has.
    if !most.is_empty() {
        return Ok(Ok((SHORT_INDEX.into(), hits(most))));
    }
    Ok(Err(match space.indexed {
        Some(_) => "too many vectors to compare, and the index gave none that are wanted".into(),
        None => "too many vectors to compare while their index is not built".into(),
    }))
}

/// How much there is, about, as the server's planner has it.
fn amounts(scope: &Scope, space: &Space) -> StatementResult<Amounts> {
    let in_scope = spi::dense::estimate(scope)?.max(1.0);
    let in_project = spi::dense::estimate_project(scope.project)?.max(in_scope);
    Ok(Amounts { in_scope, in_project, indexed: space.indexed.filter(|_| !scope.is_exact) })
}

/// As results have it.
fn name(way: &Way) -> &'static str {
    match way {
        Way::Index(_) => INDEX,
        Way::Scan { .. } | Way::Scope => EXACT,
    }
}

/// None if that would be too much.
fn go(way: &Way, ways: &Ways, scope: &Scope, query: &Query) -> StatementResult<Option<Nearest>> {
    match way {
        Way::Index(scan) => spi::dense::by_index(scope, query, scan),
        Way::Scan { candidates } => spi::dense::by_scan(scope, query, *candidates, ways.most_vectors()),
        Way::Scope => spi::dense::in_scope(scope, query, ways.most_chunks()),
    }
}

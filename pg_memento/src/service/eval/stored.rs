//! Query sets that are kept, what came of them with each profile, and two profiles beside each other.

use std::collections::BTreeSet;

use memento_core::access::AccessLevel;
use pgrx::Uuid;
use serde_json::json;

use super::{EvalError, Labelled, Lanes, MOST_NAME, Quality, everything, measure_all, qualities, read};
use crate::ffi::identity::current_role;
use crate::ffi::jsonb::Jsonb;
use crate::service::access::{as_owner, authorize_current};
use crate::spi;
use crate::spi::search::Scope;

/// Keeps a query set under a name, in place of one of that name; gives how many queries it has.
pub fn save(name: &str, queryset: &Jsonb) -> Result<i32, EvalError> {
    let queries = read(queryset)?.len();
    if name.trim().is_empty() || name.chars().count() > MOST_NAME {
        return Err(EvalError::BadName);
    }
    let project = authorize_current(AccessLevel::Write)?;
    let caller = current_role();
    as_owner(|| spi::eval::save_set(project, caller, name, queryset.clone()))?;
    Ok(i32::try_from(queries).unwrap_or(i32::MAX))
}

/// Searches for the queries of a set, by the project's profile or another one, and keeps the result.
pub fn run(name: &str, k: i32, profile: Option<&str>) -> Result<Vec<Quality>, EvalError> {
    let project = authorize_current(AccessLevel::Write)?;
    let labelled = load(project, name)?;
    let Some(mut scope) = everything(k)? else { return Ok(Vec::new()) };
    if let Some(profile) = profile {
        scope.profile = Some(filled(project, profile)?);
    }
    let found = qualities(measure_all(&scope, &labelled, k)?, labelled.len());
    let lanes: serde_json::Map<String, serde_json::Value> = found
        .iter()
        .map(|one| {
            let of_lane = json!({"queries": one.queries, "recall": one.recall, "mrr": one.mrr, "ndcg": one.ndcg,
                                 "median_ms": one.milliseconds});
            (one.lane.clone(), of_lane)
        })
        .collect();
    let caller = current_role();
    as_owner(|| spi::eval::keep_run(project, caller, name, scope.profile, k, json!(lanes).into()))?;
    Ok(found)
}

/// A lane with one profile and with another.
pub struct Comparison {
    pub lane: String,
    pub one: Quality,
    pub other: Quality,
    /// For how many queries the other has the better nDCG, and for how many the worse.
    pub better: i64,
    pub worse: i64,
}

/// The queries of a set by one profile and by another, side by side.
pub fn compare(name: &str, one: &str, other: &str, k: i32) -> Result<Vec<Comparison>, EvalError> {
    let project = authorize_current(AccessLevel::Read)?;
    let labelled = load(project, name)?;
    let Some(scope) = everything(k)? else { return Ok(Vec::new()) };
    let one = Scope { profile: Some(filled(project, one)?), ..scope };
    let mut by_one = measure_all(&one, &labelled, k)?;
    let other = Scope { profile: Some(filled(project, other)?), ..one };
    let mut by_other = measure_all(&other, &labelled, k)?;
    let lanes: BTreeSet<String> = by_one.keys().chain(by_other.keys()).cloned().collect();
    Ok(lanes.into_iter().map(|lane| side_by_side(lane, &mut by_one, &mut by_other, labelled.len())).collect())
}

fn side_by_side(lane: String, by_one: &mut Lanes, by_other: &mut Lanes, queries: usize) -> Comparison {
    let (one, other) = (by_one.remove(&lane).unwrap_or_default(), by_other.remove(&lane).unwrap_or_default());
    let (mut better, mut worse) = (0, 0);
    for number in 0..queries {
        let of = |ndcg: Option<&f64>| ndcg.copied().unwrap_or(0.0);
        let (before, after) = (of(one.ndcg.get(&number)), of(other.ndcg.get(&number)));
        better += i64::from(after > before);
        worse += i64::from(after < before);
    }
    let (one, other) = (one.quality(&lane, queries), other.quality(&lane, queries));
    Comparison { lane, one, other, better, worse }
}

pub(super) fn load(project: Uuid, name: &str) -> Result<Vec<Labelled>, EvalError> {
    let queries = as_owner(|| spi::eval::queries_of(project, name))?;
    read(&queries.ok_or_else(|| EvalError::NoSet(name.into()))?)
}

/// A profile by whose vectors the project can be searched.
fn filled(project: Uuid, name: &str) -> Result<Uuid, EvalError> {
    let profile = as_owner(|| spi::profile::find(name))?.ok_or_else(|| EvalError::NoProfile(name.into()))?;
    match as_owner(|| spi::dense::space(project, profile.profile_id))? {
        Some(_) => Ok(profile.profile_id),
        None => Err(EvalError::NoVectors(name.into())),
    }
}

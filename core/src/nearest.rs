//! Which way to the nearest vectors of a project is the cheapest.
//!
//! There are three: candidates from the index of a profile, which all projects share; candidates from all vectors of the project,
//! compared one by one; and the vectors of those chunks alone that are in question. What is cheapest by estimates comes first, and
//! the others follow it, because estimates may be wrong.

use serde_json::Value;

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

/// What the index is asked for where all that is exact turned out to be too much, whatever the estimates said: so many candidates
/// among so many vectors, which takes a second or so.
const LAST_CANDIDATES: i64 = 10_000;
const LAST_PASSED: i64 = 40_000;

/// How much there is, about.
#[derive(Clone, Copy, Debug)]
pub struct Amounts {
    /// Chunks that a search is about, one at least.
    pub in_scope: f64,
    /// Beside those the project has others: filtered out, archived, or of old versions.
    pub in_project: f64,
    /// How many vectors the index has; none if there is none to be asked.
    pub indexed: Option<f64>,
}

/// What is looked for.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// How many hits.
    pub limit: i32,
    /// How many numbers a vector has.
    pub dims: i32,
    /// Whether filters take some of the project away.
    pub is_filtered: bool,
}

/// How an index is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexScan {
    /// For how many candidates.
    pub candidates: i64,
    /// How much of its graph is kept in view.
    pub ef_search: i32,
    /// How many vectors it may pass over.
    pub most_passed: i64,
}

impl IndexScan {
    /// For so many times as many candidates.
    fn times(&self, factor: i64) -> Self {
        Self {
            candidates: self.candidates.saturating_mul(factor),
            most_passed: self.most_passed.saturating_mul(factor),
            ..*self
        }
    }
}

/// A way to the nearest chunks.
#[derive(Clone, Debug, PartialEq)]
pub enum Way {
    /// By the index.
    Index(IndexScan),
    /// All vectors of the project, and what filters leave of so many of the nearest.
    Scan {
        /// How many.
        candidates: i64,
    },
    /// The vectors of what filters leave.
    Scope,
}

/// The ways there are, and what each may cost.
pub struct Ways {
    amounts: Amounts,
    cost_of_vector: f64,
    candidates: f64,
    ef_search: EfSearch,
}

impl Ways {
    /// The ways to what is wanted, with a profile's own settings.
    pub fn new(amounts: Amounts, wanted: &Wanted, config: &Value) -> Self {
        let oversampled = f64::from(wanted.limit) * OVERSAMPLING[usize::from(wanted.is_filtered)];
        Self {
            cost_of_vector: COST_OF_VECTOR + COST_OF_NUMBER * f64::from(wanted.dims),
            candidates: (oversampled * amounts.in_project / amounts.in_scope).min(amounts.in_project).ceil(),
            ef_search: EfSearch::of(config),
            amounts,
        }
    }

    /// How many vectors are compared at most without the index.
    pub fn most_vectors(&self) -> i64 {
        (MOST_COST / self.cost_of_vector) as i64
    }

    /// How many chunks are looked at at most with their vectors.
    pub fn most_chunks(&self) -> i64 {
        (MOST_COST / (COST_OF_CHUNK + self.cost_of_vector)) as i64
    }

    /// The index is asked before what is exact if it is cheaper, and once more if all else is too much.
    pub fn cheapest_first(&self) -> Vec<Way> {
        let Amounts { in_scope, in_project, .. } = self.amounts;
        let scan = in_project * self.cost_of_vector + self.candidates * COST_OF_CHUNK;
        let in_order = in_scope * (COST_OF_CHUNK + self.cost_of_vector);
        let candidates = self.candidates as i64;
        let mut exact = vec![Way::Scan { candidates }, Way::Scope];
        if in_order < scan {
            exact.reverse();
        }
        // For a scope that was larger than the estimate, and not among the nearest.
        exact.push(Way::Scan { candidates: self.most_chunks() });
        let mut ways = self.by_index(scan.min(in_order));
        ways.append(&mut exact);
        ways.extend(self.last_resort());
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

    fn last_resort(&self) -> Option<Way> {
        self.amounts.indexed?;
        Some(Way::Index(IndexScan {
            candidates: LAST_CANDIDATES,
            ef_search: self.ef_search.for_candidates(LAST_CANDIDATES as f64),
            most_passed: LAST_PASSED,
        }))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn ways(in_scope: f64, in_project: f64, indexed: Option<f64>) -> Vec<Way> {
        let wanted = Wanted { limit: 50, dims: 384, is_filtered: in_scope < in_project };
        Ways::new(Amounts { in_scope, in_project, indexed }, &wanted, &Value::Null).cheapest_first()
    }

    #[test]
    fn a_large_project_is_searched_by_the_index_and_a_small_one_exactly() {
        assert!(matches!(ways(1e6, 1e6, Some(1e6))[0], Way::Index(_)));
        assert!(matches!(ways(2e3, 2e3, Some(1e6))[0], Way::Scan { .. }));
        assert_eq!(ways(100.0, 1e6, Some(1e6))[0], Way::Scope, "a filter that leaves little");
    }

    #[test]
    fn the_index_is_the_last_resort_whatever_the_estimates_say() {
        // As of a project of millions before anybody has analysed it: what is exact will be too much for each of these ways.
        for (in_scope, in_project) in [(5e3, 5e3), (10.0, 5e3), (1e4, 1e6)] {
            let ways = ways(in_scope, in_project, Some(1e6));
            assert!(!matches!(ways[0], Way::Index(_)), "{ways:?}");
            assert!(matches!(ways.last(), Some(Way::Index(_))), "{ways:?}");
        }
        let without_index = ways(5e3, 5e3, None);
        assert!(without_index.iter().all(|way| !matches!(way, Way::Index(_))), "{without_index:?}");
    }

    #[test]
    fn settings_of_a_profile_bound_what_the_index_keeps_in_view() {
        let config = serde_json::json!({"query": {"ef_search_max": 120}});
        let amounts = Amounts { in_scope: 1e6, in_project: 1e6, indexed: Some(1e6) };
        let wanted = Wanted { limit: 50, dims: 384, is_filtered: false };
        let Way::Index(scan) = &Ways::new(amounts, &wanted, &config).cheapest_first()[0] else {
            panic!("not by the index")
        };
        assert_eq!((scan.candidates, scan.ef_search), (100, 120));
    }
}

//! Reciprocal rank fusion: several rankings of the same things made into one.

pub mod confidence;
pub mod tune;

use std::collections::{BTreeMap, BTreeSet};

/// The usual constant: large enough that the first few ranks of a lane do not drown the others.
pub const DEFAULT_K: f64 = 60.0;

/// The constant of searches: with 60, being found by two lanes at all outweighs the first place of one.
pub const SEARCH_K: f64 = 4.0;

/// What a lane adds for a rank, which counts from 1.
pub fn score(rank: u64, weight: f64, k: f64) -> f64 {
    weight / (k + rank as f64)
}

/// A ranking with a name and a weight.
pub struct Lane<'a, I> {
    /// Its name.
    pub name: &'a str,
    /// How much it counts.
    pub weight: f64,
    /// What it found with its rank; each thing once.
    places: Vec<(I, u64)>,
}

impl<'a, I: Ord + Copy> Lane<'a, I> {
    /// Things in their order, best first. A thing that is named twice counts with its better rank.
    pub fn in_order(name: &'a str, weight: f64, ids: impl IntoIterator<Item = I>) -> Self {
        let mut seen = BTreeSet::new();
        let once = ids.into_iter().filter(|id| seen.insert(*id));
        Self { name, weight, places: once.zip(1..).collect() }
    }

    /// Things with scores, best first. Equal scores share the best rank: which of them is named first says nothing.
    pub fn by_score(name: &'a str, weight: f64, scored: impl IntoIterator<Item = (I, f64)>) -> Self {
        let mut lane = Self::in_order(name, weight, []);
        let mut seen = BTreeSet::new();
        let mut last: Option<(f64, u64)> = None;
        for (id, score) in scored {
            if !seen.insert(id) {
                continue;
            }
            let place = match last {
                Some((before, rank)) if before.total_cmp(&score).is_eq() => rank,
                _ => lane.places.len() as u64 + 1,
            };
            last = Some((score, place));
            lane.places.push((id, place));
        }
        lane
    }
}

/// A thing with its place in each lane that found it.
#[derive(Clone, Debug, PartialEq)]
pub struct Fused<'a, I> {
    /// Its id.
    pub id: I,
    /// The sum over the lanes.
    pub score: f64,
    /// Lane and rank, in the order of the lanes.
    pub ranks: Vec<(&'a str, u64)>,
}

/// Fuses rankings: best first, ties by id. The order of the lanes does not matter for the scores.
pub fn fuse<'a, I: Ord + Copy>(lanes: &[Lane<'a, I>], k: f64) -> Vec<Fused<'a, I>> {
    let mut found: BTreeMap<I, Vec<(&'a str, u64, f64)>> = BTreeMap::new();
    for lane in lanes {
        for (id, rank) in &lane.places {
            found.entry(*id).or_default().push((lane.name, *rank, score(*rank, lane.weight, k)));
        }
    }
    let mut fused: Vec<Fused<'a, I>> = found
        .into_iter()
        .map(|(id, places)| {
            // Summed from the smallest, so that the result does not depend on the order of the lanes.
            let mut parts: Vec<f64> = places.iter().map(|place| place.2).collect();
            parts.sort_by(f64::total_cmp);
            Fused {
                id,
                score: parts.iter().sum(),
                ranks: places.iter().map(|(name, rank, _)| (*name, *rank)).collect(),
            }
        })
        .collect();
    fused.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
    fused
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lane<'a>(name: &'a str, weight: f64, ids: &[&'a str]) -> Lane<'a, &'a str> {
        Lane::in_order(name, weight, ids.iter().copied())
    }

    #[test]
    fn agreement_beats_a_single_first_place() {
        let fused = fuse(&[lane("fts", 1.0, &["a", "b"]), lane("dense", 1.0, &["c", "b"])], DEFAULT_K);
        let order: Vec<_> = fused.iter().map(|f| f.id).collect();
        assert_eq!(order, ["b", "a", "c"], "ties by id");
        assert!((fused[0].score - 2.0 / 62.0).abs() < 1e-12);
        assert_eq!(fused[0].ranks, [("fts", 2), ("dense", 2)]);
    }

    #[test]
    fn weights_count() {
        let fused = fuse(&[lane("a", 0.1, &["x"]), lane("b", 0.5, &["y"])], DEFAULT_K);
        assert_eq!(fused[0].id, "y");
    }

    #[test]
    fn a_repeated_id_counts_once_and_takes_no_rank() {
        let fused = fuse(&[lane("a", 1.0, &["x", "x", "y"])], DEFAULT_K);
        assert_eq!(fused[0].ranks, [("a", 1)]);
        assert_eq!(fused[1].ranks, [("a", 2)]);
    }

    #[test]
    fn equal_scores_share_a_rank() {
        let scored = [("a", 3.0), ("b", 2.0), ("b", 2.0), ("c", 2.0), ("d", 1.0)];
        let ranks: Vec<_> = fuse(&[Lane::by_score("l", 1.0, scored)], DEFAULT_K)
            .iter()
            .map(|f| (f.id, f.ranks[0].1))
            .collect();
        assert_eq!(ranks, [("a", 1), ("b", 2), ("c", 2), ("d", 4)]);
    }

    #[test]
    fn nothing_fuses_to_nothing() {
        assert!(fuse::<&str>(&[], DEFAULT_K).is_empty());
        assert!(fuse(&[lane("a", 1.0, &[])], DEFAULT_K).is_empty());
    }

    proptest! {
        #[test]
        fn the_order_of_lanes_does_not_matter(picks in proptest::collection::vec(proptest::collection::vec(0usize..5, 0..6), 3)) {
            const IDS: [&str; 5] = ["a", "b", "c", "d", "e"];
            let make = |at: usize| lane(["1", "2", "3"][at], [0.4, 0.5, 0.1][at], &picks[at].iter().map(|i| IDS[*i]).collect::<Vec<_>>());
            let forward = fuse(&[make(0), make(1), make(2)], DEFAULT_K);
            let backward = fuse(&[make(2), make(1), make(0)], DEFAULT_K);
            let key = |fused: &[Fused<'static, &'static str>]| fused.iter().map(|f| (f.id, f.score)).collect::<Vec<_>>();
            prop_assert_eq!(key(&forward), key(&backward));
            prop_assert!(forward.is_sorted_by(|a, b| a.score > b.score || (a.score == b.score && a.id < b.id)));
        }
    }
}

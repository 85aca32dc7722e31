//! Reciprocal rank fusion: several rankings of the same things made into one.

use std::collections::BTreeMap;

/// The usual constant: large enough that the first few ranks of a lane do not drown the others.
pub const DEFAULT_K: f64 = 60.0;

/// What a lane adds for a rank, which counts from 1.
pub fn score(rank: u64, weight: f64, k: f64) -> f64 {
    weight / (k + rank as f64)
}

/// A ranking with a name and a weight; best first. A thing that is named twice counts with its better rank.
pub struct Lane<'a> {
    /// Its name.
    pub name: &'a str,
    /// How much it counts.
    pub weight: f64,
    /// What it found, best first.
    pub ids: Vec<&'a str>,
}

/// A thing with its place in each lane that found it.
#[derive(Clone, Debug, PartialEq)]
pub struct Fused<'a> {
    /// Its id.
    pub id: &'a str,
    /// The sum over the lanes.
    pub score: f64,
    /// Lane and rank, in the order of the lanes.
    pub ranks: Vec<(&'a str, u64)>,
}

/// Fuses rankings: best first, ties by id. The order of the lanes does not matter for the scores.
pub fn fuse<'a>(lanes: &[Lane<'a>], k: f64) -> Vec<Fused<'a>> {
    let mut found: BTreeMap<&'a str, Vec<(&'a str, u64, f64)>> = BTreeMap::new();
    for lane in lanes {
        let mut rank = 0;
        for id in &lane.ids {
            let places = found.entry(*id).or_default();
            if places.last().is_none_or(|(name, _, _)| *name != lane.name) {
                rank += 1;
                places.push((lane.name, rank, score(rank, lane.weight, k)));
            }
        }
    }
    let mut fused: Vec<Fused<'a>> = found
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
    fused.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(b.id)));
    fused
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lane<'a>(name: &'a str, weight: f64, ids: &[&'a str]) -> Lane<'a> {
        Lane { name, weight, ids: ids.to_vec() }
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
    fn nothing_fuses_to_nothing() {
        assert!(fuse(&[], DEFAULT_K).is_empty());
        assert!(fuse(&[lane("a", 1.0, &[])], DEFAULT_K).is_empty());
    }

    proptest! {
        #[test]
        fn the_order_of_lanes_does_not_matter(picks in proptest::collection::vec(proptest::collection::vec(0usize..5, 0..6), 3)) {
            const IDS: [&str; 5] = ["a", "b", "c", "d", "e"];
            let make = |at: usize| lane(["1", "2", "3"][at], [0.4, 0.5, 0.1][at], &picks[at].iter().map(|i| IDS[*i]).collect::<Vec<_>>());
            let forward = fuse(&[make(0), make(1), make(2)], DEFAULT_K);
            let backward = fuse(&[make(2), make(1), make(0)], DEFAULT_K);
            let key = |fused: &[Fused<'static>]| fused.iter().map(|f| (f.id, f.score)).collect::<Vec<_>>();
            prop_assert_eq!(key(&forward), key(&backward));
            prop_assert!(forward.is_sorted_by(|a, b| a.score > b.score || (a.score == b.score && a.id < b.id)));
        }
    }
}

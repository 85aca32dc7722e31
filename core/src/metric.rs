//! How good a ranking is, beside what is known to be right.

use std::collections::BTreeSet;

/// What of the relevant things is among the first `k`, at most `k` of which can be.
pub fn recall<I: Ord>(ranked: &[I], relevant: &BTreeSet<I>, k: usize) -> f64 {
    let found = ranked.iter().take(k).filter(|id| relevant.contains(id)).count();
    ratio(found as f64, relevant.len().min(k) as f64)
}

/// One over the rank of the first relevant thing among the first `k`; 0 without one.
pub fn reciprocal_rank<I: Ord>(ranked: &[I], relevant: &BTreeSet<I>, k: usize) -> f64 {
    ranked.iter().take(k).position(|id| relevant.contains(id)).map_or(0.0, |place| 1.0 / (place as f64 + 1.0))
}

/// Discounted gain of the first `k` beside the best that could be; every relevant thing gains the same.
pub fn ndcg<I: Ord>(ranked: &[I], relevant: &BTreeSet<I>, k: usize) -> f64 {
    let gain = |place: usize| 1.0 / (place as f64 + 2.0).log2();
    let places = ranked.iter().take(k).enumerate().filter(|(_, id)| relevant.contains(id));
    let best: f64 = (0..relevant.len().min(k)).map(gain).sum();
    ratio(places.map(|(place, _)| gain(place)).sum(), best)
}

fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        let relevant = BTreeSet::from([1, 2]);
        assert_eq!(recall(&[3, 1, 4], &relevant, 3), 0.5);
        assert_eq!(recall(&[1], &relevant, 1), 1.0, "more than k cannot be found");
        assert_eq!(reciprocal_rank(&[3, 1], &relevant, 10), 0.5);
        assert_eq!(reciprocal_rank(&[3, 1], &relevant, 1), 0.0);
        let expected = (1.0 / 3f64.log2()) / (1.0 + 1.0 / 3f64.log2());
        assert!((ndcg(&[3, 1], &relevant, 10) - expected).abs() < 1e-12);
        assert_eq!(ndcg(&[2, 1], &relevant, 10), 1.0);
        assert_eq!(ndcg::<i32>(&[], &BTreeSet::new(), 10), 0.0);
    }
}

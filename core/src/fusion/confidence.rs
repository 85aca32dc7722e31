//! How far a lane can be trusted for one query, by the scores of what it found.
//!
//! A lane that knows the answer has a few hits that stand out; one that does not has many that are about as good. Without
//! this, the agreement of two mediocre places beats a first place, and a weak lane drowns a strong one: on the development
//! sets a fusion with fixed weights lost up to 0.16 of nDCG@10 to its better lane (docs/search.md).

/// The hit that a lane's best is compared with, from 0.
const COMPARED: usize = 9;

/// What a lane counts at least: it may be right where it does not look so.
const LEAST: f64 = 0.05;

/// From scores without a natural scale, such as BM25's, best first: how much of its score the best has above the tenth.
pub fn by_ratio(scores: &[f64]) -> f64 {
    let Some(best) = scores.first().copied().filter(|best| *best > 0.0) else { return LEAST };
    let tenth = scores.get(COMPARED).copied().unwrap_or(0.0);
    scaled((best - tenth) / best)
}

/// From similarities of vectors, best first: how far the best is above the tenth; 0.2 is far for a cosine.
pub fn by_distance(scores: &[f64]) -> f64 {
    const FAR: f64 = 0.2;
    let Some(best) = scores.first().copied() else { return LEAST };
    // With fewer than ten in all, the last one stands for what does not fit.
    let tenth = scores.get(COMPARED).or(scores.last()).copied().unwrap_or(best);
    scaled((best - tenth) / FAR)
}

fn scaled(standing_out: f64) -> f64 {
    // A number that is none counts as the least.
    if standing_out.is_nan() { LEAST } else { standing_out.clamp(LEAST, 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_lane_whose_best_stands_out_is_trusted() {
        let flat: Vec<f64> = (0..20).map(|i| 5.0 - f64::from(i) * 0.01).collect();
        let steep: Vec<f64> = (0..20).map(|i| 5.0 / f64::from(i + 1)).collect();
        assert!(by_ratio(&steep) > 10.0 * by_ratio(&flat));
        assert_eq!(by_ratio(&[7.0]), 1.0, "only one has the words");
        assert!(by_distance(&[0.8, 0.3]) > by_distance(&[0.31, 0.3]));
    }

    proptest! {
        #[test]
        fn it_is_a_weight_whatever_the_scores(scores in proptest::collection::vec(proptest::num::f64::ANY, 0..30)) {
            for weight in [by_ratio(&scores), by_distance(&scores)] {
                prop_assert!(weight > 0.0 && weight <= 1.0, "{weight}");
            }
        }
    }
}

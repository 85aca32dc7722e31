//! How good a ranking is, and whether one is better than another.

use std::collections::HashMap;

/// Where the difference of two means lies, with 95 % confidence.
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

/// Normalised discounted cumulative gain of the first ten.
pub fn ndcg_at_10(found: &[String], relevant: &HashMap<String, f64>) -> f64 {
    let gain = |grades: &mut dyn Iterator<Item = f64>| -> f64 {
        grades.take(10).zip(2..).map(|(grade, place)| grade / f64::from(place).log2()).sum()
    };
    let mut best: Vec<f64> = relevant.values().copied().collect();
    best.sort_by(|a, b| b.total_cmp(a));
    let ideal = gain(&mut best.into_iter());
    let gained = gain(&mut found.iter().map(|id| relevant.get(id).copied().unwrap_or(0.0)));
    if ideal > 0.0 { gained / ideal } else { 0.0 }
}

/// Resamples queries, with both scores of each, and looks at the difference of the means.
pub fn paired_bootstrap(ours: &[f64], theirs: &[f64]) -> Interval {
    const SAMPLES: usize = 2000;
    let differences: Vec<f64> = ours.iter().zip(theirs).map(|(a, b)| a - b).collect();
    if differences.is_empty() {
        return Interval { low: 0.0, high: 0.0 };
    }
    // A fixed seed: the same scores give the same interval.
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut draw = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        differences[(state % differences.len() as u64) as usize]
    };
    let mut means: Vec<f64> = (0..SAMPLES)
        .map(|_| (0..differences.len()).map(|_| draw()).sum::<f64>() / differences.len() as f64)
        .collect();
    means.sort_by(f64::total_cmp);
    Interval { low: means[SAMPLES / 40], high: means[SAMPLES - 1 - SAMPLES / 40] }
}

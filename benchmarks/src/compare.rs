//! Timing two things in turn, so that whatever else the machine does hits both.

use std::time::{Duration, Instant};

/// At least seven, so that a median and a range mean something.
const ROUNDS: usize = 9;

/// How long ours and theirs took, round by round.
pub struct Comparison {
    ours: Vec<Duration>,
    theirs: Vec<Duration>,
}

/// Runs A B A B ..., after one round of each that does not count.
pub fn interleave(mut ours: impl FnMut(), mut theirs: impl FnMut()) -> Comparison {
    let timed = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    timed(&mut ours);
    timed(&mut theirs);
    let (a, b) = (0..ROUNDS).map(|_| (timed(&mut ours), timed(&mut theirs))).unzip();
    Comparison { ours: a, theirs: b }
}

impl Comparison {
    /// Prints throughput in bytes, and the median of the ratios with their range.
    pub fn report(&self, peer: &str, bytes: usize) {
        self.report_rate(peer, bytes as f64 / 1e6, "MB/s");
    }

    /// The same for anything that can be counted.
    pub fn report_rate(&self, peer: &str, amount: f64, unit: &str) {
        let mut ratios: Vec<f64> =
            self.ours.iter().zip(&self.theirs).map(|(a, b)| b.as_secs_f64() / a.as_secs_f64()).collect();
        ratios.sort_by(f64::total_cmp);
        let rate = |times: &[Duration]| amount / median(times).as_secs_f64();
        println!("ours {:.1} {unit}, {peer} {:.1} {unit}", rate(&self.ours), rate(&self.theirs));
        println!(
            "ratio {:.2} (median of {ROUNDS}; {:.2} to {:.2})",
            ratios[ROUNDS / 2],
            ratios[0],
            ratios[ROUNDS - 1]
        );
    }
}

fn median(times: &[Duration]) -> Duration {
    let mut sorted = times.to_vec();
    sorted.sort();
    sorted[sorted.len() / 2]
}

//! How long to wait before work that failed is tried again.

use std::time::Duration;

/// Delays that double from the first to the longest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// After the first failure.
    pub first: Duration,
    /// At most.
    pub longest: Duration,
}

/// Delays of jobs that call an embedding model.
pub const EMBED: Backoff = Backoff { first: Duration::from_secs(5), longest: Duration::from_secs(600) };

/// Delays of jobs that extract something with a language model: 30, 60, 120, 240, 480 seconds.
pub const EXTRACT: Backoff = Backoff { first: Duration::from_secs(30), longest: Duration::from_secs(600) };

/// Up to this part of the delay is taken off, so that jobs that failed together do not come back together.
const JITTER: f64 = 0.2;

impl Backoff {
    /// The delay after a number of failures. `luck` from 0 to 1 decides how much of the jitter is taken off.
    pub fn delay(self, failures: u32, luck: f64) -> Duration {
        let doublings = failures.saturating_sub(1).min(31);
        let full = self.first.saturating_mul(1 << doublings).min(self.longest);
        full.mul_f64(1.0 - JITTER * luck.clamp(0.0, 1.0))
    }

    /// The delay after a number of failures of a job, with a luck of its own that is the same each time.
    pub fn delay_of_job(self, failures: u32, job: i64) -> Duration {
        // Fibonacci hashing: neighbouring keys get luck that is far apart.
        let mixed = (job as u64).wrapping_add(u64::from(failures)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.delay(failures, (mixed >> 11) as f64 / (1_u64 << 53) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn extraction_waits_as_the_seed_says() {
        let seconds: Vec<u64> = (1..=7).map(|failures| EXTRACT.delay(failures, 0.0).as_secs()).collect();
        assert_eq!(seconds, [30, 60, 120, 240, 480, 600, 600]);
    }

    #[test]
    fn neighbours_do_not_come_back_together() {
        let delays: std::collections::BTreeSet<Duration> =
            (0..100).map(|job| EMBED.delay_of_job(3, job)).collect();
        assert!(delays.len() > 90, "{} different delays", delays.len());
    }

    proptest! {
        #[test]
        fn a_delay_is_bounded(failures in 0_u32.., luck in -1.0..2.0_f64, job: i64) {
            for delay in [EMBED.delay(failures, luck), EMBED.delay_of_job(failures, job)] {
                prop_assert!(delay >= EMBED.first.mul_f64(1.0 - JITTER));
                prop_assert!(delay <= EMBED.longest);
            }
        }
    }
}

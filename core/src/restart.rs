//! When a process that has died is started again: soon after the first death, later and later after more of them.

use std::time::Duration;

/// How long to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RestartPolicy {
    /// After the first death.
    pub first: Duration,
    /// At most, unless the first delay is longer.
    pub longest: Duration,
    /// A process that lived so long has proved itself, and its death is the first one again.
    pub proved: Duration,
}

impl RestartPolicy {
    /// The delay after so many deaths in a row.
    pub fn delay(&self, deaths: u32) -> Duration {
        let doublings = deaths.saturating_sub(1).min(30);
        self.first.saturating_mul(1 << doublings).min(self.longest.max(self.first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLICY: RestartPolicy = RestartPolicy {
        first: Duration::from_secs(1),
        longest: Duration::from_secs(300),
        proved: Duration::from_secs(60),
    };

    #[test]
    fn delays_double_up_to_the_longest() {
        let seconds: Vec<u64> = (0..12).map(|deaths| POLICY.delay(deaths).as_secs()).collect();
        assert_eq!(seconds, [1, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
        assert_eq!(POLICY.delay(u32::MAX), POLICY.longest);
    }

    #[test]
    fn a_first_delay_beyond_the_longest_counts() {
        let slow = RestartPolicy { first: Duration::from_secs(600), ..POLICY };
        assert_eq!(slow.delay(1), Duration::from_secs(600));
        assert_eq!(slow.delay(9), Duration::from_secs(600));
    }
}

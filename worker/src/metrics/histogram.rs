//! How durations are spread.

use std::time::Duration;

use super::{labels, line};

/// Upper ends in seconds: a text by a local model takes milliseconds, a batch by a busy endpoint half a minute.
const ENDS: [f64; 12] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0];

/// Counts by duration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Histogram {
    counts: [u64; ENDS.len()],
    count: u64,
    sum: f64,
}

impl Histogram {
    /// One more.
    pub fn add(&mut self, duration: Duration) {
        let seconds = duration.as_secs_f64();
        for (count, end) in self.counts.iter_mut().zip(ENDS) {
            *count += u64::from(seconds <= end);
        }
        self.count += 1;
        self.sum += seconds;
    }

    /// As Prometheus wants it: each count has those before it.
    pub fn render(&self, text: &mut String, name: &str, with: &[(&str, &str)]) {
        for (count, end) in self.counts.iter().zip(ENDS) {
            line(
                text,
                &format!("{name}_bucket"),
                &labels(&[with, &[("le", &end.to_string())]].concat()),
                count,
            );
        }
        line(text, &format!("{name}_bucket"), &labels(&[with, &[("le", "+Inf")]].concat()), self.count);
        line(text, &format!("{name}_sum"), &labels(with), self.sum);
        line(text, &format!("{name}_count"), &labels(with), self.count);
    }
}

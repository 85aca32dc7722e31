//! What a worker has done, in the text format of Prometheus.
//!
//! Counters are kept as things happen. How full the queue is must be asked of the database, which only the loop's own thread talks to:
//! a scrape rings the bell and waits a moment for the next round to answer.

mod histogram;
mod server;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use self::histogram::Histogram;
pub use self::server::MetricsServer;

/// How long a scrape waits for the state of the queue before it answers with the last one.
const PATIENCE: Duration = Duration::from_secs(2);

/// Open and failed jobs of a kind and state.
#[derive(Clone, Debug, PartialEq)]
pub struct Depth {
    /// What is to be done.
    pub kind: String,
    /// pending, running or failed.
    pub state: String,
    /// How many.
    pub jobs: i64,
    /// The age of the oldest, in seconds.
    pub oldest: f64,
}

/// An endpoint that is left alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Pause {
    /// The provider and host.
    pub endpoint: String,
    /// Why.
    pub code: String,
    /// For how much longer, in seconds.
    pub seconds: f64,
}

/// So many jobs are held at most by one worker; beyond that, what began long ago was lost to another one.
const MOST_BEGUN: usize = 20_000;
const LOST_AFTER: Duration = Duration::from_secs(3600);

/// Counters and gauges of one worker, shared by its threads.
#[derive(Default)]
pub struct Metrics {
    state: Mutex<State>,
    refreshed: Condvar,
}

#[derive(Default)]
struct State {
    claimed: BTreeMap<String, u64>,
    /// Jobs that were taken, with their kind and when.
    begun: BTreeMap<i64, (String, Instant)>,
    done: u64,
    jobs: BTreeMap<String, Histogram>,
    failures: BTreeMap<String, u64>,
    calls: BTreeMap<(String, String), Histogram>,
    tokens: BTreeMap<String, u64>,
    pauses: BTreeMap<String, u64>,
    depths: Vec<Depth>,
    paused: Vec<Pause>,
    is_wanted: bool,
    refreshes: u64,
}

impl Metrics {
    /// Jobs of a kind were taken.
    pub fn claimed(&self, kind: &str, jobs: impl Iterator<Item = i64>) {
        let (mut state, now) = (self.lock(), Instant::now());
        if state.begun.len() > MOST_BEGUN {
            state.begun.retain(|_, (_, began)| began.elapsed() < LOST_AFTER);
        }
        for job in jobs {
            *state.claimed.entry(kind.to_owned()).or_default() += 1;
            state.begun.insert(job, (kind.to_owned(), now));
        }
    }

    /// Jobs were done.
    pub fn done(&self, jobs: &[i64]) {
        let mut state = self.lock();
        state.done += jobs.len() as u64;
        for job in jobs {
            if let Some((kind, began)) = state.begun.remove(job) {
                state.jobs.entry(kind).or_default().add(began.elapsed());
            }
        }
    }

    /// An attempt failed, or was put off.
    pub fn failed(&self, job: i64, code: &str) {
        let mut state = self.lock();
        state.begun.remove(&job);
        *state.failures.entry(code.to_owned()).or_default() += 1;
    }

    /// Jobs were given back.
    pub fn released(&self, jobs: impl Iterator<Item = i64>) {
        let mut state = self.lock();
        jobs.for_each(|job| drop(state.begun.remove(&job)));
    }

    /// A model was called.
    pub fn called(&self, endpoint: &str, outcome: &str, duration: Duration, tokens: u64) {
        let mut state = self.lock();
        state.calls.entry((endpoint.to_owned(), outcome.to_owned())).or_default().add(duration);
        *state.tokens.entry(endpoint.to_owned()).or_default() += tokens;
    }

    /// An endpoint was paused.
    pub fn paused(&self, endpoint: &str) {
        *self.lock().pauses.entry(endpoint.to_owned()).or_default() += 1;
    }

    /// Whether somebody waits for the state of the queue.
    pub fn is_wanted(&self) -> bool {
        self.lock().is_wanted
    }

    /// The state of the queue, and the endpoints that are left alone.
    pub fn refresh(&self, depths: Vec<Depth>, paused: Vec<Pause>) {
        let mut state = self.lock();
        (state.depths, state.paused, state.is_wanted) = (depths, paused, false);
        state.refreshes += 1;
        self.refreshed.notify_all();
    }

    /// All of it as text, with the state of the queue of now if the loop answers soon. `wake` makes it look.
    pub fn scrape(&self, wake: &dyn Fn()) -> String {
        let mut state = self.lock();
        let seen = state.refreshes;
        state.is_wanted = true;
        drop(state);
        wake();
        let (state, _) = self
            .refreshed
            .wait_timeout_while(self.lock(), PATIENCE, |state| state.refreshes == seen)
            .unwrap_or_else(PoisonError::into_inner);
        state.render()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn render(&self) -> String {
        let mut text = String::new();
        head(&mut text, "memento_queue_jobs", "gauge", "Open and failed jobs.");
        for depth in &self.depths {
            let labels = labels(&[("kind", &depth.kind), ("state", &depth.state)]);
            line(&mut text, "memento_queue_jobs", &labels, depth.jobs);
        }
        head(&mut text, "memento_queue_oldest_seconds", "gauge", "Age of the oldest job.");
        for depth in &self.depths {
            let labels = labels(&[("kind", &depth.kind), ("state", &depth.state)]);
            line(&mut text, "memento_queue_oldest_seconds", &labels, depth.oldest);
        }
        counters(
            &mut text,
            "memento_jobs_claimed_total",
            "Jobs taken by this worker.",
            "kind",
            &self.claimed,
        );
        head(&mut text, "memento_jobs_done_total", "counter", "Jobs done by this worker.");
        line(&mut text, "memento_jobs_done_total", "", self.done);
        counters(
            &mut text,
            "memento_job_failures_total",
            "Attempts that failed or were put off.",
            "code",
            &self.failures,
        );
        counters(
            &mut text,
            "memento_model_tokens_total",
            "Tokens given to models.",
            "endpoint",
            &self.tokens,
        );
        counters(
            &mut text,
            "memento_endpoint_pauses_total",
            "Pauses that endpoints asked for.",
            "endpoint",
            &self.pauses,
        );
        let name = "memento_endpoint_paused_seconds";
        head(&mut text, name, "gauge", "For how much longer endpoints are left alone.");
        for pause in &self.paused {
            line(
                &mut text,
                name,
                &labels(&[("endpoint", &pause.endpoint), ("code", &pause.code)]),
                pause.seconds,
            );
        }
        head(
            &mut text,
            "memento_job_seconds",
            "histogram",
            "How long jobs took, from when they were taken until they were done.",
        );
        for (kind, jobs) in &self.jobs {
            jobs.render(&mut text, "memento_job_seconds", &[("kind", kind)]);
        }
        head(&mut text, "memento_model_call_seconds", "histogram", "How long calls of models took.");
        for ((endpoint, outcome), calls) in &self.calls {
            calls.render(
                &mut text,
                "memento_model_call_seconds",
                &[("endpoint", endpoint), ("outcome", outcome)],
            );
        }
        text
    }
}

fn counters(text: &mut String, name: &str, help: &str, label: &str, counts: &BTreeMap<String, u64>) {
    head(text, name, "counter", help);
    for (value, count) in counts {
        line(text, name, &labels(&[(label, value)]), count);
    }
}

fn head(text: &mut String, name: &str, kind: &str, help: &str) {
    // Writing to a String cannot fail.
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

fn line(text: &mut String, name: &str, labels: &str, value: impl std::fmt::Display) {
    let _ = writeln!(text, "{name}{labels} {value}");
}

/// `{a="1",b="2"}`, with what the format wants escaped.
fn labels(pairs: &[(&str, &str)]) -> String {
    let escaped = |value: &str| value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let pairs: Vec<String> =
        pairs.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
    format!("{{{}}}", pairs.join(","))
}

#[cfg(test)]
mod tests;

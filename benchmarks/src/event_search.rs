//! Searching a million events: by words of all frequencies, with filters, page by page.

use std::time::{Duration, Instant};

use memento_tests::{Cluster, Server, Settings};
use postgres::Client;

const PROJECT: &str = "00000000-0000-0000-0000-000000000001";

/// How many events a document has.
const EVENTS_PER_DOCUMENT: i64 = 100;

/// How many documents are written by one transaction.
const DOCUMENTS_PER_STEP: i64 = 1_000;

/// How often each kind of search is timed.
const ROUNDS: usize = 200;

/// Name, and the arguments of event_search; {word} is drawn from those that one in ten to one in a hundred thousand events have.
const SEARCHES: [(&str, &str); 11] = [
    ("one word", "'{word}'"),
    ("two words", "'{word} {word}'"),
    ("two words, category", "'{word} {word}', category => 'Decision'"),
    (
        "a word, category, half a year",
        "'{word}', category => 'Decision', time_from => '2025-01-01', time_to => '2025-07-01'",
    ),
    ("a word, a quarter", "'{word}', time_from => '2025-01-01', time_to => '2025-04-01'"),
    (
        "a word and every filter",
        "'{word}', category => 'Decision', time_from => '2025-01-01', time_to => '2025-07-01', actor => 'actor{actor}', subject => 'subject{actor}', min_confidence => 0.3",
    ),
    ("a word, actor, confidence", "'{word}', actor => 'actor{actor}', min_confidence => 0.3"),
    ("four words, of which none need be together", "'{word} {word} {word} {word}'"),
    ("category, a month", "category => 'Change', time_from => '2025-03-01', time_to => '2025-04-01'"),
    ("actor and subject", "actor => 'actor{actor}', subject => 'subject{actor}'"),
    ("the newest of all", ""),
];

/// Prints the median and the 95th percentile of each kind of search and of all.
pub fn run() {
    let size: i64 =
        std::env::var("MEMENTO_EVENTS").ok().and_then(|text| text.parse().ok()).unwrap_or(1_000_000);
    let lines = ["memento.worker = off", "shared_buffers = '4GB'", "max_wal_size = '4GB'", "jit = off"]
        .map(str::to_owned);
    let cluster =
        Cluster::start_with(Server::from_environment(), Settings { preload: true, lines: lines.into() });
    let mut client = cluster.connect(&cluster.database());
    let started = Instant::now();
    fill(&mut client, size);
    println!("{size} events, written and checked in {:.0} s", started.elapsed().as_secs_f64());
    let mut luck = Luck(1);
    let mut all = Vec::new();
    for (name, arguments) in SEARCHES {
        let times: Vec<Duration> =
            (0..ROUNDS).map(|_| search(&mut client, &luck.fill_in(arguments))).collect();
        print(name, times.clone());
        all.extend(times);
    }
    print("all together", all);
}

fn fill(client: &mut Client, size: i64) {
    run_all(client, "select setseed(0.5)");
    let documents = size / EVENTS_PER_DOCUMENT;
    for from in (1..=documents).step_by(DOCUMENTS_PER_STEP as usize) {
        let to = (from + DOCUMENTS_PER_STEP - 1).min(documents);
        let statements = include_str!("event_search/events.sql")
            .replace("$project", PROJECT)
            .replace("$from", &from.to_string())
            .replace("$to", &to.to_string());
        run_all(client, &statements);
    }
    run_all(client, "vacuum analyze memento.semantic_event");
    run_all(client, "vacuum analyze memento.event_evidence");
    run_all(client, "vacuum analyze memento.version");
}

fn run_all(client: &mut Client, statements: &str) {
    client.batch_execute(statements).unwrap_or_else(|error| panic!("{error:?}"));
}

fn search(client: &mut Client, arguments: &str) -> Duration {
    let statement = format!("select memento.event_search({arguments})");
    let start = Instant::now();
    client.simple_query(&statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
    start.elapsed()
}

fn print(name: &str, mut times: Vec<Duration>) {
    times.sort();
    let ms = |percent: usize| times[times.len() * percent / 100].as_secs_f64() * 1e3;
    println!("  {name}: median {:.2} ms, p95 {:.2} ms, p99 {:.2} ms", ms(50), ms(95), ms(99));
}

/// The same numbers in every run.
struct Luck(u64);

impl Luck {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A rank from one to another, uniform in its logarithm.
    fn rank(&mut self, from: f64, to: f64) -> u64 {
        (from.ln() + self.next() * (to / from).ln()).exp() as u64
    }

    fn fill_in(&mut self, arguments: &str) -> String {
        let mut filled = arguments.to_owned();
        while filled.contains("{word}") {
            filled = filled.replacen("{word}", &format!("w{}", self.rank(10.0, 20_000.0)), 1);
        }
        filled.replace("{actor}", &self.rank(1.0, 2_000.0).to_string())
    }
}

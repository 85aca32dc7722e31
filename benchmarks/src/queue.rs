//! The queue beside pgmq, and how soon, how quietly and how fast its worker works.

pub mod embedding;
pub mod idle;
pub mod model;
pub mod pgmq;
pub mod pick_up;

use memento_tests::{Cluster, Server, Settings};
use postgres::Client;

/// A cluster that writes as one in production does.
fn cluster(lines: &[&str]) -> Cluster {
    let mut all = vec![
        "fsync = on".to_owned(),
        "shared_buffers = '512MB'".to_owned(),
        "max_wal_size = '4GB'".to_owned(),
    ];
    all.extend(lines.iter().map(|line| (*line).to_owned()));
    Cluster::start_with(Server::from_environment(), Settings { lines: all, ..Settings::default() })
}

fn execute(client: &mut Client, statement: &str) {
    client.batch_execute(statement).unwrap_or_else(|error| panic!("{statement}: {error:?}"));
}

fn percentile(sorted: &[f64], percent: usize) -> f64 {
    sorted[(sorted.len() * percent / 100).min(sorted.len() - 1)]
}

fn sorted(mut numbers: Vec<f64>) -> Vec<f64> {
    numbers.sort_by(f64::total_cmp);
    numbers
}

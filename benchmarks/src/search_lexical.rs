//! How well, and how fast, the lexical lane ranks: full-text search beside pg_search and pg_textsearch, through the same
//! function, on the same chunks, one for each document. Each scope of a set is a project.

mod quality;
mod set;

use std::path::Path;
use std::time::{Duration, Instant};

use memento_tests::{Cluster, Server, Settings};
use postgres::Client;

use quality::{Interval, ndcg_at_10, paired_bootstrap};
use set::RetrievalSet;

const SETS: [&str; 9] = [
    "locomo_turn",
    "cranfield",
    "longmemeval_turn_pooled",
    "longmemeval_session_pooled",
    "loghub_exact_token",
    "scifact_train",
    "cosqa_dev",
    "nl2bash",
    "qmsum_val_turn",
];

/// As deep as the peers were asked.
const DEPTH: i32 = 100;

/// Prints nDCG@10 of each, the difference with its interval, and the median time of a search.
pub fn run() {
    let wanted = std::env::var("MEMENTO_SETS").unwrap_or_default();
    let sets: Vec<RetrievalSet> = SETS
        .into_iter()
        .filter(|name| wanted.is_empty() || wanted.split(',').any(|one| one == *name))
        .filter_map(RetrievalSet::read)
        .collect();
    let only = std::env::var("MEMENTO_ENGINE").unwrap_or_default();
    for engine in ["pg_search", "pg_textsearch"].into_iter().filter(|name| only.is_empty() || only == *name) {
        let server = Server::from_environment();
        let control = format!("{}/extension/{engine}.control", server.config("--sharedir"));
        if !Path::new(&control).exists() {
            println!("skipped: the server has no {engine}");
            continue;
        }
        let lines = vec![
            format!("shared_preload_libraries = 'pg_memento,{engine}'"),
            "max_parallel_workers_per_gather = 0".into(),
            "shared_buffers = '512MB'".into(),
        ];
        let cluster = Cluster::start_with(server, Settings { lines, ..Default::default() });
        for set in &sets {
            compare(&mut prepared(&cluster, set, engine), set, engine);
        }
    }
}

/// A database with a set in it, counted, indexed and warm.
fn prepared(cluster: &Cluster, set: &RetrievalSet, engine: &str) -> Client {
    let mut client = cluster.connect(&cluster.database());
    execute(&mut client, &format!("create extension {engine}; set client_min_messages = error"));
    set.store(&mut client);
    execute(
        &mut client,
        "do $$ begin while memento._maintain(10000) > 0 loop end loop; end $$;
         select memento.enable_bm25();",
    );
    execute(&mut client, "vacuum analyze");
    client
}

fn compare(client: &mut Client, set: &RetrievalSet, engine: &str) {
    let (mut ours, mut theirs, mut our_times, mut their_times) = (vec![], vec![], vec![], vec![]);
    for query in &set.queries {
        execute(client, &format!("set memento.project = '{}'", set.project_of(query)));
        for is_engine in [false, true] {
            execute(client, &format!("set memento.bm25_engine = {is_engine}"));
            let (found, took) = search(client, &query.text, is_engine, engine);
            let score = ndcg_at_10(&found, &query.relevant);
            let (scores, times) =
                if is_engine { (&mut theirs, &mut their_times) } else { (&mut ours, &mut our_times) };
            scores.push(score);
            times.push(took);
        }
    }
    let mean = |scores: &[f64]| scores.iter().sum::<f64>() / scores.len().max(1) as f64;
    let Interval { low, high } = paired_bootstrap(&ours, &theirs);
    println!(
        "{}: nDCG@10 full-text {:.4}, {engine} {:.4}, difference {:+.4} ({low:+.4} to {high:+.4}), {} queries; median {:.2} ms, {:.2} ms",
        set.name,
        mean(&ours),
        mean(&theirs),
        mean(&ours) - mean(&theirs),
        ours.len(),
        median(&mut our_times),
        median(&mut their_times),
    );
}

/// The documents, best first, and how long that took. An engine that cannot fill the list leaves it to full-text search.
fn search(client: &mut Client, query: &str, is_engine: bool, engine: &str) -> (Vec<String>, Duration) {
    let start = Instant::now();
    let rows = client
        .query("select title, lanes #>> '{fts,used}' from memento.search($1, $2)", &[&query, &DEPTH])
        .unwrap_or_else(|error| panic!("{error}"));
    let took = start.elapsed();
    if let Some(row) = rows.first()
        && row.get::<_, &str>(1).starts_with(engine) != is_engine
    {
        crate::data::tell(|| format!("{engine} did not answer {query:?}"));
    }
    (rows.iter().map(|row| row.get(0)).collect(), took)
}

fn median(times: &mut [Duration]) -> f64 {
    times.sort();
    times.get(times.len() / 2).map_or(0.0, |time| time.as_secs_f64() * 1e3)
}

fn execute(client: &mut Client, statement: &str) {
    client.batch_execute(statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
}

//! How long searches take with 100,000 chunks (MEMENTO_CHUNKS, several by commas) beside a project of 1,000 in the same tables: all
//! lanes, and each; and what the same costs by hand.
//!
//! Vectors are random unit vectors; the query's vector is by words (provider hash), so a model's time is not in it. Times are
//! those of a client, one at a time, warm; beside them the time that the server's process was on a processor, which is what counts
//! on a machine that others use too.

use std::collections::BTreeMap;
use std::time::Instant;

use postgres::Client;
use serde_json::Value;

use super::by_hand;
use super::random::Random;
use super::scene::{self, DIMS, Scene, execute};
use super::texts::Texts;
use crate::labelled;

const QUERIES: usize = 100;

/// How often each query is asked, after one time that does not count.
const ROUNDS: usize = 2;

/// What is asked of which project.
const CASES: [(&str, &str, &str); 3] = [
    ("all", "large", "{}"),
    ("1 in 10,000 by tag", "large", r#"{"tags_any": ["rare"]}"#),
    ("small project", "small", "{}"),
];

/// Prints median and 95th percentile for each number of chunks.
pub fn run() {
    let chunks = std::env::var("MEMENTO_CHUNKS").unwrap_or_else(|_| "100000".into());
    for chunks in chunks.split(',').filter_map(|count| count.trim().parse().ok()) {
        let Some((Scene { cluster: _cluster, mut client }, queries)) = open(chunks) else { return };
        println!("## {chunks} chunks");
        for (name, project, filters) in CASES {
            use_project(&mut client, project);
            for (kind, queries) in &queries {
                measure(&mut client, &format!("{name}, {kind}"), filters, queries);
            }
        }
    }
}

/// Queries by what kind they are.
type Queries = Vec<(&'static str, Vec<String>)>;

/// A filled database, and what to ask it, by kind.
///
/// MEMENTO_VECTORS=off leaves vectors out, whose index takes most of the time to make.
pub fn open(chunks: usize) -> Option<(Scene, Queries)> {
    let with_vectors = std::env::var("MEMENTO_VECTORS").as_deref() != Ok("off");
    let name = if with_vectors { chunks.to_string() } else { format!("{chunks}-words") };
    let scene = Scene::open(&name, |client| {
        let (mut texts, mut random) = (Texts::new(1)?, Random::new(2));
        execute(
            client,
            "select memento.embedding_profiles_upsert('words', 'hash', 'words', 384);
             select memento.create_project('large'), memento.create_project('small');
             select memento.use_project('small'), memento.embedding_profiles_activate('words', true);
             select memento.use_project('large'), memento.embedding_profiles_activate('words', true);",
        );
        scene::filling(client, |client| {
            let projects = std::iter::repeat_n("large", chunks).chain(std::iter::repeat_n("small", 1000));
            let memories = projects.map(|project| (project, texts.next()));
            scene::fill(client, memories, with_vectors.then_some(&mut || random.unit_vector(DIMS)));
        });
        Some(())
    })?;
    Some((scene, queries(chunks)?))
}

/// Questions that people asked, two words that stand together, and identifiers.
fn queries(chunks: usize) -> Option<Queries> {
    let set = labelled::sample("longmemeval_turn_pooled", QUERIES, 1)?;
    let mut texts = Texts::new(3)?;
    let pair = |text: String| {
        let words: Vec<&str> = text.split_whitespace().filter(|word| word.len() > 4).take(2).collect();
        words.join(" ")
    };
    let mut random = Random::new(4);
    Some(vec![
        ("questions", set.questions.into_iter().map(|question| question.text).collect()),
        ("two words", (0..QUERIES).map(|_| pair(texts.next())).collect()),
        (
            "identifiers",
            (0..QUERIES).map(|_| format!("what is INC-{}?", 20 * (1 + random.below(chunks / 20)))).collect(),
        ),
    ])
}

/// Makes a project that of the session.
pub fn use_project(client: &mut Client, project: &str) {
    client.execute("select memento.use_project($1)", &[&project]).unwrap_or_else(|error| panic!("{error:?}"));
}

fn measure(client: &mut Client, name: &str, filters: &str, queries: &[String]) {
    let process: i32 =
        client.query_one("select pg_backend_pid()", &[]).unwrap_or_else(|error| panic!("{error:?}")).get(0);
    let (mut times, mut on_processor) = (Vec::new(), Vec::new());
    for round in 0..=ROUNDS {
        for query in queries {
            let (started, before) = (Instant::now(), milliseconds_of(process));
            let found =
                client.query("select * from memento.search($1, 10, $2::text::jsonb)", &[query, &filters]);
            let took = started.elapsed().as_secs_f64() * 1e3;
            found.unwrap_or_else(|error| panic!("{error:?}"));
            if round > 0 {
                times.push(took);
                on_processor.push(milliseconds_of(process) - before);
            }
        }
    }
    let lanes = lanes(client, filters, queries);
    let (median, high) = (percentile(&mut times, 50), percentile(&mut times, 95));
    println!(
        "{name}: search p50 {median:.1} ms, p95 {high:.1} ms (on a processor {:.1} and {:.1} ms)",
        percentile(&mut on_processor, 50),
        percentile(&mut on_processor, 95)
    );
    let mut slowest: f64 = 0.0;
    for (lane, mut times) in lanes {
        let (median, high) = (percentile(&mut times, 50), percentile(&mut times, 95));
        println!("  {lane}: p50 {median:.1} ms, p95 {high:.1} ms in {} queries", times.len());
        if times.len() * 2 > queries.len() {
            slowest = slowest.max(median);
        }
    }
    println!("  search beside its slowest lane: {:.2}", median / slowest);
    let [mut words, mut vectors] = by_hand::times(client, filters, queries);
    let [words, vectors] = [&mut words, &mut vectors].map(|times| percentile(times, 50));
    println!(
        "  by hand: words p50 {words:.1} ms, vectors p50 {vectors:.1} ms; search beside the slower of them: {:.2}",
        median / words.max(vectors)
    );
}

/// How long a process has been on a processor so far.
fn milliseconds_of(process: i32) -> f64 {
    let read = std::fs::read_to_string(format!("/proc/{process}/schedstat")).unwrap_or_default();
    let nanoseconds = read.split(' ').next().and_then(|number| number.parse::<f64>().ok());
    nanoseconds.map_or(f64::NAN, |nanoseconds| nanoseconds / 1e6)
}

/// How long each lane took, by what it used: for three pieces of evidence lanes look as deep as for ten results.
fn lanes(client: &mut Client, filters: &str, queries: &[String]) -> BTreeMap<String, Vec<f64>> {
    let statement = "select (memento.retrieve($1, filters => $2::text::jsonb, max_evidence_items => 3, store => false) #> '{notes,retrieval,lane_details}')::text";
    let mut lanes: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for query in queries {
        let row = client.query_one(statement, &[query, &filters]).unwrap_or_else(|error| panic!("{error:?}"));
        let details: Value = serde_json::from_str(row.get(0)).unwrap_or_default();
        for (lane, detail) in details.as_object().into_iter().flatten() {
            if let Some(milliseconds) = detail["milliseconds"].as_f64() {
                let used = detail["used"].as_str().unwrap_or_default();
                lanes.entry(format!("{lane} ({used})")).or_default().push(milliseconds);
            }
        }
    }
    lanes
}

/// The time that so many percent do not exceed.
pub fn percentile(times: &mut [f64], percent: usize) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() * percent / 100).copied().unwrap_or(f64::NAN)
}

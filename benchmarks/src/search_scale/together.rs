//! 32 searchers and 4 writers at once, beside one searcher alone.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use memento_tests::Cluster;
use postgres::Client;

use super::latency::{self, percentile, use_project};
use super::scene::{DATABASE, Scene};
use super::texts::Texts;

const SEARCHERS: usize = 32;
const WRITERS: usize = 4;
const SECONDS: Duration = Duration::from_secs(30);

/// Prints the 95th percentiles, alone and together, and whatever went wrong.
pub fn run() {
    let chunks = std::env::var("MEMENTO_CHUNKS").ok().and_then(|count| count.parse().ok()).unwrap_or(100_000);
    let Some((Scene { cluster, .. }, queries)) = latency::open(chunks) else { return };
    let Some(texts) = Texts::new(5) else { return };
    let queries: Vec<String> = queries.into_iter().flat_map(|(_, queries)| queries).collect();
    let mut alone =
        search(&mut connect(&cluster), &queries, 0, &|times: &[f64]| times.len() >= 2 * queries.len());
    let (texts, failures) = (Mutex::new(texts), Mutex::new(Vec::new()));
    let (done, written) = (AtomicBool::new(false), AtomicUsize::new(0));
    let mut together = std::thread::scope(|threads| {
        for _ in 0..WRITERS {
            threads.spawn(|| write(&mut connect(&cluster), &texts, &done, &written, &failures));
        }
        let searchers: Vec<_> = (0..SEARCHERS)
            .map(|place| {
                let (queries, cluster) = (&queries, &cluster);
                threads.spawn(move || {
                    let started = Instant::now();
                    search(&mut connect(cluster), queries, place * 7, &|_| started.elapsed() > SECONDS)
                })
            })
            .collect();
        let times: Vec<f64> = searchers
            .into_iter()
            .flat_map(|one| one.join().unwrap_or_else(|_| panic!("a searcher failed")))
            .collect();
        done.store(true, Ordering::SeqCst);
        times
    });
    let cores = std::thread::available_parallelism().map_or(1, usize::from) as f64;
    let over = (SEARCHERS + WRITERS) as f64 / cores;
    let (one, many) = (percentile(&mut alone, 95), percentile(&mut together, 95));
    println!("alone: p50 {:.1} ms, p95 {one:.1} ms", percentile(&mut alone, 50));
    println!(
        "{SEARCHERS} searchers and {WRITERS} writers on {cores} cores: {} searches, p50 {:.1} ms, p95 {many:.1} ms; {} memories written; p95 is {:.2} times {over} times that alone",
        together.len(),
        percentile(&mut together, 50),
        written.load(Ordering::SeqCst),
        many / (one * over)
    );
    let failures = failures.into_inner().unwrap_or_default();
    println!("{} writes failed {:?}", failures.len(), failures.first());
}

fn connect(cluster: &Cluster) -> Client {
    let mut client = cluster.connect(DATABASE);
    use_project(&mut client, "large");
    client
}

/// Searches until it is enough; an error ends the benchmark. Its first search is not counted: it loads what a session needs.
fn search(
    client: &mut Client,
    queries: &[String],
    first: usize,
    enough: &dyn Fn(&[f64]) -> bool,
) -> Vec<f64> {
    let mut times = Vec::new();
    let mut is_warm = false;
    for query in queries.iter().cycle().skip(first) {
        let started = Instant::now();
        let found = client.query("select * from memento.search($1, 10)", &[query]);
        found.unwrap_or_else(|error| panic!("{error:?}"));
        if is_warm {
            times.push(started.elapsed().as_secs_f64() * 1e3);
        }
        is_warm = true;
        if enough(&times) {
            break;
        }
    }
    times
}

fn write(
    client: &mut Client,
    texts: &Mutex<Texts>,
    done: &AtomicBool,
    written: &AtomicUsize,
    failures: &Mutex<Vec<String>>,
) {
    while !done.load(Ordering::SeqCst) {
        let Ok(text) = texts.lock().map(|mut texts| texts.next()) else { return };
        match client.execute("select memento.remember($1)", &[&text]) {
            Ok(_) => drop(written.fetch_add(1, Ordering::SeqCst)),
            Err(error) => {
                if let Ok(mut failures) = failures.lock() {
                    failures.push(format!("{error:?}"));
                }
            }
        }
    }
}

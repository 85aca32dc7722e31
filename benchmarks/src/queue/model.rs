//! The local model behind SQL: what a query costs over it alone, and how much memory fifty connections that ask it take.

use std::sync::Arc;

use memento_worker::provider::{EmbedRequest, Embedder, Purpose};
use postgres::Client;

use super::{cluster, execute};
use crate::compare::interleave;
use crate::local_embedding::{model, open};

const QUERY: &str = "what did we decide about the storage of events?";
/// Queries in a round.
const QUERIES: usize = 40;
const CONNECTIONS: usize = 50;

/// Prints what it measures.
pub fn run() {
    let Some((library, model_dir)) = model() else { return };
    let cluster = cluster(&[
        &format!("memento.onnx_library = '{}'", library.display()),
        &format!("memento.model_dir = '{}'", model_dir.display()),
        "memento.model_threads = 1",
    ]);
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    ask(&mut client);
    let bare = open(library, model_dir);
    interleave(|| (0..QUERIES).for_each(|_| ask(&mut client)), || (0..QUERIES).for_each(|_| run_bare(&bare)))
        .report_rate("the model alone", QUERIES as f64, "queries/s by SQL");
    drop(bare);
    let mut all = vec![client];
    report_memory(&mut all);
    all.extend((1..CONNECTIONS).map(|_| cluster.connect(&database)));
    all.iter_mut().for_each(ask);
    report_memory(&mut all);
}

fn ask(client: &mut Client) {
    execute(client, &format!("select memento.embed(array['{QUERY}'])"));
}

fn run_bare(model: &Arc<dyn Embedder>) {
    let request = EmbedRequest { texts: &[QUERY.to_owned()], purpose: Purpose::Query, contextual: false };
    drop(model.embed(&request).unwrap_or_else(|error| panic!("{error}")));
}

/// Memory that is in use only once is counted once: the kernel divides what is shared among those who share it.
fn report_memory(clients: &mut [Client]) {
    let host = model_host(pid(&mut clients[0]));
    let backends: Vec<f64> = clients.iter_mut().map(|client| private_mb(pid(client))).collect();
    let most = backends.iter().copied().fold(0.0, f64::max);
    println!(
        "{} connections: {:.0} MB of its own for the process with the model, {most:.1} MB at most for a connection",
        clients.len(),
        private_mb(host)
    );
}

fn pid(client: &mut Client) -> i32 {
    client.query_one("select pg_backend_pid()", &[]).unwrap_or_else(|error| panic!("{error:?}")).get(0)
}

/// The process with the model is no backend, so the server does not list it: a child of the same postmaster as one.
fn model_host(backend: i32) -> i32 {
    let processes = std::fs::read_dir("/proc").unwrap_or_else(|error| panic!("{error}"));
    processes
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok())
        .filter(|pid| parent(*pid) == parent(backend))
        .find(|pid| {
            std::fs::read_to_string(format!("/proc/{pid}/cmdline"))
                .is_ok_and(|line| line.contains("pg_memento model host"))
        })
        .unwrap_or_else(|| panic!("no process has the model"))
}

fn parent(pid: i32) -> Option<i32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // After the name in brackets: the state and the parent.
    stat.rsplit(')').next()?.split_whitespace().nth(1)?.parse().ok()
}

fn private_mb(pid: i32) -> f64 {
    std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup"))
        .unwrap_or_else(|error| panic!("{error}"))
        .lines()
        .filter(|line| line.starts_with("Private_"))
        .filter_map(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok())
        .sum::<f64>()
        / 1024.0
}

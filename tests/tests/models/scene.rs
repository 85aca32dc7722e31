//! What these tests share: clusters with a local model, and questions to a session.

use std::path::{Path, PathBuf};

use memento_tests::{Cluster, Server, Settings};
use postgres::Client;
use serde_json::Value;

use crate::tiny_model::TABLE;

pub const CLS: usize = 1;
pub const SEP: usize = 2;
pub const RED: usize = 4;
pub const GREEN: usize = 5;
pub const BLUE: usize = 6;

/// What a variable names, or a note that the test was left out.
fn file_named_by(variable: &str) -> Option<String> {
    let path = std::env::var(variable).ok().filter(|path| Path::new(path).exists());
    if path.is_none() {
        println!("left out: {variable} names nothing; scripts/setup brings it, scripts/env names it");
    }
    path
}

/// The library of ONNX Runtime that set-up has brought.
pub fn library() -> Option<String> {
    file_named_by("MEMENTO_TEST_ONNX_LIBRARY")
}

/// The model that set-up has brought.
pub fn real_model() -> Option<PathBuf> {
    file_named_by("MEMENTO_TEST_MODEL_DIR").map(PathBuf::from)
}

/// A cluster whose processes come back quickly, with more lines in its configuration.
pub fn cluster(lines: &[String]) -> Cluster {
    start(lines, true)
}

/// The same, without the library in shared_preload_libraries.
pub fn without_preload(lines: &[String]) -> Cluster {
    start(lines, false)
}

fn start(lines: &[String], preload: bool) -> Cluster {
    let mut all = vec!["memento.worker_restart_delay = '20ms'".to_owned()];
    if !preload {
        all.clear();
    }
    all.extend_from_slice(lines);
    Cluster::start_with(Server::from_environment(), Settings { lines: all, preload })
}

/// The lines that name a local model.
pub fn local_model(library: &str, directory: &Path) -> Vec<String> {
    vec![
        format!("memento.onnx_library = '{library}'"),
        format!("memento.model_dir = '{}'", directory.display()),
    ]
}

/// The lines that let the fake endpoints be called.
pub fn endpoints_allowed() -> Vec<String> {
    ["memento.allowed_hosts = '*'", "memento.allow_private_hosts = on"].map(str::to_owned).into()
}

/// Makes a profile and uses it, and nothing else.
pub fn activate(client: &mut Client, name: &str, provider: &str, model: &str, dims: i32, config: &Value) {
    upsert(client, name, provider, model, dims, config).unwrap();
    client.execute("select memento.embedding_profiles_activate($1, force => true)", &[&name]).unwrap();
    client.batch_execute("update memento.project set candidate_profile_id = null").unwrap();
}

pub fn upsert(
    client: &mut Client,
    name: &str,
    provider: &str,
    model: &str,
    dims: i32,
    config: &Value,
) -> Result<u64, postgres::Error> {
    client.execute(
        "select memento.embedding_profiles_upsert($1, $2, $3, $4, config => $5::text::jsonb)",
        &[&name, &provider, &model, &dims, &config.to_string()],
    )
}

/// The vectors of texts by memento.embed().
pub fn embed(client: &mut Client, texts: &[&str], purpose: &str) -> Result<Vec<Vec<f32>>, postgres::Error> {
    let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    let rows =
        client.query("select embedding from memento.embed($1, $2) order by ordinal", &[&texts, &purpose])?;
    Ok(rows.iter().map(|row| row.get(0)).collect())
}

/// The mean of the vectors of some words of the tiny models, of length 1.
pub fn mean_of(ids: &[usize]) -> Vec<f32> {
    let sum: Vec<f32> = (0..3).map(|at| ids.iter().map(|id| TABLE[*id][at]).sum()).collect();
    let norm = sum.iter().map(|number| number * number).sum::<f32>().sqrt();
    sum.into_iter().map(|number| number / norm).collect()
}

#[track_caller]
pub fn assert_near(got: &[f32], wanted: &[f32]) {
    let near = got.len() == wanted.len() && got.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-5);
    assert!(near, "{got:?} instead of {wanted:?}");
}

/// What a pack's notes say about a lane.
pub fn note(client: &mut Client, lane: &str) -> Value {
    let row = client
        .query_one(
            "select (memento.retrieve('ledger', store => false) #> array['notes', 'retrieval', 'lane_details', $1])::text",
            &[&lane],
        )
        .unwrap();
    serde_json::from_str(row.get(0)).unwrap()
}

pub fn number(client: &mut Client, query: &str) -> i64 {
    client.query_one(query, &[]).unwrap().get(0)
}

/// The processes of a cluster, with what they call themselves.
pub fn processes(cluster: &Cluster) -> Vec<(u32, String)> {
    let postmaster = postmaster(cluster);
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let is_child = |pid: &u32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        // The parent is the second word behind the name, which is in parentheses.
        stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(1)?.parse().ok()) == Some(postmaster)
    };
    pids.filter(is_child)
        .map(|pid| (pid, std::fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default()))
        .collect()
}

pub fn postmaster(cluster: &Cluster) -> u32 {
    let file = std::fs::read_to_string(cluster.directory().join("postmaster.pid")).unwrap();
    file.lines().next().unwrap().parse().unwrap()
}

/// The process that holds the local model.
pub fn model_host(cluster: &Cluster) -> u32 {
    processes(cluster).into_iter().find(|(_, name)| name.contains("model host")).expect("it is there").0
}

pub fn signal(pid: u32, name: &str) {
    let status = std::process::Command::new("kill").arg(name).arg(pid.to_string()).status().unwrap();
    assert!(status.success(), "no process {pid}");
}

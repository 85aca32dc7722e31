//! The local model beside onnxruntime in Python: same file, same library version, same threads, same texts.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::Arc;
use std::time::Duration;

use memento_core::chunk::{Budget, Measure, chunk_markdown};
use memento_worker::model_socket::{Call, Request, Server, ServerOptions};
use memento_worker::provider::{
    self, Code, EmbedRequest, Embedder, LocalSettings, Policy, ProfileSpec, ProviderError, Purpose,
};

use crate::compare::interleave;
use crate::python;

const THREADS: usize = 1;
const MAX_TOKENS: usize = 256;
/// Chunks in a round.
const CHUNKS: usize = 24;
/// Rounds of the comparison of CPU time, which does not depend on what else the machine does.
const ROUNDS: usize = 7;
/// Queries in a round.
const QUERIES: usize = 40;
const QUERY: &str = "what did we decide about the storage of events?";

/// Prints both rates, how alike the vectors are, and what a query costs over the socket.
pub fn run() {
    let Some((library, model_dir)) = model() else { return };
    let chunks = chunks();
    let embedder = open(library, model_dir.clone());
    let mut peer = Peer::start(&model_dir, &chunks);
    println!(
        "least cosine of ours and theirs: {:.6}",
        least_cosine(&embed(&*embedder, &chunks), &peer.vectors())
    );
    interleave(|| drop(embed(&*embedder, &chunks)), || peer.ask("all")).report_rate(
        "Python",
        CHUNKS as f64,
        "chunks/s",
    );
    let mut ratios: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let before = cpu_seconds();
            drop(embed(&*embedder, &chunks));
            let ours = cpu_seconds() - before;
            peer.cpu_seconds() / ours
        })
        .collect();
    ratios.sort_by(f64::total_cmp);
    let [least, .., most] = ratios[..] else { panic!("no rounds") };
    println!("ratio of CPU time {:.2} (median of {ROUNDS}; {least:.2} to {most:.2})", ratios[ROUNDS / 2]);
    query_over_socket(&embedder, &model_dir);
}

/// What this process has used of the CPU. The kernel counts in hundredths of a second.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_else(|error| panic!("{error}"));
    // The second field is the name in brackets; user and system time are the 14th and 15th.
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(2);
    fields.filter_map(|field| field.parse::<f64>().ok()).sum::<f64>() / 100.0
}

pub fn model() -> Option<(PathBuf, PathBuf)> {
    let path = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.exists());
    let found = path("MEMENTO_TEST_ONNX_LIBRARY").zip(path("MEMENTO_TEST_MODEL_DIR"));
    if found.is_none() {
        println!("skipped: the local model is not there; scripts/setup brings it");
    }
    found
}

/// Chunks of this project's own documents, of the default size.
fn chunks() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = |name: &str| {
        std::fs::read_to_string(root.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    let budget = Budget::try_new(Measure::Tokens, 350, 600, 0).unwrap_or_else(|error| panic!("{error}"));
    let text: String =
        ["README.md", "docs/decisions.md", "docs/text.md", "docs/memory.md", "docs/install.md"]
            .map(read)
            .concat();
    let chunks: Vec<String> =
        chunk_markdown(&text, budget).map(|chunk| chunk.text.to_owned()).take(CHUNKS).collect();
    assert_eq!(chunks.len(), CHUNKS);
    chunks
}

fn spec() -> ProfileSpec {
    let config = serde_json::json!({"max_tokens": MAX_TOKENS});
    ProfileSpec { provider: "local".into(), model: "all-MiniLM-L6-v2".into(), dims: 384, config }
}

pub fn open(library: PathBuf, model_dir: PathBuf) -> Arc<dyn Embedder> {
    let local = LocalSettings {
        library: Some(library),
        model_dir: Some(model_dir),
        threads: THREADS,
        ..LocalSettings::default()
    };
    let policy = Policy { local, ..Policy::default() };
    provider::embedder(&spec(), &policy).unwrap_or_else(|error| panic!("{error}"))
}

fn embed(embedder: &dyn Embedder, texts: &[String]) -> Vec<Vec<f32>> {
    let request = EmbedRequest { texts, purpose: Purpose::Document, contextual: false };
    embedder.embed(&request).unwrap_or_else(|error| panic!("{error}")).vectors
}

fn least_cosine(ours: &[Vec<f32>], theirs: &[Vec<f32>]) -> f32 {
    let cosine = |(a, b): (&Vec<f32>, &Vec<f32>)| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    ours.iter().zip(theirs).map(cosine).fold(1.0, f32::min)
}

/// A query with all it needs, from another process's point of view, beside nothing but runs of the model.
fn query_over_socket(embedder: &Arc<dyn Embedder>, model_dir: &Path) {
    let path = std::env::temp_dir().join(format!("memento-bench-{}.sock", std::process::id()));
    let model = embedder.clone();
    let no_reranker = || Err(ProviderError::new(Code::ModelNotReady, "not needed here"));
    let load = Box::new(move |_: &ProfileSpec| Ok(model.clone()));
    let server = Server::start(&path, load, Box::new(no_reranker), ServerOptions::default())
        .unwrap_or_else(|error| panic!("{error}"));
    let request = Request::Embed { spec: spec(), texts: vec![QUERY.into()], purpose: Purpose::Query };
    let mut peer = Peer::start(model_dir, &[QUERY.into()]);
    let ask = || {
        for _ in 0..QUERIES {
            let call = Call::start(&path, &request, Duration::from_secs(60))
                .unwrap_or_else(|error| panic!("{error}"));
            call.wait().unwrap_or_else(|error| panic!("{error}"));
        }
    };
    interleave(ask, || peer.ask(&format!("bare {QUERIES}"))).report_rate(
        "bare runs in Python",
        QUERIES as f64,
        "queries/s over the socket",
    );
    drop(server);
}

/// The peer's process. It ends with its standard input.
struct Peer {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Peer {
    fn start(model_dir: &Path, texts: &[String]) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("local_embedding.py");
        let mut child = python::interpreter("requirements_onnx.txt")
            .arg(script)
            .arg(model_dir)
            .args([THREADS.to_string(), MAX_TOKENS.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{error}"));
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            panic!("no pipes")
        };
        let mut peer = Self { child, input, output: BufReader::new(output) };
        peer.write(&serde_json::json!(texts).to_string());
        peer
    }

    fn write(&mut self, line: &str) {
        writeln!(self.input, "{line}").unwrap_or_else(|error| panic!("{error}"));
    }

    fn line(&mut self, command: &str) -> String {
        self.write(command);
        let mut answer = String::new();
        self.output.read_line(&mut answer).unwrap_or_else(|error| panic!("{error}"));
        answer
    }

    fn ask(&mut self, command: &str) {
        assert_eq!(self.line(command).trim(), "done");
    }

    fn cpu_seconds(&mut self) -> f64 {
        self.line("cpu").trim().parse().unwrap_or_else(|error| panic!("{error}"))
    }

    fn vectors(&mut self) -> Vec<Vec<f32>> {
        let answer = self.line("vectors");
        let lists: Vec<serde_json::Value> =
            serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{error}"));
        let numbers = |list: &serde_json::Value| {
            list.as_array()
                .into_iter()
                .flatten()
                .filter_map(serde_json::Value::as_f64)
                .map(|number| number as f32)
                .collect()
        };
        lists.iter().map(numbers).collect()
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

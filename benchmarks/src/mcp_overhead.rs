//! What memento-mcp adds to a call: the same function by SQL and as a tool over stdio, in turns; how long it takes to start; and many
//! clients over HTTP at once.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use memento_tests::Cluster;
use serde_json::{Value, json};

const ROUNDS: usize = 500;
const STARTS: usize = 20;
const CLIENTS: usize = 200;
const CALLS_OF_CLIENT: usize = 10;
const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// Prints medians.
pub fn run() {
    let cluster = Cluster::start();
    let database = cluster.database();
    let url = cluster.url("postgres", &database);
    let mut client = cluster.connect(&database);
    client
        .batch_execute(
            "select memento.remember('memory ' || n || ' about Postgres') from generate_series(1, 100) n",
        )
        .expect("memories are stored");
    let item: String =
        client.query_one("select item_id::text from memento.item limit 1", &[]).expect("there is one").get(0);

    println!("{:<14}{:>10}{:>10}{:>10}{:>12}  median ms", "call", "function", "mcp_call", "tool", "added");
    for (tool, function, arguments) in [
        ("memory.get", format!("select memento.memory_get('{item}')"), json!({"item_id": item})),
        (
            "recall",
            "select jsonb_agg(r) from memento.recall('Postgres', 5) r".into(),
            json!({"query": "Postgres", "k": 5}),
        ),
    ] {
        let mut shim = Session::start(&url);
        let direct = client.prepare(&function).expect("the function is there");
        let call = client.prepare("select memento.mcp_call($1, $2)").expect("the function is there");
        let mut times = [Vec::new(), Vec::new(), Vec::new()];
        // The first calls fill caches.
        for round in 0..ROUNDS + 20 {
            let taken = [
                timed(|| drop(client.query_one(&direct, &[]).expect("it answers"))),
                timed(|| drop(client.query_one(&call, &[&tool, &arguments]).expect("it answers"))),
                timed(|| shim.call(tool, &arguments)),
            ];
            if round >= 20 {
                times.iter_mut().zip(taken).for_each(|(times, taken)| times.push(taken));
            }
        }
        let [direct, call, over] = times.map(median);
        println!("{tool:<14}{direct:>10.3}{call:>10.3}{over:>10.3}{:>12.3}", over - call);
    }
    let starts = (0..STARTS).map(|_| timed(|| drop(Session::start(&url)))).collect();
    println!("start until the answer to initialize: median {:.1} ms of {STARTS}", median(starts));
    over_http(&url);
}

fn timed(work: impl FnOnce()) -> f64 {
    let started = Instant::now();
    work();
    started.elapsed().as_secs_f64() * 1000.0
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Beside the benchmark's own program; built as it is.
fn program() -> PathBuf {
    let own = std::env::current_exe().expect("a program has a path");
    own.with_file_name("memento-mcp")
}

/// A session over stdio.
struct Session {
    child: Child,
    output: BufReader<std::process::ChildStdout>,
}

impl Session {
    fn start(url: &str) -> Self {
        let mut child = Command::new(program())
            .env("DATABASE_URL", url)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("memento-mcp is built: cargo build --release -p memento-mcp");
        let output = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut session = Self { child, output };
        session.request(&hello());
        session.write(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        session
    }

    fn write(&mut self, message: &Value) {
        let input = self.child.stdin.as_mut().expect("it is piped");
        writeln!(input, "{message}").and_then(|()| input.flush()).expect("it reads");
    }

    fn request(&mut self, message: &Value) -> Value {
        self.write(message);
        let mut line = String::new();
        self.output.read_line(&mut line).expect("it answers");
        serde_json::from_str(&line).expect("a line is JSON")
    }

    fn call(&mut self, tool: &str, arguments: &Value) {
        let answer = self.request(
            &json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}),
        );
        assert_eq!(answer["result"]["isError"], false, "{answer}");
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn hello() -> Value {
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params":
        {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}})
}

/// All clients at once, each with a session and some calls; every one of them must be answered.
fn over_http(url: &str) {
    let mut child = Command::new(program())
        .args(["--http", "127.0.0.1:0"])
        .env("DATABASE_URL", url)
        .env("MEMENTO_MCP_TOKEN", TOKEN)
        .stderr(Stdio::piped())
        .spawn()
        .expect("memento-mcp is built");
    let mut said = String::new();
    BufReader::new(child.stderr.take().expect("it is piped"))
        .read_line(&mut said)
        .expect("it says its address");
    let address = said.trim().split("http://").nth(1).unwrap_or_default().trim_end_matches("/mcp").to_owned();
    let started = Instant::now();
    let times: Vec<f64> = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(|| one_client(&address))).collect();
        clients.into_iter().flat_map(|client| client.join().expect("no client fails")).collect()
    });
    let (calls, elapsed) = (times.len(), started.elapsed());
    println!(
        "{CLIENTS} clients over HTTP, {calls} calls of recall: no error, median {:.1} ms, {:.0} calls/s",
        median(times),
        calls as f64 / elapsed.as_secs_f64()
    );
    let _ = child.kill();
    let _ = child.wait();
}

fn one_client(address: &str) -> Vec<f64> {
    let (status, head, _) = post(address, None, &hello());
    assert_eq!(status, 200);
    let session = head
        .lines()
        .find_map(|line| line.strip_prefix("mcp-session-id: "))
        .expect("there is a session")
        .trim()
        .to_owned();
    post(address, Some(&session), &json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                      "params": {"name": "recall", "arguments": {"query": "Postgres", "k": 5}}});
    (0..CALLS_OF_CLIENT)
        .map(|_| {
            timed(|| {
                let (status, _, body) = post(address, Some(&session), &call);
                assert!(status == 200 && body.contains("\"isError\":false"), "{status}: {body}");
            })
        })
        .collect()
}

/// Status, head and body of one request on a connection of its own.
fn post(address: &str, session: Option<&str>, message: &Value) -> (u16, String, String) {
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(120))).expect("a time limit is possible");
    let (body, session) =
        (message.to_string(), session.map(|id| format!("mcp-session-id: {id}\r\n")).unwrap_or_default());
    let request = format!(
        "POST /mcp HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {TOKEN}\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\nconnection: close\r\n{session}content-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers to the end");
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    (status, head.to_lowercase(), body.to_owned())
}

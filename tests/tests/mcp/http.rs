//! The shim over HTTP: who may ask.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::Child;
use std::time::Duration;

use memento_tests::Cluster;
use serde_json::{Value, json};

use super::scene::command;

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// A running server. It is killed when dropped.
struct Server {
    child: Child,
    address: SocketAddr,
}

struct Answer {
    status: u16,
    headers: BTreeMap<String, String>,
    body: String,
}

impl Server {
    fn start(url: &str, arguments: &[&str]) -> Self {
        let arguments = [&["--http", "127.0.0.1:0"], arguments].concat();
        let mut child = command(url, &arguments).env("MEMENTO_MCP_TOKEN", TOKEN).spawn().unwrap();
        let mut said = String::new();
        let mut told = BufReader::new(child.stderr.take().unwrap());
        told.read_line(&mut said).unwrap();
        let address = said.trim().split("http://").nth(1).and_then(|rest| rest.strip_suffix("/mcp"));
        let address = address.unwrap_or_else(|| panic!("{said}")).parse().unwrap();
        // What it says later must not fill the pipe.
        std::thread::spawn(move || std::io::copy(&mut told, &mut std::io::sink()));
        Self { child, address }
    }

    /// One request on a connection of its own. Headers with an empty value are left out.
    fn ask(&self, method: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let (bearer, host, length) =
            (format!("Bearer {TOKEN}"), self.address.to_string(), body.len().to_string());
        let mut sent = BTreeMap::from([
            ("accept", "application/json, text/event-stream"),
            ("authorization", bearer.as_str()),
            ("connection", "close"),
            ("content-length", length.as_str()),
            ("content-type", "application/json"),
            ("host", host.as_str()),
        ]);
        sent.extend(headers.iter().copied());
        let mut request = format!("{method} HTTP/1.1\r\n");
        for (name, value) in sent.iter().filter(|(_, value)| !value.is_empty()) {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        stream.write_all(format!("{request}\r\n").as_bytes()).unwrap();
        // The server may refuse before it has read everything.
        let _ = stream.write_all(body.as_bytes());
        read_answer(stream)
    }

    fn post(&self, headers: &[(&str, &str)], message: &Value) -> Answer {
        self.ask("POST /mcp", headers, &message.to_string())
    }

    /// Begins a session and gives its id.
    fn session(&self) -> Result<String, u16> {
        let answer = self.post(&[], &hello());
        match answer.headers.get("mcp-session-id") {
            Some(session) if answer.status == 200 => {
                let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
                assert_eq!(self.post(&[("mcp-session-id", session)], &ready).status, 202);
                Ok(session.clone())
            }
            _ => Err(answer.status),
        }
    }

    fn call(&self, session: &str, name: &str, arguments: Value) -> Value {
        let call = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": name, "arguments": arguments}});
        let answer = self.post(&[("mcp-session-id", session), ("mcp-protocol-version", "2025-06-18")], &call);
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.message()["result"].clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn hello() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params":
        {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}})
}

/// Reads to the end of the connection.
fn read_answer(stream: TcpStream) -> Answer {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    let _ = reader.read_line(&mut line);
    let status = line.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 || line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':') {
            headers.insert(name.to_lowercase(), value.trim().to_owned());
        }
    }
    let mut body = Vec::new();
    let _ = reader.read_to_end(&mut body);
    Answer { status, headers, body: String::from_utf8_lossy(&body).into_owned() }
}

impl Answer {
    /// The last message of the stream of events. Sizes of chunks stand on lines of their own.
    fn message(&self) -> Value {
        let last = self
            .body
            .lines()
            .filter_map(|line| line.strip_prefix("data:"))
            .map(str::trim)
            .rfind(|data| !data.is_empty());
        serde_json::from_str(last.unwrap_or_else(|| panic!("no message in {}", self.body))).unwrap()
    }
}

#[test]
fn only_who_has_the_token_and_comes_from_here_is_answered() {
    let cluster = Cluster::start();
    let server = Server::start(&cluster.url("postgres", &cluster.database()), &["--max-bytes", "1000000"]);
    let port = server.address.port();
    let (local, named) = (format!("localhost:{port}"), format!("evil.example:{port}"));
    let itself = format!("http://{local}");
    for (headers, status) in [
        (vec![], 200),
        (vec![("host", local.as_str())], 200),
        (vec![("origin", itself.as_str())], 200),
        (vec![("authorization", "")], 401),
        (vec![("authorization", "Bearer 0123456789abcdef0123456789abcdeX")], 401),
        (vec![("authorization", "Bearer ")], 401),
        (vec![("authorization", TOKEN)], 401),
        // A page whose name was made to point here.
        (vec![("host", "evil.example")], 403),
        (vec![("host", named.as_str())], 403),
        (vec![("origin", "https://evil.example")], 403),
        (vec![("origin", "http://localhost:1234")], 403),
        (vec![("origin", "null")], 403),
    ] {
        assert_eq!(server.post(&headers, &hello()).status, status, "{headers:?}");
    }
    assert_eq!(server.ask("POST /", &[], "{}").status, 404);
    assert_eq!(server.ask("POST /mcp", &[], "garbage{").status / 100, 4);
    assert_eq!(server.ask("PUT /mcp", &[], "{}").status, 405);
    assert_eq!(
        server
            .post(
                &[("mcp-session-id", "nonsense")],
                &json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
            )
            .status,
        404
    );
    // What is a little too large is answered with a reason, what is much too large is not read.
    let session = server.session().unwrap();
    let large = server.call(&session, "remember", json!({"content": "x".repeat(1_200_000)}));
    assert_eq!(large["structuredContent"]["error"]["code"], "CONTENT_TOO_LARGE");
    assert_eq!(server.ask("POST /mcp", &[], &"x".repeat(50 << 20)).status, 413);
    assert_eq!(server.call(&session, "recall", json!({"query": "x"}))["isError"], false);
}

#[test]
fn many_clients_at_once_are_served_and_too_many_refused() {
    const CLIENTS: usize = 50;
    let cluster = Cluster::start();
    let database = cluster.database();
    let most = CLIENTS.to_string();
    let server = Server::start(
        &cluster.url("postgres", &database),
        &["--max-sessions", &most, "--connections", "4", "--toolset", "memory"],
    );
    let sessions: Vec<String> = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| {
                let server = &server;
                scope.spawn(move || {
                    let session = server.session().unwrap();
                    // Each has a project of its own, whichever connection its calls take.
                    let name = format!("project {client}");
                    server.call(
                        &session,
                        "projects.resolve",
                        json!({"display_name": name, "create_if_missing": true}),
                    );
                    server.call(&session, "remember", json!({"content": format!("I am client {client}.")}));
                    let found = server.call(&session, "recall", json!({"query": "client", "k": 10}));
                    let rows = found["structuredContent"]["rows"].as_array().unwrap().clone();
                    assert_eq!(rows.len(), 1, "{found}");
                    assert_eq!(rows[0]["excerpt"], format!("I am client {client}."));
                    session
                })
            })
            .collect();
        clients.into_iter().map(|client| client.join().unwrap()).collect()
    });
    let row = cluster
        .connect(&database)
        .query_one("select count(*) from pg_stat_activity where application_name = 'memento-mcp'", &[]);
    assert!(row.unwrap().get::<_, i64>(0) <= 4);
    assert_eq!(server.session(), Err(503));
    // Those that are there go on, and when one ends there is a place.
    assert_eq!(server.call(&sessions[0], "recall", json!({"query": "client"}))["isError"], false);
    assert_eq!(server.ask("DELETE /mcp", &[("mcp-session-id", &sessions[1])], "").status / 100, 2);
    memento_tests::eventually("a place is free", || server.session().ok());
}

#[test]
fn a_server_for_others_needs_a_token() {
    for arguments in [&["--http", "8766"][..], &["--http", "0.0.0.0:0", "--no-token"]] {
        let output = command("postgresql://u@127.0.0.1:1/d", arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
}

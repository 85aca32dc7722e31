//! The shim as a client sees it.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use memento_tests::external::program;
use serde_json::{Value, json};

/// How long an answer may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running process with which a test speaks over stdin and stdout. It is killed when dropped.
pub struct Shim {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    last_id: u64,
    /// What came without being asked for.
    pub notifications: Vec<Value>,
}

/// A process that is not spoken to yet.
pub fn command(url: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program("memento-mcp"));
    command.args(arguments).env("DATABASE_URL", url).env_remove("MEMENTO_MCP_TOKEN").stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

impl Shim {
    /// Starts it and says hello.
    pub fn start(url: &str, arguments: &[&str]) -> Self {
        let mut shim = Self::spawn(url, arguments);
        let hello = shim.request(
            "initialize",
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}),
        );
        assert_eq!(hello["result"]["serverInfo"]["name"], "memento-mcp", "{hello}");
        shim.notify("notifications/initialized", json!({}));
        shim
    }

    /// Starts it.
    pub fn spawn(url: &str, arguments: &[&str]) -> Self {
        let mut child = command(url, arguments)
            .spawn()
            .unwrap_or_else(|error| panic!("memento-mcp: {error}: run this through scripts/test"));
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines() {
                if line.is_err() || line.is_ok_and(|line| sender.send(line).is_err()) {
                    return;
                }
            }
        });
        let input = child.stdin.take();
        Self { child, input, lines, last_id: 0, notifications: Vec::new() }
    }

    /// Writes a line as it is.
    pub fn write(&mut self, line: &str) {
        self.write_bytes(format!("{line}\n").as_bytes());
    }

    /// Writes what may not be text.
    pub fn write_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.write(&json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string());
    }

    /// Sends a request without waiting, and gives its id.
    pub fn send(&mut self, method: &str, params: Value) -> u64 {
        self.last_id += 1;
        let id = self.last_id;
        self.write(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string());
        id
    }

    /// The next line.
    pub fn next(&mut self) -> Value {
        self.next_within(PATIENCE).expect("the shim answers")
    }

    /// The next line, if there is one in time.
    pub fn next_within(&mut self, time: Duration) -> Option<Value> {
        let line = self.lines.recv_timeout(time).ok()?;
        Some(serde_json::from_str(&line).expect("a line is JSON"))
    }

    /// The answer to a request; what comes meanwhile is kept.
    pub fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.next();
            if message["id"] == json!(id) {
                return message;
            }
            self.notifications.push(message);
        }
    }

    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.answer(id)
    }

    /// What a tool gives, which must succeed.
    #[track_caller]
    pub fn call(&mut self, name: &str, arguments: Value) -> Value {
        let answer = self.request("tools/call", json!({"name": name, "arguments": arguments}));
        let result = &answer["result"];
        assert_eq!(result["isError"], false, "{name}: {answer}");
        let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(text, result["structuredContent"], "{name}");
        text
    }

    /// The error that a tool gives, which must fail.
    #[track_caller]
    pub fn refused(&mut self, name: &str, arguments: Value) -> Value {
        let answer = self.request("tools/call", json!({"name": name, "arguments": arguments}));
        assert_eq!(answer["result"]["isError"], true, "{name}: {answer}");
        let error = answer["result"]["structuredContent"]["error"].clone();
        assert!(error["trace_id"].as_str().unwrap().starts_with("trace_"), "{answer}");
        error
    }

    /// Closes its input, waits for its end, and gives what it has said on stderr.
    pub fn end(mut self) -> String {
        self.input = None;
        let mut said = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        let status = self.child.wait().unwrap();
        assert!(status.success(), "{status}: {said}");
        said
    }

    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }
}

impl Drop for Shim {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

//! An HTTP server for tests that can also misbehave.

pub mod protocol;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// A request as it came in.
#[derive(Clone, Debug, Default)]
pub struct Request {
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: serde_json::Value,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

/// What to do with a request.
pub enum Reply {
    /// A whole answer.
    Full { status: u16, headers: Vec<(&'static str, String)>, body: String },
    /// Nothing, until the client gives up.
    Hang,
    /// The connection is closed before an answer.
    Close,
    /// An answer that ends in the middle of its body.
    Cut(String),
    /// The headers at once, then a byte now and then, for ever.
    Drip,
    /// As many bytes as the client takes, with or without telling the size beforehand.
    Endless { announced: bool },
    /// No HTTP at all.
    Garbage,
}

impl Reply {
    pub fn json(body: String) -> Self {
        Self::status(200, body)
    }

    pub fn status(status: u16, body: String) -> Self {
        Self::Full { status, headers: vec![], body }
    }
}

/// How many bytes an endless answer would have.
pub const ENDLESS_BYTES: usize = 200 * 1024 * 1024;

#[derive(Default)]
struct Shared {
    connections: AtomicUsize,
    bytes_sent: AtomicUsize,
    requests: Mutex<Vec<Request>>,
    stopped: AtomicBool,
}

/// A running server.
pub struct FakeEndpoint {
    port: u16,
    shared: Arc<Shared>,
}

impl FakeEndpoint {
    pub fn start(reply: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared::default());
        let (state, reply) = (shared.clone(), Arc::new(reply));
        thread::spawn(move || {
            for stream in listener.incoming() {
                if state.stopped.load(Ordering::SeqCst) {
                    return;
                }
                let (state, reply, stream) = (state.clone(), reply.clone(), stream.unwrap());
                state.connections.fetch_add(1, Ordering::SeqCst);
                // The client may go away in the middle of an answer: that is part of the tests.
                thread::spawn(move || drop(serve(stream, &state, &*reply)));
            }
        });
        Self { port, shared }
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::SeqCst)
    }

    pub fn bytes_sent(&self) -> usize {
        self.shared.bytes_sent.load(Ordering::SeqCst)
    }

    pub fn requests(&self) -> Vec<Request> {
        self.shared.requests.lock().unwrap().clone()
    }
}

impl Drop for FakeEndpoint {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::SeqCst);
        // Wakes the thread that accepts.
        drop(TcpStream::connect(("127.0.0.1", self.port)));
    }
}

fn serve(stream: TcpStream, state: &Shared, reply: &dyn Fn(&Request) -> Reply) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut writer = stream;
    while let Some(request) = read_request(&mut reader)? {
        state.requests.lock().unwrap().push(request.clone());
        match reply(&request) {
            Reply::Full { status, headers, body } => {
                let mut head = format!("HTTP/1.1 {status} Status\r\ncontent-length: {}\r\n", body.len());
                headers.iter().for_each(|(name, value)| head += &format!("{name}: {value}\r\n"));
                writer.write_all(format!("{head}\r\n{body}").as_bytes())?;
            }
            Reply::Hang => {
                // Ends when the client closes the connection.
                reader.read_to_end(&mut Vec::new())?;
                return Ok(());
            }
            Reply::Close => return Ok(()),
            Reply::Cut(body) => {
                let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len());
                writer.write_all(format!("{head}{}", &body[..body.len() / 2]).as_bytes())?;
                return Ok(());
            }
            Reply::Drip => return drip(&mut writer),
            Reply::Endless { announced } => return send_endlessly(&mut writer, state, announced),
            Reply::Garbage => {
                writer.write_all(b"\x16\x03\x01 this is not HTTP\r\n\r\n")?;
                return Ok(());
            }
        }
    }
    Ok(())
}

fn drip(writer: &mut TcpStream) -> std::io::Result<()> {
    writer.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n")?;
    loop {
        writer.write_all(b" ")?;
        thread::sleep(Duration::from_millis(20));
    }
}

fn send_endlessly(writer: &mut TcpStream, state: &Shared, announced: bool) -> std::io::Result<()> {
    let head = match announced {
        true => format!("HTTP/1.1 200 OK\r\ncontent-length: {ENDLESS_BYTES}\r\n\r\n"),
        false => "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n".into(),
    };
    writer.write_all(head.as_bytes())?;
    let block = vec![b' '; 64 * 1024];
    for _ in 0..ENDLESS_BYTES / block.len() {
        writer.write_all(&block)?;
        state.bytes_sent.fetch_add(block.len(), Ordering::SeqCst);
    }
    Ok(())
}

fn read_request(reader: &mut impl BufRead) -> std::io::Result<Option<Request>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut request =
        Request { path: line.split(' ').nth(1).unwrap_or_default().into(), ..Request::default() };
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        match line.trim_end().split_once(':') {
            Some((name, value)) => request.headers.push((name.into(), value.trim().into())),
            None => break,
        }
    }
    let length = request.header("content-length").and_then(|value| value.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    request.body = serde_json::from_slice(&body).unwrap_or_default();
    Ok(Some(request))
}

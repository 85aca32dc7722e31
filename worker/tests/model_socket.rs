//! The local model over its socket: many clients, bad clients, slow models, broken models, and the file itself.

#![allow(clippy::unwrap_used, clippy::expect_used)] // Also in functions that only tests call.

use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use memento_worker::model_socket::{
    Call, Loader, Request, RerankerLoader, Response, Server, ServerOptions, SocketEmbedder,
};
use memento_worker::provider::{
    self, BatchLimits, Code, EmbedRequest, Embedded, Embedder, Kind, Policy, ProfileSpec, ProviderError,
    Purpose, Reranked, Reranker, Usage,
};
use serde_json::json;

/// A directory for one test, with a short path: those of sockets are limited.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        let path = PathBuf::from(format!("/tmp/memento-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn socket(&self) -> PathBuf {
        self.0.join("model.sock")
    }

    fn start(&self, loader: Loader) -> Server {
        Server::start(&self.socket(), loader, no_reranker(), quick()).unwrap()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

fn quick() -> ServerOptions {
    ServerOptions {
        io_time: Duration::from_millis(300),
        reload_after: Duration::ZERO,
        ..ServerOptions::default()
    }
}

fn spec(dims: usize) -> ProfileSpec {
    ProfileSpec { provider: "hash".into(), model: "hash".into(), dims, config: json!({}) }
}

fn hash() -> Arc<dyn Embedder> {
    provider::embedder(&spec(16), &Policy::default()).unwrap()
}

fn no_reranker() -> RerankerLoader {
    Box::new(|| Err(ProviderError::new(Code::ModelNotReady, "there is no reranker")))
}

/// Likes long texts; on "stop" it takes a while.
struct ByLength;

impl Reranker for ByLength {
    fn rerank(&self, query: &str, texts: &[String]) -> Result<Reranked, ProviderError> {
        if query == "stop" {
            std::thread::sleep(Duration::from_millis(60));
        }
        let scores = texts.iter().map(|text| text.len() as f32).collect();
        Ok(Reranked { scores, usage: Usage { tokens: Some(texts.len() as u64), ..Usage::default() } })
    }
}

fn question(texts: &[&str]) -> Request {
    let texts = texts.iter().map(|text| text.to_string()).collect();
    Request::Embed { spec: spec(16), texts, purpose: Purpose::Document }
}

const PATIENT: Duration = Duration::from_secs(30);

fn ask(path: &Path, request: &Request) -> Result<Response, ProviderError> {
    Call::start(path, request, PATIENT)?.wait()
}

fn vectors(texts: &[&str]) -> Result<Response, ProviderError> {
    Ok(Response::Vectors { vectors: expected(texts), tokens: 0, fingerprint: String::new() })
}

fn expected(texts: &[&str]) -> Vec<Vec<f32>> {
    let texts: Vec<String> = texts.iter().map(|text| text.to_string()).collect();
    hash()
        .embed(&EmbedRequest { texts: &texts, purpose: Purpose::Document, contextual: false })
        .unwrap()
        .vectors
}

/// A model that tells when it begins with a text and waits for permission to go on.
struct Gate {
    begun: Mutex<mpsc::Sender<String>>,
    permitted: Mutex<mpsc::Receiver<()>>,
}

impl Gate {
    fn new() -> (Arc<Self>, mpsc::Receiver<String>, mpsc::Sender<()>) {
        let (begun, has_begun) = mpsc::channel();
        let (permit, permitted) = mpsc::channel();
        (Arc::new(Self { begun: Mutex::new(begun), permitted: Mutex::new(permitted) }), has_begun, permit)
    }
}

impl Embedder for Gate {
    fn embed(&self, request: &EmbedRequest) -> Result<Embedded, ProviderError> {
        self.begun.lock().unwrap().send(request.texts[0].clone()).unwrap();
        // The end of the test is a permission, too; and a test that fails must come to its end.
        let _ = self.permitted.lock().unwrap().recv_timeout(Duration::from_secs(10));
        hash().embed(request)
    }

    fn limits(&self) -> BatchLimits {
        hash().limits()
    }
}

#[test]
fn many_clients_share_one_model_that_the_first_one_loads() {
    let place = Place::new("many");
    let loads = Arc::new(AtomicUsize::new(0));
    let counted = loads.clone();
    let _server = place.start(Box::new(move |_| {
        counted.fetch_add(1, Ordering::SeqCst);
        Ok(hash())
    }));
    assert_eq!(loads.load(Ordering::SeqCst), 0);
    std::thread::scope(|scope| {
        for client in 0..16 {
            let socket = place.socket();
            scope.spawn(move || {
                for round in 0..20 {
                    let texts = [format!("client {client}"), format!("round {round}"), String::new()];
                    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
                    assert_eq!(ask(&socket, &question(&texts)), vectors(&texts));
                }
            });
        }
    });
    assert_eq!(loads.load(Ordering::SeqCst), 1);
}

#[test]
fn a_large_question_and_no_question() {
    let place = Place::new("large");
    let _server = place.start(Box::new(|_| Ok(hash())));
    let long = "word ".repeat(200_000);
    let texts = [long.as_str(); 5];
    assert_eq!(ask(&place.socket(), &question(&texts)), vectors(&texts));
    assert_eq!(ask(&place.socket(), &question(&[])), vectors(&[]));
    let error = ask(&place.socket(), &question(&[long.as_str(); 10])).unwrap_err();
    assert_eq!(error.kind(), Kind::Poison);
    let embedder = SocketEmbedder::new(place.socket(), spec(16), PATIENT);
    let texts = [String::from("one"), String::from("two")];
    let request = EmbedRequest { texts: &texts, purpose: Purpose::Document, contextual: false };
    assert_eq!(embedder.embed(&request).unwrap().vectors, expected(&["one", "two"]));
    let other = SocketEmbedder::new(place.socket(), spec(17), PATIENT);
    assert_eq!(other.embed(&request).unwrap_err().code, Code::Dims);
}

#[test]
fn a_model_that_cannot_be_loaded_says_why_and_is_tried_again() {
    let place = Place::new("broken");
    let attempts = AtomicUsize::new(0);
    let _server = place.start(Box::new(move |_| match attempts.fetch_add(1, Ordering::SeqCst) {
        0 => Err(ProviderError::new(Code::ModelBroken, "no such file").with_hint("look for it")),
        1 => panic!("on purpose"),
        _ => Ok(hash()),
    }));
    let error = ask(&place.socket(), &question(&["a"])).unwrap_err();
    assert_eq!(
        (error.code, error.message.as_str(), error.hint.as_deref()),
        (Code::ModelBroken, "no such file", Some("look for it"))
    );
    assert_eq!(ask(&place.socket(), &question(&["a"])).unwrap_err().code, Code::ModelBroken);
    assert!(ask(&place.socket(), &question(&["a"])).is_ok());
}

#[test]
fn a_failure_is_remembered_for_a_while() {
    let place = Place::new("remembered");
    let attempts = Arc::new(AtomicUsize::new(0));
    let counted = attempts.clone();
    let loader: Loader = Box::new(move |_| {
        counted.fetch_add(1, Ordering::SeqCst);
        Err(ProviderError::new(Code::ModelBroken, "no such file"))
    });
    let options = ServerOptions { reload_after: Duration::from_secs(3600), ..quick() };
    let _server = Server::start(&place.socket(), loader, no_reranker(), options).unwrap();
    for _ in 0..5 {
        assert_eq!(ask(&place.socket(), &question(&["a"])).unwrap_err().code, Code::ModelBroken);
    }
    assert_eq!(attempts.load(Ordering::SeqCst), 1);
}

#[test]
fn a_call_can_be_polled_while_the_model_works() {
    let place = Place::new("polled");
    let (gate, has_begun, permit) = Gate::new();
    let _server = place.start(Box::new(move |_| Ok(gate.clone())));
    let mut call = Call::start(&place.socket(), &question(&["slow"]), PATIENT).unwrap();
    while has_begun.try_recv().is_err() {
        assert_eq!(call.poll(Duration::from_millis(5)), Ok(None));
    }
    let started = Instant::now();
    assert_eq!(call.poll(Duration::from_millis(20)), Ok(None));
    assert!(started.elapsed() >= Duration::from_millis(19));
    assert_eq!(call.poll(Duration::ZERO), Ok(None));
    permit.send(()).unwrap();
    assert_eq!(call.wait(), vectors(&["slow"]));
}

#[test]
fn nobody_waits_for_longer_than_his_time() {
    let place = Place::new("deadline");
    let (gate, _has_begun, permit) = Gate::new();
    let _server = place.start(Box::new(move |_| Ok(gate.clone())));
    let error = Call::start(&place.socket(), &question(&["slow"]), Duration::from_millis(50))
        .unwrap()
        .wait()
        .unwrap_err();
    assert_eq!(error.code, Code::Timeout);
    drop(permit);
}

#[test]
fn nobody_is_worked_for_who_has_left() {
    let place = Place::new("left");
    let (gate, has_begun, permit) = Gate::new();
    let mut server = place.start(Box::new(move |_| Ok(gate.clone())));
    let mut call = Call::start(&place.socket(), &question(&["first", "second", "third"]), PATIENT).unwrap();
    // Sends the question.
    assert_eq!(call.poll(Duration::from_millis(1)), Ok(None));
    assert_eq!(has_begun.recv_timeout(PATIENT).unwrap(), "first");
    drop(call);
    permit.send(()).unwrap();
    // Were it still worked for him, the second text would begin within no time.
    assert_eq!(has_begun.recv_timeout(Duration::from_millis(300)), Err(mpsc::RecvTimeoutError::Timeout));
    drop(permit);
    server.stop();
}

#[test]
fn bad_clients_harm_nobody_else() {
    let place = Place::new("bad");
    let _server = place.start(Box::new(|_| Ok(hash())));
    let connect = || UnixStream::connect(place.socket()).unwrap();
    // One sends half a header and keeps the connection open.
    let mut slow = connect();
    slow.write_all(&[1, 1, 9]).unwrap();
    let frames: [&[u8]; 6] = [
        b"GET / HTTP/1.1\r\n\r\n",
        &[1, 1, 0xff, 0xff, 0xff, 0xff],
        &[9, 1, 0, 0, 0, 0],
        &[1, 77, 0, 0, 0, 0],
        &[1, 1, 2, 0, 0, 0, b'{', b'}'],
        &[1, 1, 4, 0, 0, 0, 0xff, 0xfe, 0xfd, 0],
    ];
    for frame in frames {
        let mut stream = connect();
        stream.write_all(frame).unwrap();
        let mut reply = [0; 2];
        stream.read_exact(&mut reply).unwrap();
        // The header of an error.
        assert_eq!(reply, [1, 3]);
    }
    drop(connect());
    assert!(ask(&place.socket(), &question(&["good"])).is_ok());
    let mut rest = Vec::new();
    assert_eq!(slow.read_to_end(&mut rest).unwrap(), 0);
}

#[test]
fn more_clients_than_allowed_are_told_so() {
    let place = Place::new("busy");
    let (gate, has_begun, permit) = Gate::new();
    let loader: Loader = Box::new(move |_| Ok(gate.clone()));
    let _server = Server::start(
        &place.socket(),
        loader,
        no_reranker(),
        ServerOptions { max_connections: 1, ..quick() },
    )
    .unwrap();
    let mut first = Call::start(&place.socket(), &question(&["first"]), PATIENT).unwrap();
    assert_eq!(first.poll(Duration::from_millis(1)), Ok(None));
    has_begun.recv_timeout(PATIENT).unwrap();
    let long = "word ".repeat(200_000);
    for request in [question(&["a"]), question(&[&long])] {
        let error = ask(&place.socket(), &request).unwrap_err();
        assert_eq!(error.code, Code::ModelBusy, "{error:?}");
    }
    permit.send(()).unwrap();
    assert!(first.wait().is_ok());
}

#[test]
fn stopping_ends_every_call() {
    let place = Place::new("stop");
    let (gate, has_begun, permit) = Gate::new();
    let mut server = place.start(Box::new(move |_| Ok(gate.clone())));
    let mut calls: Vec<_> =
        (0..3).map(|_| Call::start(&place.socket(), &question(&["a", "b"]), PATIENT).unwrap()).collect();
    let idle = UnixStream::connect(place.socket()).unwrap();
    for call in &mut calls {
        assert_eq!(call.poll(Duration::from_millis(1)), Ok(None));
    }
    has_begun.recv_timeout(PATIENT).unwrap();
    // The runs that are under way come to their end.
    drop(permit);
    server.stop();
    for call in calls {
        drop(call.wait());
    }
    drop(idle);
    assert!(!place.socket().exists());
    let error = ask(&place.socket(), &question(&["a"])).unwrap_err();
    assert_eq!((error.kind(), error.hint.is_some()), (Kind::NotReady, true));
}

#[test]
fn the_file_belongs_to_one_server() {
    let place = Place::new("file");
    let loader = || -> Loader { Box::new(|_| Ok(hash())) };
    // A socket that a dead server has left.
    drop(UnixListener::bind(place.socket()).unwrap());
    assert_eq!(ask(&place.socket(), &question(&["a"])).unwrap_err().kind(), Kind::NotReady);
    let first = place.start(loader());
    assert_eq!(std::fs::metadata(place.socket()).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(ask(&place.socket(), &question(&["a"])).is_ok());
    // A living one is left alone.
    let error = Server::start(&place.socket(), loader(), no_reranker(), quick()).err().unwrap();
    assert!(error.message.contains("another server"), "{error:?}");
    assert!(ask(&place.socket(), &question(&["a"])).is_ok());
    // If somebody took its place all the same, a server that ends leaves it to him.
    std::fs::remove_file(place.socket()).unwrap();
    let second = place.start(loader());
    drop(first);
    assert!(ask(&place.socket(), &question(&["a"])).is_ok());
    drop(second);
    assert_eq!(std::fs::read_dir(&place.0).unwrap().count(), 0);
    std::fs::write(place.socket(), "a file of somebody").unwrap();
    assert!(Server::start(&place.socket(), loader(), no_reranker(), quick()).is_err());
    assert_eq!(std::fs::read_to_string(place.socket()).unwrap(), "a file of somebody");
}

#[test]
fn impossible_paths_are_errors() {
    let place = Place::new("paths");
    let long = place.0.join("x".repeat(200));
    for path in [long, place.0.join("missing/model.sock"), PathBuf::new(), PathBuf::from("/dev/null")] {
        let error = Server::start(&path, Box::new(|_| Ok(hash())), no_reranker(), quick()).err().unwrap();
        assert!(error.hint.is_some(), "{error:?}");
        assert_eq!(ask(&path, &question(&["a"])).unwrap_err().kind(), Kind::NotReady, "{path:?}");
    }
}

#[test]
fn a_reranker_is_served_beside_the_embedder_and_loaded_when_it_is_asked_for() {
    let place = Place::new("rerank");
    let loads = Arc::new(AtomicUsize::new(0));
    let counted = loads.clone();
    let reranker: RerankerLoader = Box::new(move || {
        counted.fetch_add(1, Ordering::SeqCst);
        Ok(Arc::new(ByLength))
    });
    let _server = Server::start(&place.socket(), Box::new(|_| Ok(hash())), reranker, quick()).unwrap();
    assert!(ask(&place.socket(), &question(&["a"])).is_ok());
    assert_eq!(loads.load(Ordering::SeqCst), 0, "nobody has asked for it");
    let rerank = |query: &str, texts: &[&str]| Request::Rerank {
        query: query.into(),
        texts: texts.iter().map(|text| text.to_string()).collect(),
    };
    for _ in 0..2 {
        let answer = ask(&place.socket(), &rerank("q", &["aa", "b", "\u{e4}c"]));
        assert_eq!(answer, Ok(Response::Scores { scores: vec![2.0, 1.0, 3.0], tokens: 3 }));
    }
    assert_eq!(loads.load(Ordering::SeqCst), 1);
    let none = ask(&place.socket(), &rerank("q", &[]));
    assert_eq!(none, Ok(Response::Scores { scores: vec![], tokens: 0 }));
    // It stops between two texts when the time of the caller is over.
    let short = Call::start(&place.socket(), &rerank("stop", &["a"; 1000]), Duration::from_millis(100));
    assert_eq!(short.unwrap().wait().unwrap_err().code, Code::Timeout);
    assert!(ask(&place.socket(), &rerank("q", &["a"])).is_ok(), "others are served");
}

#[test]
fn without_a_reranker_the_caller_is_told() {
    let place = Place::new("norerank");
    let _server = place.start(Box::new(|_| Ok(hash())));
    let request = Request::Rerank { query: "q".into(), texts: vec!["a".into()] };
    assert_eq!(ask(&place.socket(), &request).unwrap_err().code, Code::ModelNotReady);
    assert!(ask(&place.socket(), &question(&["a"])).is_ok());
}

/// Every vector is 1 in the place of the profile's max_tokens.
struct Configured(usize);

impl Embedder for Configured {
    fn embed(&self, request: &EmbedRequest) -> Result<Embedded, ProviderError> {
        let mut vector = vec![0.0; 16];
        vector[self.0] = 1.0;
        Ok(Embedded { vectors: vec![vector; request.texts.len()], usage: Usage::default() })
    }

    fn limits(&self) -> BatchLimits {
        hash().limits()
    }

    fn fingerprint(&self) -> Option<String> {
        Some(format!("model {}", self.0))
    }
}

#[test]
fn each_profile_has_its_own_way_to_the_model() {
    let place = Place::new("profiles");
    let loads = Arc::new(AtomicUsize::new(0));
    let counted = loads.clone();
    let _server = place.start(Box::new(move |spec| {
        counted.fetch_add(1, Ordering::SeqCst);
        Ok(Arc::new(Configured(spec.config["max_tokens"].as_u64().unwrap() as usize)))
    }));
    let of = |max_tokens: usize| {
        let spec = ProfileSpec { config: json!({"max_tokens": max_tokens}), ..spec(16) };
        SocketEmbedder::new(place.socket(), spec, PATIENT)
    };
    let (eight, nine) = (of(8), of(9));
    assert_eq!(eight.fingerprint(), None, "no vectors yet");
    let texts = [String::from("one")];
    let request = EmbedRequest { texts: &texts, purpose: Purpose::Query, contextual: false };
    for _ in 0..2 {
        for (embedder, at) in [(&eight, 8), (&nine, 9)] {
            assert_eq!(embedder.embed(&request).unwrap().vectors[0][at], 1.0);
            assert_eq!(embedder.fingerprint(), Some(format!("model {at}")));
        }
    }
    assert_eq!(loads.load(Ordering::SeqCst), 2, "each is loaded once");
    // What nobody asks for any more gives way.
    for other in [0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15] {
        of(other).embed(&request).unwrap();
    }
    assert!(eight.embed(&request).is_ok() && loads.load(Ordering::SeqCst) == 16, "both are still there");
}

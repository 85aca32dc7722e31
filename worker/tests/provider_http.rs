//! One suite for all providers over HTTP: each speaks to a server of its own protocol that also misbehaves.

#![allow(clippy::unwrap_used, clippy::expect_used)] // Also in functions that only tests call.

mod fake_endpoint;

use std::sync::Arc;
use std::time::{Duration, Instant};

use fake_endpoint::protocol::{self, Api, DIMS, Fault, RerankApi};
use fake_endpoint::{FakeEndpoint, Reply, Request};
use memento_worker::provider::{
    self, Chat, ChatRequest, Code, EmbedRequest, Format, Kind, Message, Policy, ProfileSpec, ProviderError,
    Purpose, Role, Usage,
};
use memento_worker::secret::KeyRules;
use serde_json::{Value, json};

const TEXTS: [&str; 3] = ["the first text", "das zweite: größer", "3"];
const KEY: &str = "sk-test-0123456789";
/// What fake errors quote, as real ones quote the input.
const QUOTED: &str = "CONTENT-OF-A-MEMORY";

/// What can be called over HTTP, all in one form: numbers out, one list for each text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Service {
    Vectors(Api),
    Scores(RerankApi),
    Chat,
}

const SERVICES: [Service; 9] = [
    Service::Vectors(Api::OpenAi),
    Service::Vectors(Api::Voyage),
    Service::Vectors(Api::VoyageContext),
    Service::Vectors(Api::Jina),
    Service::Vectors(Api::Tei),
    Service::Scores(RerankApi::Jina),
    Service::Scores(RerankApi::Voyage),
    Service::Scores(RerankApi::Tei),
    Service::Chat,
];

impl Service {
    fn spec(self, base_url: &str) -> ProfileSpec {
        let (provider, model) = match self {
            Service::Vectors(Api::OpenAi) | Service::Chat => ("openai", "some-model"),
            Service::Vectors(Api::Voyage) | Service::Scores(RerankApi::Voyage) => ("voyage", "voyage-3"),
            Service::Vectors(Api::VoyageContext) => ("voyage", "voyage-context-3"),
            Service::Vectors(Api::Jina) | Service::Scores(RerankApi::Jina) => ("jina", "jina-v3"),
            Service::Vectors(Api::Tei) | Service::Scores(RerankApi::Tei) => ("tei", "bge"),
        };
        let config = json!({"base_url": base_url, "api_key": {"file": "key"}});
        ProfileSpec { provider: provider.into(), model: model.into(), dims: DIMS, config }
    }

    fn answer(self, request: &Request, fault: Fault) -> Reply {
        match self {
            Service::Vectors(api) => protocol::vectors(api, request, fault),
            Service::Scores(api) => protocol::scores(api, request, fault),
            Service::Chat => chat_answer(fault),
        }
    }

    /// Calls it with the three texts.
    fn call(self, spec: &ProfileSpec, policy: &Policy) -> Result<(Vec<Vec<f32>>, Usage), ProviderError> {
        let texts = TEXTS.map(String::from);
        match self {
            Service::Vectors(_) => {
                let request = EmbedRequest { texts: &texts, purpose: Purpose::Document, contextual: false };
                let embedded = provider::embedder(spec, policy)?.embed(&request)?;
                Ok((embedded.vectors, embedded.usage))
            }
            Service::Scores(_) => {
                let reranked = provider::reranker(spec, policy)?.rerank("a query", &texts)?;
                Ok((reranked.scores.into_iter().map(|score| vec![score]).collect(), reranked.usage))
            }
            Service::Chat => {
                let completed = provider::chat(spec, policy)?.complete(&chat_request(Format::Json))?;
                Ok((vec![vec![completed.text.len() as f32]], completed.usage))
            }
        }
    }

    fn expected(self) -> Vec<Vec<f32>> {
        match self {
            Service::Vectors(_) => TEXTS.map(protocol::vector_of).into(),
            Service::Scores(_) => TEXTS.map(|text| vec![protocol::score_of(text)]).into(),
            Service::Chat => vec![vec![CHAT_ANSWER.len() as f32]],
        }
    }
}

const CHAT_ANSWER: &str = r#"{"events": []}"#;

fn chat_request(format: Format) -> ChatRequest {
    let message = |role, content: &str| Message { role, content: content.into() };
    let messages = vec![message(Role::System, "Answer in JSON."), message(Role::User, TEXTS[0])];
    ChatRequest { messages, format, max_tokens: 50 }
}

fn chat_answer(fault: Fault) -> Reply {
    chat_reply(
        if fault == Fault::NotJson { "Here you are!" } else { CHAT_ANSWER },
        "stop",
        fault == Fault::OtherJson,
    )
}

fn chat_reply(content: &str, finish_reason: &str, no_choice: bool) -> Reply {
    let choice = json!({"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": finish_reason});
    let choices = if no_choice { json!([]) } else { json!([choice]) };
    Reply::json(json!({"choices": choices, "usage": {"total_tokens": 7}}).to_string())
}

/// A policy that allows the fake server, and a directory with the key.
struct Setup {
    policy: Policy,
    directory: std::path::PathBuf,
}

impl Setup {
    fn new(name: &str) -> Self {
        let directory = std::env::temp_dir().join(format!("memento-provider-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        std::fs::write(directory.join("key"), format!("{KEY}\n")).unwrap();
        let policy = Policy {
            allowed_hosts: vec!["127.0.0.1".into(), "localhost".into()],
            allow_private: true,
            timeout: Duration::from_secs(20),
            max_response_bytes: 1024 * 1024,
            keys: KeyRules { directory: Some(directory.clone()), ..KeyRules::default() },
            ..Policy::default()
        };
        Self { policy, directory }
    }
}

impl Drop for Setup {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.directory));
    }
}

/// Every service against a server that does the same to all; the error of each.
fn failures(
    name: &str,
    timeout: Duration,
    reply: impl Fn(&Request) -> Reply + Send + Sync + 'static,
) -> Vec<ProviderError> {
    let mut setup = Setup::new(name);
    setup.policy.timeout = timeout;
    let server = FakeEndpoint::start(reply);
    SERVICES
        .map(|service| {
            let error =
                service.call(&service.spec(&server.url()), &setup.policy).expect_err(&format!("{service:?}"));
            check_words(&error);
            error
        })
        .into()
}

/// No error may show a key, the input, or what the endpoint said; each says what to do.
fn check_words(error: &ProviderError) {
    let shown = format!("{error} {error:?}");
    for secret in [KEY, QUOTED, "Bearer", "authorization", TEXTS[0], TEXTS[1], "/v1/", "/embed"] {
        assert!(!shown.contains(secret), "{shown}");
    }
    assert!(error.hint.is_some(), "{shown}");
    assert!(!error.message.starts_with(char::is_uppercase) && !error.message.ends_with('.'), "{shown}");
}

fn quoting(status: u16) -> Reply {
    Reply::status(
        status,
        json!({"error": {"message": format!("{QUOTED} {KEY}")}, "detail": QUOTED}).to_string(),
    )
}

const PATIENT: Duration = Duration::from_secs(20);

#[test]
fn a_right_answer_is_put_in_the_order_of_the_texts() {
    let setup = Setup::new("right");
    for service in SERVICES {
        let server = FakeEndpoint::start(move |request| service.answer(request, Fault::None));
        let (numbers, usage) = service.call(&service.spec(&server.url()), &setup.policy).unwrap();
        assert_eq!(numbers, service.expected(), "{service:?}");
        let has_tokens = !matches!(service, Service::Vectors(Api::Tei) | Service::Scores(RerankApi::Tei));
        assert_eq!(usage.tokens, has_tokens.then_some(7), "{service:?}");
        assert!(usage.bytes_sent > 50 && usage.bytes_received > 50 && usage.duration > Duration::ZERO);
        let request = &server.requests()[0];
        assert_eq!(request.header("authorization"), Some(format!("Bearer {KEY}").as_str()), "{service:?}");
        assert_eq!(request.header("content-type"), Some("application/json"));
    }
}

#[test]
fn a_wrong_answer_is_an_error_with_a_code() {
    let setup = Setup::new("wrong");
    for service in SERVICES {
        for fault in faults(service) {
            let server = FakeEndpoint::start(move |request| service.answer(request, fault));
            let error = service
                .call(&service.spec(&server.url()), &setup.policy)
                .expect_err(&format!("{service:?} with {fault:?}"));
            let wanted = if fault == Fault::WrongDims { Code::Dims } else { Code::BadAnswer };
            assert_eq!(error.code, wanted, "{service:?} with {fault:?}: {error:?}");
            check_words(&error);
        }
    }
}

fn faults(service: Service) -> Vec<Fault> {
    let mut faults = vec![Fault::NotJson, Fault::OtherJson];
    if service != Service::Chat {
        faults.extend([Fault::OneLess, Fault::OneMore, Fault::SameIndexTwice]);
        faults.extend([Fault::NotANumber, Fault::TooBigANumber, Fault::Null]);
    }
    if matches!(service, Service::Vectors(_)) {
        faults.extend([Fault::WrongDims, Fault::Zero]);
    }
    faults
}

#[test]
fn statuses_have_their_kinds() {
    for (status, code) in [
        (301, Code::Redirected),
        (400, Code::InputRefused),
        (401, Code::Unauthorized),
        (403, Code::Unauthorized),
        (404, Code::NotFound),
        (408, Code::Timeout),
        (413, Code::InputRefused),
        (422, Code::InputRefused),
        (425, Code::Unavailable),
        (429, Code::RateLimited),
        (500, Code::Unavailable),
        (503, Code::Unavailable),
    ] {
        for error in failures(&format!("status{status}"), PATIENT, move |_| quoting(status)) {
            assert_eq!((error.code, error.retry_after), (code, None), "{error:?}");
            assert!(error.message.contains(&status.to_string()), "{error:?}");
        }
    }
}

#[test]
fn a_wish_to_be_left_alone_is_passed_on() {
    let full = |status, value: &str| Reply::Full {
        status,
        headers: vec![("retry-after", value.into())],
        body: String::new(),
    };
    for error in failures("retry", PATIENT, move |_| full(429, "7")) {
        assert_eq!((error.kind(), error.retry_after), (Kind::RateLimited, Some(Duration::from_secs(7))));
    }
    for error in failures("retry503", PATIENT, move |_| full(503, "2")) {
        assert_eq!((error.kind(), error.retry_after), (Kind::Retryable, Some(Duration::from_secs(2))));
    }
    let date = httpdate::fmt_http_date(std::time::SystemTime::now() + Duration::from_secs(100));
    for error in failures("retrydate", PATIENT, move |_| full(429, &date)) {
        let pause = error.retry_after.unwrap();
        assert!((Duration::from_secs(60)..=Duration::from_secs(100)).contains(&pause), "{pause:?}");
    }
}

#[test]
fn a_refusal_of_the_model_is_not_blamed_on_the_text() {
    let body = json!({"error": {"message": QUOTED, "code": "model_not_found", "param": null}}).to_string();
    for error in failures("model", PATIENT, move |_| Reply::status(400, body.clone())) {
        assert_eq!(error.kind(), Kind::Invalid, "{error:?}");
    }
}

#[test]
fn what_breaks_can_be_tried_again() {
    for error in failures("close", PATIENT, |_| Reply::Close) {
        assert_eq!(error.kind(), Kind::Retryable, "{error:?}");
    }
    let body = json!({"data": [QUOTED]}).to_string();
    for error in failures("cut", PATIENT, move |_| Reply::Cut(body.clone())) {
        assert_eq!(error.code, Code::Unavailable, "{error:?}");
    }
    for error in failures("garbage", PATIENT, |_| Reply::Garbage) {
        assert_eq!(error.kind(), Kind::Retryable, "{error:?}");
    }
}

#[test]
fn nobody_is_waited_for_longer_than_the_time_out() {
    for (name, reply) in
        [("hang", (|_: &Request| Reply::Hang) as fn(&Request) -> Reply), ("drip", |_| Reply::Drip)]
    {
        let started = Instant::now();
        for error in failures(name, Duration::from_millis(200), reply) {
            assert_eq!(error.code, Code::Timeout, "{error:?}");
        }
        let longest = Duration::from_secs(2) * SERVICES.len() as u32;
        assert!(started.elapsed() < longest, "{name}: {:?}", started.elapsed());
    }
}

#[test]
fn an_endless_answer_is_not_read() {
    let setup = Setup::new("endless");
    for announced in [true, false] {
        for service in SERVICES {
            let server = FakeEndpoint::start(move |_| Reply::Endless { announced });
            let error = service.call(&service.spec(&server.url()), &setup.policy).unwrap_err();
            assert_eq!(error.code, Code::AnswerTooLarge, "{error:?}");
            check_words(&error);
            // What was read, and what the buffers of the kernel hold.
            assert!(server.bytes_sent() < fake_endpoint::ENDLESS_BYTES / 4, "{}", server.bytes_sent());
        }
    }
}

#[test]
fn redirects_are_not_followed() {
    let elsewhere = FakeEndpoint::start(|_| Reply::json("{}".into()));
    let location = elsewhere.url();
    for error in failures("redirect", PATIENT, move |_| Reply::Full {
        status: 307,
        headers: vec![("location", location.clone())],
        body: String::new(),
    }) {
        assert_eq!(error.code, Code::Redirected, "{error:?}");
    }
    assert_eq!(elsewhere.connections(), 0);
}

#[test]
fn a_refused_host_is_not_even_connected_to() {
    let server = FakeEndpoint::start(|_| Reply::json("{}".into()));
    let refused = |policy: &Policy, url: String| {
        for service in SERVICES {
            let error = service.call(&service.spec(&url), policy).unwrap_err();
            assert_eq!((error.code, error.kind()), (Code::HostRefused, Kind::Invalid), "{url}: {error:?}");
            check_words(&error);
        }
        assert_eq!(server.connections(), 0, "{url}");
    };
    let mut setup = Setup::new("refused");
    let port = server.port();
    setup.policy.allowed_hosts = vec!["example.com".into(), format!("127.0.0.1:{}", port ^ 1)];
    refused(&setup.policy, server.url());
    setup.policy.allowed_hosts = vec!["*".into()];
    setup.policy.allow_private = false;
    refused(&setup.policy, server.url());
    // The list allows the name; what it leads to is looked at when it has been resolved.
    refused(&setup.policy, format!("https://localhost:{port}"));
    refused(&setup.policy, format!("https://127.0.0.1:{port}"));
    refused(&setup.policy, format!("https://[::ffff:127.0.0.1]:{port}"));
}

#[test]
fn a_server_without_tls_is_not_trusted() {
    let setup = Setup::new("tls");
    let server = FakeEndpoint::start(|_| Reply::json("{}".into()));
    let service = Service::Vectors(Api::OpenAi);
    let spec = service.spec(&format!("https://localhost:{}", server.port()));
    // The server waits for a line that never comes, or answers with what is not TLS.
    let policy = Policy { timeout: Duration::from_secs(2), ..setup.policy.clone() };
    let error = service.call(&spec, &policy).unwrap_err();
    assert!(matches!(error.code, Code::Certificate | Code::Timeout | Code::Unavailable), "{error:?}");
    assert!(server.requests().iter().all(|request| request.header("authorization").is_none()));
}

#[test]
fn nobody_there() {
    let setup = Setup::new("nobody");
    let url = FakeEndpoint::start(|_| Reply::Close).url();
    // The server has ended; its last connection may still be taken by its thread.
    let port_is_free = || std::net::TcpStream::connect(url.trim_start_matches("http://")).is_err();
    while !port_is_free() {
        std::thread::yield_now();
    }
    for service in SERVICES {
        let error = service.call(&service.spec(&url), &setup.policy).unwrap_err();
        assert_eq!(error.code, Code::Unavailable, "{error:?}");
        check_words(&error);
    }
}

#[test]
fn connections_are_kept() {
    let setup = Setup::new("kept");
    let server = FakeEndpoint::start(|request| protocol::vectors(Api::OpenAi, request, Fault::None));
    let embedder =
        provider::embedder(&Service::Vectors(Api::OpenAi).spec(&server.url()), &setup.policy).unwrap();
    let texts = [String::from("one")];
    for _ in 0..5 {
        embedder.embed(&EmbedRequest { texts: &texts, purpose: Purpose::Query, contextual: false }).unwrap();
    }
    assert_eq!((server.connections(), server.requests().len()), (1, 5));
}

/// As many as were under way at once, and not only the few that the library keeps by itself.
#[test]
fn connections_are_kept_for_all_calls_at_once() {
    const AT_ONCE: usize = 12;
    let setup = Setup::new("kept12");
    // Nobody is answered before all have asked.
    let together = Arc::new(std::sync::Barrier::new(AT_ONCE));
    let server = FakeEndpoint::start(move |request| {
        together.wait();
        protocol::vectors(Api::OpenAi, request, Fault::None)
    });
    let embedder =
        provider::embedder(&Service::Vectors(Api::OpenAi).spec(&server.url()), &setup.policy).unwrap();
    let texts = [String::from("one")];
    let request = EmbedRequest { texts: &texts, purpose: Purpose::Query, contextual: false };
    for _ in 0..3 {
        std::thread::scope(|scope| {
            for _ in 0..AT_ONCE {
                scope.spawn(|| embedder.embed(&request).unwrap());
            }
        });
    }
    assert_eq!((server.connections(), server.requests().len()), (AT_ONCE, 3 * AT_ONCE));
}

#[test]
fn a_changed_key_is_used_by_the_next_call() {
    let setup = Setup::new("changed");
    let server = FakeEndpoint::start(|request| protocol::vectors(Api::OpenAi, request, Fault::None));
    let embedder =
        provider::embedder(&Service::Vectors(Api::OpenAi).spec(&server.url()), &setup.policy).unwrap();
    let texts = [String::from("one")];
    let request = EmbedRequest { texts: &texts, purpose: Purpose::Query, contextual: false };
    embedder.embed(&request).unwrap();
    std::fs::write(setup.directory.join("key"), "sk-new").unwrap();
    embedder.embed(&request).unwrap();
    let sent: Vec<_> =
        server.requests().iter().map(|r| r.header("authorization").unwrap().to_owned()).collect();
    assert_eq!(sent, [format!("Bearer {KEY}"), "Bearer sk-new".into()]);
}

#[test]
fn no_texts_no_call() {
    let setup = Setup::new("none");
    let server = FakeEndpoint::start(|_| Reply::Close);
    for service in SERVICES {
        let spec = service.spec(&server.url());
        match service {
            Service::Vectors(_) => {
                let request = EmbedRequest { texts: &[], purpose: Purpose::Query, contextual: false };
                let embedder = provider::embedder(&spec, &setup.policy).unwrap();
                assert_eq!(embedder.embed(&request).unwrap().vectors, Vec::<Vec<f32>>::new());
                let blank = [String::from("text"), String::from(" \n")];
                let error = embedder.embed(&EmbedRequest { texts: &blank, ..request }).unwrap_err();
                assert_eq!(error.kind(), Kind::Poison);
            }
            Service::Scores(_) => {
                assert!(
                    provider::reranker(&spec, &setup.policy)
                        .unwrap()
                        .rerank("q", &[])
                        .unwrap()
                        .scores
                        .is_empty()
                );
            }
            Service::Chat => {}
        }
    }
    assert_eq!(server.connections(), 0);
}

/// What each API is told about the purpose of a text and about its neighbours.
#[test]
fn the_request_says_what_the_texts_are_for() {
    let setup = Setup::new("purpose");
    let send = |api: Api, extra: Value, purpose, contextual| {
        let server = FakeEndpoint::start(move |request| protocol::vectors(api, request, Fault::None));
        let mut spec = Service::Vectors(api).spec(&server.url());
        spec.config.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        let texts = TEXTS.map(String::from);
        let embedder = provider::embedder(&spec, &setup.policy).unwrap();
        let embedded = embedder.embed(&EmbedRequest { texts: &texts, purpose, contextual }).unwrap();
        let request = server.requests().remove(0);
        (request, embedded.vectors)
    };
    let (document, query) = (Purpose::Document, Purpose::Query);
    let plain = || TEXTS.map(protocol::vector_of).to_vec();

    let (request, vectors) = send(Api::Voyage, json!({}), query, false);
    assert_eq!((request.path.as_str(), &request.body["input_type"]), ("/v1/embeddings", &json!("query")));
    assert_eq!(vectors, plain());
    let (request, vectors) = send(Api::VoyageContext, json!({"dimensions": true}), document, true);
    assert_eq!(request.path, "/v1/contextualizedembeddings");
    assert_eq!((&request.body["inputs"], &request.body["input_type"]), (&json!([TEXTS]), &json!("document")));
    assert_eq!((&request.body["output_dimension"], vectors), (&json!(DIMS), plain()));
    let (request, vectors) = send(Api::VoyageContext, json!({}), document, false);
    assert_eq!((&request.body["inputs"], vectors), (&json!([[TEXTS[0]], [TEXTS[1]], [TEXTS[2]]]), plain()));

    let (request, _) = send(Api::Jina, json!({"late_chunking": true}), document, true);
    assert_eq!(
        (&request.body["late_chunking"], &request.body["task"]),
        (&json!(true), &json!("retrieval.passage"))
    );
    let (request, _) = send(Api::Jina, json!({"late_chunking": true}), query, false);
    assert_eq!((request.body.get("late_chunking"), &request.body["task"]), (None, &json!("retrieval.query")));
    let (request, _) = send(Api::Jina, json!({}), document, true);
    assert_eq!(request.body.get("late_chunking"), None);

    let prefixes = json!({"query_prefix": "query: ", "document_prefix": "passage: "});
    let (request, _) = send(Api::Tei, prefixes.clone(), query, false);
    assert_eq!((request.path.as_str(), &request.body["inputs"][2]), ("/embed", &json!("query: 3")));
    let (request, _) = send(Api::OpenAi, prefixes, document, true);
    assert_eq!((&request.body["input"][2], request.body.get("dimensions")), (&json!("passage: 3"), None));
    let (request, _) = send(Api::OpenAi, json!({"dimensions": true}), document, false);
    assert_eq!(request.body["dimensions"], json!(DIMS));
}

fn chat_with(setup: &Setup, server: &FakeEndpoint, extra: Value) -> Arc<dyn Chat> {
    let mut spec = Service::Chat.spec(&server.url());
    spec.config.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    provider::chat(&spec, &setup.policy).unwrap()
}

#[test]
fn a_chat_is_held_to_its_form() {
    let setup = Setup::new("chat");
    let server = FakeEndpoint::start(|_| chat_reply("```json\n{\"a\": 1}\n```", "stop", false));
    let schema = Format::Schema { name: "events".into(), schema: json!({"type": "object"}) };
    let completed = chat_with(&setup, &server, json!({})).complete(&chat_request(schema)).unwrap();
    assert_eq!(completed.text, "{\"a\": 1}");
    chat_with(&setup, &server, json!({"max_completion_tokens": true, "own_temperature": true}))
        .complete(&chat_request(Format::Text))
        .unwrap();
    let requests = server.requests();
    let first = &requests[0].body;
    assert_eq!(first["response_format"]["json_schema"]["schema"], json!({"type": "object"}));
    assert_eq!((&first["temperature"], &first["max_tokens"]), (&json!(0), &json!(50)));
    assert_eq!(first["messages"][0], json!({"role": "system", "content": "Answer in JSON."}));
    let second = &requests[1].body;
    assert_eq!((second.get("temperature"), &second["max_completion_tokens"]), (None, &json!(50)));
    assert_eq!((second.get("max_tokens"), second.get("response_format")), (None, None));
}

/// A TEI server takes 32 texts at a time.
#[test]
fn many_texts_are_reranked_in_several_requests() {
    let setup = Setup::new("several");
    let server = FakeEndpoint::start(|request| protocol::scores(RerankApi::Tei, request, Fault::None));
    let reranker =
        provider::reranker(&Service::Scores(RerankApi::Tei).spec(&server.url()), &setup.policy).unwrap();
    let texts: Vec<String> = (1..=70).map(|length| "x".repeat(length)).collect();
    let wanted: Vec<f32> = texts.iter().map(|text| protocol::score_of(text)).collect();
    assert_eq!(reranker.rerank("q", &texts).unwrap().scores, wanted);
    let sizes: Vec<_> = server.requests().iter().map(|r| r.body["texts"].as_array().unwrap().len()).collect();
    assert_eq!(sizes, [32, 32, 6]);
}

#[test]
fn a_chat_that_was_cut_or_refused_is_an_error() {
    let setup = Setup::new("chatcut");
    for (reason, no_choice, code, kind) in [
        ("length", false, Code::CutOff, Kind::Retryable),
        ("content_filter", false, Code::InputRefused, Kind::Poison),
        ("stop", true, Code::BadAnswer, Kind::Retryable),
    ] {
        let server = FakeEndpoint::start(move |_| chat_reply("{}", reason, no_choice));
        let error = chat_with(&setup, &server, json!({})).complete(&chat_request(Format::Json)).unwrap_err();
        assert_eq!((error.code, error.kind()), (code, kind), "{error:?}");
        assert_eq!(error.usage.and_then(|usage| usage.tokens), Some(7), "it was paid for: {error:?}");
        check_words(&error);
    }
}

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use super::*;

fn spawn(work: Box<dyn FnOnce() + Send>) -> std::io::Result<()> {
    std::thread::Builder::new().spawn(work).map(drop)
}

fn get(server: &MetricsServer, request: &str) -> String {
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// A loop that answers when it is woken.
fn serving(metrics: &Arc<Metrics>) -> MetricsServer {
    let answering = Arc::clone(metrics);
    let wake = move || {
        assert!(answering.is_wanted());
        let depth = Depth { kind: "embed".into(), state: "pending".into(), jobs: 7, oldest: 1.5 };
        let pause =
            Pause { endpoint: "openai:api".into(), code: "PROVIDER_RATE_LIMITED".into(), seconds: 12.5 };
        answering.refresh(vec![depth], vec![pause]);
    };
    MetricsServer::start(std::net::Ipv4Addr::LOCALHOST.into(), 0, Arc::clone(metrics), spawn, wake).unwrap()
}

#[test]
fn a_scrape_has_counters_and_the_queue_of_now() {
    let metrics = Arc::new(Metrics::default());
    metrics.claimed("embed", [1, 2, 3].into_iter());
    metrics.claimed("ingest", [4].into_iter());
    metrics.claimed("embed", std::iter::empty());
    metrics.done(&[1, 4]);
    metrics.failed(2, "PROVIDER_TIMEOUT");
    metrics.released([3].into_iter());
    // Taken by somebody else meanwhile: nobody here knows when it began.
    metrics.done(&[2]);
    metrics.called("openai:api", "ok", Duration::from_millis(30), 100);
    metrics.called("openai:api", "ok", Duration::from_secs(100), 1);
    metrics.paused("openai:api");
    let server = serving(&metrics);
    let answer = get(&server, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    for expected in [
        "memento_queue_jobs{kind=\"embed\",state=\"pending\"} 7",
        "memento_queue_oldest_seconds{kind=\"embed\",state=\"pending\"} 1.5",
        "memento_jobs_claimed_total{kind=\"embed\"} 3",
        "memento_jobs_done_total 3",
        "memento_job_seconds_count{kind=\"embed\"} 1",
        "memento_job_seconds_count{kind=\"ingest\"} 1",
        "memento_endpoint_paused_seconds{endpoint=\"openai:api\",code=\"PROVIDER_RATE_LIMITED\"} 12.5",
        "memento_job_failures_total{code=\"PROVIDER_TIMEOUT\"} 1",
        "memento_model_tokens_total{endpoint=\"openai:api\"} 101",
        "memento_endpoint_pauses_total{endpoint=\"openai:api\"} 1",
        "memento_model_call_seconds_bucket{endpoint=\"openai:api\",outcome=\"ok\",le=\"0.025\"} 0",
        "memento_model_call_seconds_bucket{endpoint=\"openai:api\",outcome=\"ok\",le=\"0.05\"} 1",
        "memento_model_call_seconds_bucket{endpoint=\"openai:api\",outcome=\"ok\",le=\"60\"} 1",
        "memento_model_call_seconds_bucket{endpoint=\"openai:api\",outcome=\"ok\",le=\"+Inf\"} 2",
        "memento_model_call_seconds_count{endpoint=\"openai:api\",outcome=\"ok\"} 2",
    ] {
        assert!(answer.lines().any(|line| line == expected), "{expected} is not in\n{answer}");
    }
}

#[test]
fn other_requests_are_refused_and_the_server_goes_on() {
    let metrics = Arc::new(Metrics::default());
    let server = serving(&metrics);
    assert!(get(&server, "GET / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 404"));
    assert!(get(&server, "POST /metrics HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 405"));
    assert!(get(&server, &format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(10_000))).contains("404"));
    assert!(get(&server, "GET /metrics HTTP/1.0\r\n\r\n").contains("200 OK"));
}

#[test]
fn it_stops_listening() {
    let metrics = Arc::new(Metrics::default());
    let server = serving(&metrics);
    let address = server.address();
    drop(server);
    // The thread closes the listener when it notices.
    let deadline = std::time::Instant::now() + Duration::from_secs(10);
    while TcpStream::connect(address).is_ok() {
        assert!(std::time::Instant::now() < deadline, "it still listens");
        std::thread::yield_now();
    }
}

#[test]
fn labels_are_escaped() {
    assert_eq!(labels(&[("a", "x\"y\\z\n")]), r#"{a="x\"y\\z\n"}"#);
}

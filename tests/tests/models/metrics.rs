//! Metrics as a scraper sees them: of the background worker, and of memento-worker.

use std::io::{Read, Write};
use std::net::TcpStream;

use memento_tests::cluster::free_port;
use memento_tests::external::ExternalWorker;
use memento_tests::{Cluster, eventually};
use postgres::Client;
use serde_json::json;

use super::scene::{activate, cluster, endpoints_allowed, number};
use crate::fake_endpoint::protocol::{self, Api, DIMS, Fault};
use crate::fake_endpoint::{FakeEndpoint, Reply};

fn scrape(port: u16) -> Option<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    Some(answer)
}

/// The value of a line that begins so.
fn value(answer: &str, series: &str) -> Option<f64> {
    let line = answer.lines().find(|line| line.starts_with(series))?;
    line.rsplit(' ').next()?.parse().ok()
}

/// An endpoint that answers unless a text says that there is too much to do.
fn endpoint() -> FakeEndpoint {
    FakeEndpoint::start(|request| match request.body["input"].to_string().contains("too much") {
        true => Reply::Full { status: 429, headers: vec![("retry-after", "600".into())], body: "{}".into() },
        false => protocol::vectors(Api::OpenAi, request, Fault::None),
    })
}

/// What a scrape says is what the database says.
fn check(client: &mut Client, endpoint: &FakeEndpoint, port: u16) {
    activate(client, "double", "openai", "m", DIMS as i32, &json!({"base_url": endpoint.url()}));
    client.batch_execute("select memento.remember('ledger ' || n) from generate_series(1, 4) n").unwrap();
    let done = eventually("four jobs are done", || {
        scrape(port).filter(|answer| value(answer, "memento_job_seconds_count{kind=\"embed\"}") == Some(4.0))
    });
    assert!(value(&done, "memento_jobs_done_total") >= Some(4.0), "{done}");
    assert!(value(&done, "memento_jobs_claimed_total{kind=\"embed\"}") >= Some(4.0), "{done}");
    assert!(value(&done, "memento_model_tokens_total{") > Some(0.0), "{done}");
    assert_eq!(value(&done, "memento_queue_jobs{kind=\"embed\",state=\"pending\"}"), None, "{done}");
    client.batch_execute("select memento.remember('too much ' || n) from generate_series(1, 3) n").unwrap();
    let waiting = eventually("three jobs wait", || {
        let answer = scrape(port)?;
        (value(&answer, "memento_queue_jobs{kind=\"embed\",state=\"pending\"}") == Some(3.0)
            && value(&answer, "memento_endpoint_paused_seconds{").is_some())
        .then_some(answer)
    });
    let pending = "select count(*) from memento.job where kind = 'embed' and state = 'pending'";
    assert_eq!(number(client, pending), 3);
    let left = value(&waiting, "memento_endpoint_paused_seconds{").unwrap();
    assert!((1.0..=600.0).contains(&left), "{waiting}");
    assert!(value(&waiting, "memento_endpoint_pauses_total{") >= Some(1.0), "{waiting}");
    assert!(value(&waiting, "memento_queue_oldest_seconds{kind=\"embed\",state=\"pending\"}") >= Some(0.0));
    assert!(
        value(&waiting, "memento_job_failures_total{code=\"PROVIDER_RATE_LIMITED\"}") >= Some(1.0),
        "{waiting}"
    );
    // Also after somebody else has changed the queue.
    client
        .batch_execute("select memento.cancel_job(job_id) from memento.job where state = 'pending'")
        .unwrap();
    client.batch_execute("delete from memento.endpoint_pause").unwrap();
    eventually("nothing waits", || {
        let answer = scrape(port)?;
        (value(&answer, "memento_queue_jobs{kind=\"embed\",state=\"pending\"}").is_none()
            && value(&answer, "memento_endpoint_paused_seconds{").is_none())
        .then_some(())
    });
}

fn scene(lines: Vec<String>) -> (Cluster, String) {
    let cluster = cluster(&[endpoints_allowed(), lines].concat());
    let database = cluster.database();
    (cluster, database)
}

#[test]
fn the_background_worker_serves_metrics() {
    let port = free_port();
    let (cluster, database) = scene(vec![]);
    let mut client = cluster.connect(&database);
    client.batch_execute(&format!("alter system set memento.metrics_port = {port}; ")).unwrap();
    client.batch_execute("select pg_reload_conf()").unwrap();
    check(&mut client, &endpoint(), port);
}

#[test]
fn a_worker_on_another_machine_serves_metrics() {
    let port = free_port();
    let (cluster, database) = scene(vec!["memento.worker = off".into()]);
    let _worker = ExternalWorker::start(&cluster, &database, &["--metrics-port", &port.to_string()]);
    check(&mut cluster.connect(&database), &endpoint(), port);
}

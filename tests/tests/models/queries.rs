//! Models over HTTP that queries ask: connections are kept, failing endpoints left alone, calls entered into the ledger.

use std::sync::{Arc, Mutex};

use memento_tests::failure::assert_failure;
use memento_tests::{Cluster, eventually};
use postgres::Client;
use serde_json::json;

use super::scene::{activate, cluster, embed, endpoints_allowed, note, number};
use crate::fake_endpoint::protocol::{self, Api, DIMS, Fault, RerankApi};
use crate::fake_endpoint::{FakeEndpoint, Reply, Request};

type Answer = Arc<Mutex<fn(&Request) -> Reply>>;

fn right(request: &Request) -> Reply {
    match request.path.as_str() {
        "/rerank" => protocol::scores(RerankApi::Tei, request, Fault::None),
        _ => protocol::vectors(Api::OpenAi, request, Fault::None),
    }
}

fn limited(_: &Request) -> Reply {
    Reply::Full { status: 429, headers: vec![], body: "{}".into() }
}

/// A project with one memory and its vector, whose model is an endpoint that does what the test chooses. No worker: every request is
/// a query's.
struct Scene {
    cluster: Cluster,
    database: String,
    client: Client,
    endpoint: FakeEndpoint,
    answer: Answer,
    /// Requests that were made before the test began.
    before: usize,
}

impl Scene {
    fn new() -> Self {
        let answer: Answer = Arc::new(Mutex::new(right));
        let chosen = Arc::clone(&answer);
        let endpoint = FakeEndpoint::start(move |request| {
            let answer = *chosen.lock().unwrap();
            answer(request)
        });
        let lines = [endpoints_allowed(), vec!["memento.worker = off".into()]].concat();
        let cluster = cluster(&lines);
        let database = cluster.database();
        let mut client = cluster.connect(&database);
        activate(&mut client, "double", "openai", "m", DIMS as i32, &json!({"base_url": endpoint.url()}));
        client.batch_execute("select memento.remember('the ledger room')").unwrap();
        client.batch_execute("call memento.drain()").unwrap();
        client.batch_execute("truncate memento.usage_ledger").unwrap();
        let before = endpoint.requests().len();
        // A session that has not asked anything yet.
        let client = cluster.connect(&database);
        Self { cluster, database, client, endpoint, answer, before }
    }

    fn answers(&self, answer: fn(&Request) -> Reply) {
        *self.answer.lock().unwrap() = answer;
    }

    fn requests(&self) -> usize {
        self.endpoint.requests().len() - self.before
    }

    fn new_session(&mut self) {
        self.client = self.cluster.connect(&self.database);
    }

    /// How many results there are; by words alone there is one.
    fn search(&mut self) -> usize {
        self.client.query("select * from memento.search('ledger')", &[]).unwrap().len()
    }

    /// The calls of queries in the ledger: role, outcome, texts, tokens.
    fn ledger(&mut self) -> Vec<(String, String, i32, i64)> {
        self.client
            .query(
                "select role, outcome, items, tokens from memento.usage_ledger
                  where job_id is null and endpoint like '%127.0.0.1:%' and duration_ms > 0 order by call_id",
                &[],
            )
            .unwrap()
            .iter()
            .map(|row| (row.get(0), row.get(1), row.get(2), row.get(3)))
            .collect()
    }
}

fn row(role: &str, outcome: &str, items: i32, tokens: i64) -> (String, String, i32, i64) {
    (role.into(), outcome.into(), items, tokens)
}

#[test]
fn a_session_keeps_its_connection_until_the_settings_change() {
    let mut scene = Scene::new();
    let connections = scene.endpoint.connections();
    for _ in 0..5 {
        assert_eq!(scene.search(), 1);
        embed(&mut scene.client, &["one", "two"], "document").unwrap();
    }
    assert_eq!((scene.endpoint.connections() - connections, scene.requests()), (1, 10));
    // Under other settings nothing of before is used.
    scene.client.batch_execute("alter system set memento.allowed_hosts = 'elsewhere'").unwrap();
    scene.client.batch_execute("select pg_reload_conf()").unwrap();
    eventually("the host is refused", || embed(&mut scene.client, &["one"], "query").err());
    assert_failure(embed(&mut scene.client, &["one"], "query"), "22023", "PROVIDER_HOST_REFUSED");
    assert_eq!(scene.search(), 1);
}

#[test]
fn a_reranker_keeps_its_connection() {
    let mut scene = Scene::new();
    let setting = json!({"provider": "tei", "config": {"base_url": scene.endpoint.url()}}).to_string();
    scene.client.batch_execute(&format!("alter system set memento.reranker = '{setting}'")).unwrap();
    scene.client.batch_execute("select pg_reload_conf()").unwrap();
    scene.client.batch_execute("set memento.rerank = on").unwrap();
    eventually("it is asked", || (note(&mut scene.client, "rerank")["ran"] == true).then_some(()));
    let connections = scene.endpoint.connections();
    for _ in 0..5 {
        assert_eq!(scene.search(), 1);
    }
    assert_eq!(scene.endpoint.connections(), connections);
    let ledger = scene.ledger();
    assert!(ledger.iter().filter(|(role, outcome, ..)| role == "rerank" && outcome == "ok").count() >= 6);
}

#[test]
fn each_call_of_a_query_is_in_the_ledger() {
    let mut scene = Scene::new();
    scene.search();
    embed(&mut scene.client, &["one", "two", "three"], "document").unwrap();
    let called = [row("embed", "ok", 1, 7), row("embed", "ok", 3, 7)];
    assert_eq!(scene.ledger(), called);
    let spent = "select sum(calls)::bigint from memento.usage_by_day";
    assert_eq!(number(&mut scene.client, spent), 2);
    // Nothing can be written here, and the search answers all the same.
    scene.client.batch_execute("begin read only").unwrap();
    assert_eq!((scene.search(), scene.requests()), (1, 3));
    assert_eq!(note(&mut scene.client, "dense")["ran"], true);
    scene.client.batch_execute("commit").unwrap();
    // What is rolled back was not paid for as far as anybody can see; that is the price of one transaction.
    scene.client.batch_execute("begin").unwrap();
    scene.search();
    scene.client.batch_execute("rollback").unwrap();
    assert_eq!(scene.ledger(), called);
    // A call that fails is there, too.
    scene.answers(|_| Reply::Full { status: 500, headers: vec![], body: "{}".into() });
    scene.search();
    assert_eq!(scene.ledger()[2..], [row("embed", "PROVIDER_UNAVAILABLE", 1, 0)]);
}

#[test]
fn a_search_does_not_fail_because_the_ledger_does() {
    let mut scene = Scene::new();
    scene
        .client
        .batch_execute(
            "create function pg_temp.refuse() returns trigger language plpgsql as 'begin raise exception ''disk full''; end';
             create trigger refuse before insert on memento.usage_ledger for each row execute function pg_temp.refuse()",
        )
        .unwrap();
    assert_eq!(scene.search(), 1);
    assert_eq!(note(&mut scene.client, "dense")["ran"], true);
    assert!(scene.cluster.log().contains("a model call is not in the ledger"));
}

#[test]
fn a_pause_that_workers_were_asked_for_holds_for_queries() {
    let mut scene = Scene::new();
    scene
        .client
        .batch_execute(
            "select memento._pause_endpoint(endpoint, '10 minutes', 'PROVIDER_RATE_LIMITED', 'too many requests')
               from memento.embedding_profile where name = 'double'",
        )
        .unwrap();
    assert_eq!((scene.search(), scene.requests()), (1, 0));
    let said = note(&mut scene.client, "dense")["reason"].as_str().unwrap().to_owned();
    assert!(said.contains("left alone for another") && said.contains("too many requests"), "{said}");
    assert_failure(embed(&mut scene.client, &["one"], "query"), "38000", "PROVIDER_RATE_LIMITED");
    scene.client.batch_execute("delete from memento.endpoint_pause").unwrap();
    assert_eq!((scene.search(), scene.requests()), (1, 1));
}

#[test]
fn an_endpoint_that_failed_is_left_alone_by_the_session() {
    let mut scene = Scene::new();
    for (answer, code) in [
        (limited as fn(&Request) -> Reply, "PROVIDER_RATE_LIMITED"),
        (|_| Reply::Close, "PROVIDER_UNAVAILABLE"),
        // The lane's own limit ends the wait.
        (|_| Reply::Hang, "PROVIDER_TIMEOUT"),
    ] {
        scene.new_session();
        scene.answers(answer);
        scene.client.batch_execute("set memento.lane_timeout = '500ms'; begin read only").unwrap();
        let before = scene.requests();
        for _ in 0..4 {
            assert_eq!(scene.search(), 1, "{code}");
        }
        let said = note(&mut scene.client, "dense")["reason"].as_str().unwrap().to_owned();
        assert!(said.contains("left alone for another"), "{code}: {said}");
        assert_eq!(scene.requests() - before, 1, "{code}: asked once");
        scene.client.batch_execute("commit").unwrap();
        assert_failure(embed(&mut scene.client, &["one"], "query"), "38000", code);
        // What ails the endpoint of one profile is nothing to another; and nobody's pause was written in a transaction of a query.
        assert_eq!(number(&mut scene.client, "select count(*) from memento.endpoint_pause"), 0);
    }
    scene.answers(right);
    scene.new_session();
    assert_eq!((scene.search(), note(&mut scene.client, "dense")["ran"].clone()), (1, true.into()));
}

/// A call that is given up is paid for, most likely.
#[test]
fn a_call_that_is_given_up_is_in_the_ledger() {
    let mut scene = Scene::new();
    scene.answers(|_| Reply::Hang);
    scene.client.batch_execute("set memento.lane_timeout = '300ms'").unwrap();
    assert_eq!(scene.search(), 1);
    assert_eq!(scene.ledger(), [row("embed", "PROVIDER_TIMEOUT", 1, 0)]);
}

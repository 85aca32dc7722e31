//! Reranking by an endpoint or by the local model: what it is asked, what its answer does, and that searches go on without it.

use std::sync::{Arc, Mutex};

use crate::fake_endpoint::protocol::{self, Fault, RerankApi};
use crate::fake_endpoint::{FakeEndpoint, Reply, Request};
use memento_tests::{Cluster, Server, Settings, eventually};
use postgres::Client;
use serde_json::{Value, json};

type Answer = Arc<Mutex<fn(&Request) -> Reply>>;

/// Its name, what the endpoint does, and the reason that is given if that is known.
type Misbehaviour = (&'static str, fn(&Request) -> Reply, &'static str);

/// An endpoint whose answer the test chooses.
fn endpoint() -> (FakeEndpoint, Answer) {
    let answer: Answer =
        Arc::new(Mutex::new(|request| protocol::scores(RerankApi::Tei, request, Fault::None)));
    let chosen = Arc::clone(&answer);
    let endpoint = FakeEndpoint::start(move |request| {
        let answer = *chosen.lock().unwrap();
        answer(request)
    });
    (endpoint, answer)
}

/// A database with memories that are the longer the better they fit; the model likes short ones.
fn scene(lines: &[&str]) -> (Cluster, Client) {
    let lines = ["memento.worker = off"].iter().chain(lines).map(|line| (*line).to_owned()).collect();
    let cluster = Cluster::start_with(Server::from_environment(), Settings { lines, ..Settings::default() });
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    for number in 1..=6 {
        let text = "ledger ".repeat(number * 3);
        client.execute("select memento.remember($1)", &[&text]).unwrap();
    }
    (cluster, client)
}

const ALLOWED: [&str; 2] = ["memento.allowed_hosts = '*'", "memento.allow_private_hosts = on"];

/// As an administrator does it, and until the session has it.
fn set_reranker(client: &mut Client, setting: &str) {
    client.batch_execute(&format!("alter system set memento.reranker = '{setting}'")).unwrap();
    client.batch_execute("select pg_reload_conf()").unwrap();
    eventually("the setting is in force", || {
        let shown: String = client.query_one("show memento.reranker", &[]).unwrap().get(0);
        (shown == setting).then_some(())
    });
}

fn configure(client: &mut Client, provider: &str, endpoint: &FakeEndpoint) {
    let setting = json!({"provider": provider, "model": "m", "config": {"base_url": endpoint.url()}});
    set_reranker(client, &setting.to_string());
    client.batch_execute("set memento.rerank = on").unwrap();
}

/// Length of each result's text and its place by the model.
fn search(client: &mut Client) -> Vec<(i32, Value)> {
    client
        .query("select length(excerpt), (lanes -> 'rerank')::text from memento.search('ledger')", &[])
        .unwrap()
        .iter()
        .map(|row| {
            let place: Option<&str> = row.get(1);
            (row.get(0), place.map_or(Value::Null, |text| serde_json::from_str(text).unwrap()))
        })
        .collect()
}

fn lengths(found: &[(i32, Value)]) -> Vec<i32> {
    found.iter().map(|(length, _)| *length).collect()
}

/// What a pack's notes say about the lane, and how many candidates it looked at.
fn notes(client: &mut Client) -> (Value, Value) {
    const NOTES: &str = "
      select (n -> 'lane_details' -> 'rerank')::text, (n -> 'reranked_from')::text
        from memento.retrieve('ledger', store => false) r, lateral (select r #> '{notes,retrieval}' as n) x";
    let row = client.query_one(NOTES, &[]).unwrap();
    (serde_json::from_str(row.get(0)).unwrap(), serde_json::from_str(row.get(1)).unwrap())
}

#[test]
fn the_best_candidates_come_in_the_order_of_the_model() {
    let (_cluster, mut client) = scene(&ALLOWED);
    let (endpoint, answer) = endpoint();
    let long = format!("ledger {}", "\u{e4}bc ".repeat(2000));
    client.execute("select memento.remember($1)", &[&long]).unwrap();
    let plain = lengths(&search(&mut client));
    assert_eq!(endpoint.connections(), 0, "it was not asked for");
    for (provider, right) in [
        ("tei", (|request| protocol::scores(RerankApi::Tei, request, Fault::None)) as fn(&Request) -> Reply),
        ("jina", |request| protocol::scores(RerankApi::Jina, request, Fault::None)),
        ("voyage", |request| protocol::scores(RerankApi::Voyage, request, Fault::None)),
    ] {
        *answer.lock().unwrap() = right;
        configure(&mut client, provider, &endpoint);
        let found = search(&mut client);
        let mut by_length = plain.clone();
        by_length.sort();
        assert_eq!(lengths(&found), by_length, "{provider}: the model likes short ones; before: {plain:?}");
        assert_ne!(plain, by_length, "or else this test shows nothing");
        for (rank, (_, place)) in (1..).zip(&found) {
            assert_eq!(place["rank"], rank, "{provider}: {found:?}");
            assert!(place["score"].as_f64().is_some());
        }
        let (note, from) = notes(&mut client);
        assert_eq!((&note["ran"], &from), (&true.into(), &plain.len().into()), "{note}");
        let request = endpoint.requests().pop().unwrap();
        assert_eq!(request.body["query"], "ledger");
        let texts = request.body[if provider == "tei" { "texts" } else { "documents" }].as_array().unwrap();
        let longest = texts.iter().map(|text| text.as_str().unwrap().chars().count()).max().unwrap();
        assert!(longest <= 2000, "{provider}: {longest} characters of a text were sent");
    }
}

/// A session that has asked nothing yet.
fn session(cluster: &Cluster, database: &str) -> Client {
    let mut client = cluster.connect(database);
    client.batch_execute("set memento.rerank = on; set memento.lane_timeout = '1s'").unwrap();
    client
}

#[test]
fn a_model_that_misbehaves_leaves_the_order_as_it_is() {
    let (cluster, mut client) = scene(&ALLOWED);
    let database: String = client.query_one("select current_database()::text", &[]).unwrap().get(0);
    let (endpoint, answer) = endpoint();
    let plain = lengths(&search(&mut client));
    configure(&mut client, "tei", &endpoint);
    let wrong: [Misbehaviour; 11] = [
        ("hang", |_| Reply::Hang, "not done after 1000 ms (memento.lane_timeout)"),
        ("drip", |_| Reply::Drip, "not done after 1000 ms (memento.lane_timeout)"),
        ("close", |_| Reply::Close, ""),
        ("garbage", |_| Reply::Garbage, ""),
        ("cut", |_| Reply::Cut("[{\"index\": 0, \"score\": 1}]".into()), ""),
        ("500", |_| Reply::Full { status: 500, headers: vec![], body: "{}".into() }, ""),
        (
            "429",
            |_| Reply::Full { status: 429, headers: vec![("retry-after", "3".into())], body: "{}".into() },
            "",
        ),
        ("one less", |request| protocol::scores(RerankApi::Tei, request, Fault::OneLess), ""),
        ("one twice", |request| protocol::scores(RerankApi::Tei, request, Fault::SameIndexTwice), ""),
        ("not a number", |request| protocol::scores(RerankApi::Tei, request, Fault::NotANumber), ""),
        ("not JSON", |request| protocol::scores(RerankApi::Tei, request, Fault::NotJson), ""),
    ];
    for (name, reply, reason) in wrong {
        *answer.lock().unwrap() = reply;
        // One that has failed a session is left alone by it for a while.
        let mut client = session(&cluster, &database);
        let found = search(&mut client);
        assert_eq!(lengths(&found), plain, "{name}");
        assert!(found.iter().all(|(_, place)| place.is_null()), "{name}: {found:?}");
        let (note, from) = notes(&mut session(&cluster, &database));
        let said = note["reason"].as_str().unwrap_or_default();
        assert!(note["ran"] == false && from.is_null() && !said.is_empty(), "{name}: {note}");
        assert!(reason.is_empty() || said == reason, "{name}: {said}");
        assert!(!said.contains("127.0.0.1:"), "{name}: an address is nobody's business: {said}");
    }
    *answer.lock().unwrap() = |request| protocol::scores(RerankApi::Tei, request, Fault::None);
    let mut client = session(&cluster, &database);
    assert!(search(&mut client)[0].1["rank"] == 1, "it is asked again");
    // A time limit of the statement is not ours to take.
    *answer.lock().unwrap() = |_| Reply::Hang;
    client.batch_execute("set memento.lane_timeout = '60s'; set statement_timeout = '300ms'").unwrap();
    let cancelled = client.query("select * from memento.search('ledger')", &[]).unwrap_err();
    assert_eq!(cancelled.code().unwrap().code(), "57014");
}

#[test]
fn nobody_but_an_administrator_names_a_model_and_hosts_are_checked() {
    let (cluster, mut client) = scene(&[]);
    let (endpoint, _) = endpoint();
    let plain = lengths(&search(&mut client));
    configure(&mut client, "tei", &endpoint);
    assert_eq!(lengths(&search(&mut client)), plain);
    assert_eq!(
        (notes(&mut client).0["ran"].clone(), endpoint.connections()),
        (false.into(), 0),
        "no host is allowed"
    );
    for setting in ["", "[]", "{", "{\"provider\": \"nobody\"}", "{\"provider\": 7, \"config\": null}"] {
        set_reranker(&mut client, setting);
        assert_eq!(lengths(&search(&mut client)), plain, "{setting}");
        assert_eq!(notes(&mut client).0["ran"], false, "{setting}");
    }
    let database: String = client.query_one("select current_database()::text", &[]).unwrap().get(0);
    let mut other = cluster.connect_as("reader", &database);
    for (statement, sqlstate) in
        [("set memento.reranker = '{}'", "55P02"), ("show memento.reranker", "42501")]
    {
        let refused = other.batch_execute(statement).unwrap_err();
        assert_eq!(refused.code().unwrap().code(), sqlstate, "{statement}");
    }
}

/// The library of ONNX Runtime that set-up has brought.
fn onnx_library() -> Option<String> {
    let path =
        std::env::var("MEMENTO_TEST_ONNX_LIBRARY").ok().filter(|path| std::path::Path::new(path).exists());
    if path.is_none() {
        println!("left out: there is no ONNX Runtime; scripts/setup brings it");
    }
    path
}

/// How often "red" is in each result, in their order.
fn reds(client: &mut Client) -> Vec<usize> {
    let rows = client.query("select excerpt from memento.search('ledger')", &[]).unwrap();
    rows.iter().map(|row| row.get::<_, &str>(0).matches("red").count()).collect()
}

#[test]
fn a_local_cross_encoder_reranks_over_the_socket() {
    let Some(library) = onnx_library() else { return };
    // It likes red.
    let model = crate::tiny_model::ModelDir::new("rerank", &crate::tiny_model::cross_encoder());
    let lines = [
        format!("memento.onnx_library = '{library}'"),
        format!("memento.reranker_dir = '{}'", model.path().display()),
    ];
    let (_cluster, mut client) = scene(&lines.each_ref().map(String::as_str));
    client.batch_execute("select memento.forget(item_id) from memento.item").unwrap();
    for number in 0..6 {
        let text = format!("ledger {}{}", "red ".repeat(number), "grey ".repeat(number * number));
        client.execute("select memento.remember($1)", &[&text]).unwrap();
    }
    assert_eq!(reds(&mut client), [0, 1, 2, 3, 4, 5], "short ones first");
    set_reranker(&mut client, &json!({"provider": "local", "model": "tiny"}).to_string());
    assert_eq!(reds(&mut client), [0, 1, 2, 3, 4, 5], "not asked for");
    client.batch_execute("set memento.rerank = on").unwrap();
    eventually("the process with the model serves it", || {
        (notes(&mut client).0["ran"] == true).then_some(())
    });
    assert_eq!(reds(&mut client), [5, 4, 3, 2, 1, 0]);
    let (note, from) = notes(&mut client);
    assert_eq!((&note["used"], &from), (&"local model".into(), &6.into()), "{note}");
    // Only so many are looked at; the others stay behind, in their order.
    set_reranker(&mut client, &json!({"provider": "local", "depth": 3}).to_string());
    assert_eq!(reds(&mut client), [2, 1, 0, 3, 4, 5]);
    // Nothing to choose here: the process holds one model for all.
    for setting in [
        json!({"provider": "local", "config": {"max_tokens": 9}}),
        json!({"provider": "local", "depth": 0}),
        json!({"provider": "local", "depth": "many"}),
    ] {
        set_reranker(&mut client, &setting.to_string());
        assert_eq!(reds(&mut client), [0, 1, 2, 3, 4, 5], "{setting}");
        let said = notes(&mut client).0["reason"].as_str().unwrap_or_default().to_owned();
        assert!(said.contains("CONFIG"), "{setting}: {said}");
    }
}

#[test]
fn a_local_cross_encoder_that_cannot_be_used_leaves_the_order_as_it_is() {
    let Some(library) = onnx_library() else { return };
    let model = crate::tiny_model::ModelDir::new("broken", b"no model");
    let lines = [
        format!("memento.onnx_library = '{library}'"),
        format!("memento.reranker_dir = '{}'", model.path().display()),
    ];
    let (_cluster, mut client) = scene(&lines.each_ref().map(String::as_str));
    let plain = lengths(&search(&mut client));
    set_reranker(&mut client, &json!({"provider": "local"}).to_string());
    client.batch_execute("set memento.rerank = on").unwrap();
    eventually("the model is refused", || {
        assert_eq!(lengths(&search(&mut client)), plain);
        let note = notes(&mut client).0;
        assert_eq!(note["ran"], false, "{note}");
        note["reason"].as_str()?.contains("MODEL_BROKEN").then_some(())
    });
}

//! The lane of similar spelling, where the server has pg_trgm.

use memento_tests::{Cluster, Server, Settings};
use postgres::Client;
use serde_json::Value;

/// A cluster without a worker and a database with three memories; none of the server has no pg_trgm.
fn scene() -> Option<(Cluster, Client)> {
    let lines = vec!["memento.worker = off".to_owned()];
    let cluster = Cluster::start_with(Server::from_environment(), Settings { lines, ..Settings::default() });
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    client
        .batch_execute(
            "select memento.remember('How nodes are drained before they are replaced.', title => 'Kubernetes handbook');
             select memento.remember('The socket was closed with ECONNRESET by its peer.', title => 'Incident');
             select memento.remember('Lunch is at noon.', title => 'Lunch');",
        )
        .unwrap();
    let available =
        !client.query("select from pg_available_extensions where name = 'pg_trgm'", &[]).unwrap().is_empty();
    available.then_some((cluster, client))
}

/// Title and lanes of each result.
fn search(client: &mut Client, query: &str, k: i32) -> Vec<(String, Value)> {
    client
        .query("select title, lanes::text from memento.search($1, $2)", &[&query, &k])
        .unwrap()
        .iter()
        .map(|row| (row.get(0), serde_json::from_str(row.get(1)).unwrap()))
        .collect()
}

/// What a pack's notes say about the lane.
fn note(client: &mut Client, query: &str) -> Value {
    const NOTE: &str =
        "select (memento.retrieve($1, store => false) #> '{notes,retrieval,lane_details,trigram}')::text";
    serde_json::from_str(client.query_one(NOTE, &[&query]).unwrap().get(0)).unwrap()
}

#[test]
fn misspelt_titles_and_identifiers_are_found() {
    let Some((_cluster, mut client)) = scene() else { return };
    assert!(search(&mut client, "kubernets handbok", 10).is_empty());
    let off = note(&mut client, "kubernets handbok");
    assert_eq!(off["reason"], "the extension pg_trgm is not installed");
    // Wherever it is installed.
    client
        .batch_execute("create schema \"Else where\"; create extension pg_trgm schema \"Else where\"")
        .unwrap();
    for (query, title) in [("kubernets handbok", "Kubernetes handbook"), ("econreset", "Incident")] {
        let found = search(&mut client, query, 10);
        assert_eq!(found.len(), 1, "{query}: {found:?}");
        assert_eq!(found[0].0, title);
        let place = &found[0].1["trigram"];
        assert!(place["rank"] == 1 && place["score"].as_f64().unwrap() >= 0.45, "{query}: {place}");
        let ran = note(&mut client, query);
        assert_eq!((&ran["ran"], &ran["used"], &ran["hits"]), (&true.into(), &"pg_trgm".into(), &1.into()));
    }
    assert!(search(&mut client, "zzzz qqqq", 10).is_empty());
}

#[test]
fn it_stays_away_where_it_does_not_help() {
    let Some((_cluster, mut client)) = scene() else { return };
    client.batch_execute("create extension pg_trgm").unwrap();
    for (query, reason) in [
        ("what does the kubernets handbok say", "only for one to four words"),
        (&*"k".repeat(200), "only for one to four words"),
        ("", "the query is empty"),
    ] {
        assert_eq!(note(&mut client, query)["reason"], reason, "{query:?}");
    }
    // As many as are wanted have the very words.
    let found = search(&mut client, "lunch", 1);
    assert!(found.len() == 1 && found[0].1.get("trigram").is_none(), "{found:?}");
    for query in ["%", "'", "\\", "_%_", "a'b\"c", "\u{202e}", "..", "lu%ch' or 1=1"] {
        search(&mut client, query, 5);
    }
    // Archived and superseded memories are not found by it either.
    client
        .batch_execute(
            "select memento.memory_archive(item_id) from memento.item where title = 'Kubernetes handbook'",
        )
        .unwrap();
    assert!(search(&mut client, "kubernets handbok", 10).is_empty());
}

#[test]
fn if_it_fails_or_takes_too_long_the_others_answer() {
    let Some((_cluster, mut client)) = scene() else { return };
    client.batch_execute("create extension pg_trgm").unwrap();
    client.batch_execute("alter function word_similarity(text, text) rename to gone").unwrap();
    let found = search(&mut client, "lunch econreset", 10);
    assert!(found.len() == 1 && found[0].0 == "Lunch", "{found:?}");
    let failed = note(&mut client, "lunch econreset");
    assert_eq!(failed["ran"], false);
    assert!(failed["reason"].as_str().unwrap().contains("42883"), "{failed}");
    // A function that never ends in its place.
    client
        .batch_execute(
            "create function word_similarity(text, text) returns real language sql volatile as 'select pg_sleep(600); select 1::real';
             set memento.lane_timeout = '200ms'",
        )
        .unwrap();
    let slow = note(&mut client, "lunch econreset");
    assert_eq!(slow["reason"], "not done after 200 ms (memento.lane_timeout)");
    client.batch_execute("set statement_timeout = '200ms'; set memento.lane_timeout = '60s'").unwrap();
    let cancelled = client.query("select * from memento.search('lunch econreset')", &[]).unwrap_err();
    assert_eq!(cancelled.code().unwrap().code(), "57014");
}

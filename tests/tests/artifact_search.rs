//! Searches in the shapes of seed 000: artifacts, and artifacts beside memories.

use std::collections::BTreeSet;

use memento_tests::failure::assert_failure;
use memento_tests::{Cluster, Server, Settings};
use postgres::Client;
use serde_json::{Value, json};

fn scene() -> (Cluster, Client) {
    let lines = vec!["memento.worker = off".to_owned()];
    let cluster = Cluster::start_with(Server::from_environment(), Settings { lines, ..Settings::default() });
    let mut client = cluster.connect(&cluster.database());
    client
        .batch_execute(
            "select memento.artifact_ingest('email', 'mail', 'We go with freemium pricing for the launch.', 'm1',
                      title => 'Pricing', author => 'alice', participants => array['bob'], ts => '2024-03-15 14:30Z');
             select memento.artifact_ingest('doc', 'wiki', (select string_agg('## Part ' || n || E'\\n\\nPricing of plan ' || n || repeat(' and what is in it', 20), E'\\n\\n')
                                                             from generate_series(1, 40) n), 'w1', title => 'Plans');
             select memento.remember('Pricing is talked about on Mondays.', title => 'Mondays');
             select memento.remember('Lunch is at noon.', title => 'Lunch');",
        )
        .unwrap();
    (cluster, client)
}

fn ask(client: &mut Client, call: &str) -> Value {
    let text: String = client.query_one(&format!("select memento.{call}::text"), &[]).unwrap().get(0);
    serde_json::from_str(&text).unwrap()
}

fn titles(found: &Value) -> BTreeSet<&str> {
    found.as_array().unwrap().iter().map(|one| one["title"].as_str().unwrap()).collect()
}

#[test]
fn artifacts_are_found_under_their_names_with_exact_quotes() {
    let (_cluster, mut client) = scene();
    let found = ask(&mut client, "artifact_search('pricing', filters => '{\"tags_any\": null}')");
    assert_eq!(titles(&found["artifacts"]), BTreeSet::from(["Plans", "Pricing"]), "no memories: {found}");
    assert_eq!((&found["total"], &found["filters_applied"]), (&2.into(), &json!({"query": "pricing"})));
    for artifact in found["artifacts"].as_array().unwrap() {
        let id = artifact["artifact_id"].as_str().unwrap();
        let whole = ask(
            &mut client,
            &format!("artifact_get('{id}', include_content => true, include_chunks => true)"),
        );
        for name in ["artifact_uid", "revision_id", "item_id"] {
            assert_eq!(artifact[name], whole[name], "{name}");
        }
        let content: Vec<char> = whole["content"].as_str().unwrap().chars().collect();
        let names: BTreeSet<&str> = whole["chunks"]
            .as_array()
            .unwrap()
            .iter()
            .map(|chunk| chunk["chunk_id"].as_str().unwrap())
            .collect();
        let is_chunked = whole["metadata"]["is_chunked"] == true;
        for chunk in artifact["chunks"].as_array().unwrap() {
            let name = chunk["chunk_id"].as_str().unwrap();
            assert!(if is_chunked { names.contains(name) } else { name == id }, "{name}");
            let offset = |key: &str| chunk[key].as_u64().unwrap() as usize;
            let span: String = content[offset("start_char")..offset("end_char")].iter().collect();
            assert_eq!(chunk["quote"], span.as_str());
            assert!(chunk["score"].as_f64().is_some() && chunk["lanes"]["fts"]["rank"].is_u64());
        }
    }
    let mail = &ask(&mut client, "artifact_search('freemium', include_chunks => false)")["artifacts"][0];
    assert_eq!(
        (&mail["artifact_type"], &mail["author"], &mail["source_id"]),
        (&"email".into(), &"alice".into(), &"m1".into())
    );
    assert_eq!((&mail["participants"], &mail["ts"]), (&json!(["bob"]), &"2024-03-15T14:30:00+00:00".into()));
    assert!(mail.get("chunks").is_none());
}

#[test]
fn a_search_for_artifacts_can_be_restricted() {
    let (_cluster, mut client) = scene();
    let uid = ask(&mut client, "artifact_search('freemium')")["artifacts"][0]["artifact_uid"]
        .as_str()
        .unwrap()
        .to_owned();
    for (arguments, expected) in [
        ("artifact_type => 'doc'".to_owned(), vec!["Plans"]),
        (format!("artifact_uid => '{uid}'"), vec!["Pricing"]),
        (format!("artifact_uid => '{uid}', artifact_type => 'doc'"), vec![]),
        ("filters => '{\"source_systems\": [\"mail\"]}'".into(), vec!["Pricing"]),
        ("filters => '{\"kinds\": [\"decision\"]}'".into(), vec![]),
        ("filters => '{\"item_ids\": []}'".into(), vec![]),
    ] {
        let found = ask(&mut client, &format!("artifact_search('pricing', {arguments})"));
        assert_eq!(titles(&found["artifacts"]), expected.into_iter().collect(), "{arguments}");
        assert_eq!(found["total"], found["artifacts"].as_array().unwrap().len(), "{arguments}");
    }
    let first = ask(&mut client, "artifact_search('pricing', 1)");
    assert_eq!((first["artifacts"].as_array().unwrap().len(), &first["total"]), (1, &2.into()));
    // A revision that was superseded is not found any more.
    ask(&mut client, "artifact_ingest('email', 'mail', 'We go with something else.', 'm1')");
    assert_eq!(ask(&mut client, "artifact_search('freemium')")["total"], 0);
    for (call, sqlstate, code) in [
        ("artifact_search(null)", "22023", "VALIDATION_ERROR"),
        ("artifact_search('x', 0)", "22023", "VALIDATION_ERROR"),
        ("artifact_search('x', 1001)", "22023", "VALIDATION_ERROR"),
        ("artifact_search('x', artifact_type => 'song')", "22023", "VALIDATION_ERROR"),
        ("artifact_search('x', filters => '{\"mood\": 1}')", "22023", "VALIDATION_ERROR"),
        ("artifact_search('x', artifact_uid => 'uid_0000000000000000')", "P0002", "ARTIFACT_NOT_FOUND"),
        ("hybrid_search('x', -1)", "22023", "VALIDATION_ERROR"),
        ("hybrid_search(null)", "22023", "VALIDATION_ERROR"),
    ] {
        assert_failure(client.query(&format!("select memento.{call}"), &[]), sqlstate, code);
    }
}

#[test]
fn artifacts_are_found_behind_many_memories_of_their_kind() {
    let (_cluster, mut client) = scene();
    client
        .batch_execute(
            "select memento.artifact_ingest('note', 'wiki', 'A zebra, among many other animals that live in the zoo.', 'z1', title => 'Zoo');
             select memento.remember('zebra zebra zebra ' || n) from generate_series(1, 150) n;",
        )
        .unwrap();
    assert_eq!(
        titles(&ask(&mut client, "artifact_search('zebra', 5)")["artifacts"]),
        BTreeSet::from(["Zoo"])
    );
}

#[test]
fn a_hybrid_search_has_artifacts_and_memories() {
    let (_cluster, mut client) = scene();
    let found = ask(&mut client, "hybrid_search('pricing')");
    let results = &found["results"];
    assert_eq!(titles(results), BTreeSet::from(["Mondays", "Plans", "Pricing"]), "{found}");
    assert_eq!(found["total"], 3);
    for result in results.as_array().unwrap() {
        let id = result["id"].as_str().unwrap();
        let got = match result["type"].as_str().unwrap() {
            "artifact" => ask(&mut client, &format!("artifact_get('{id}', include_content => true)")),
            _ => ask(&mut client, &format!("memory_get('{id}')")),
        };
        assert!(got.to_string().contains("ricing"), "{result}");
        assert!(result["quote"].as_str().unwrap().contains("ricing") && result["score"].is_f64());
    }
    assert_eq!(ask(&mut client, "hybrid_search('pricing', 2)")["results"].as_array().unwrap().len(), 2);
    assert_eq!(ask(&mut client, "hybrid_search('')")["total"], 0);
}

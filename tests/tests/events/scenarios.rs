//! The end-to-end scenarios 1 to 4 of seed 000 with the background worker: by rules, and by a model over HTTP. The fifth, a model that
//! fails, is in `model.rs`.

use postgres::Client;
use serde_json::Value;

use super::double::{Double, cluster};
use super::scene::{assert_evidence_holds, count, events, ingest, ingest_as, json, wait_for_job};

/// Runs a scenario by each of those who can read.
fn by_rules_and_by_a_model(scenario: fn(&mut Client)) {
    for is_model in [false, true] {
        let cluster = cluster(true);
        let mut client = cluster.connect(&cluster.database());
        let double = Double::start();
        if is_model {
            double.use_it(&mut client);
        }
        scenario(&mut client);
        assert_evidence_holds(&mut client);
        assert_eq!(double.calls() > 0, is_model);
        let by = "select count(*) from memento.semantic_event where (extractor = 'rules') = $1";
        let found: i64 = client.query_one(by, &[&is_model]).unwrap().get(0);
        assert_eq!(found, 0, "events of somebody else");
    }
}

fn of_category<'a>(events: &'a [Value], category: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["category"] == category).collect()
}

fn says(events: &[Value], word: &str) -> bool {
    events.iter().any(|event| event["narrative"].as_str().unwrap().contains(word))
}

#[test]
fn a_small_artifact_becomes_events() {
    by_rules_and_by_a_model(small_artifact);
}

fn small_artifact(client: &mut Client) {
    let made = json(
        client,
        "memento.artifact_ingest('note', 'test', 'Decision: We will use Postgres for event storage starting Monday.')",
    );
    assert_eq!((&made["is_chunked"], &made["job_status"]), (&Value::from(false), &Value::from("PENDING")));
    assert_eq!(wait_for_job(client, &made), "DONE");
    let found = json(client, "memento.event_search('Postgres', category => 'Decision')");
    assert_eq!(found["total"], 1);
    let event = &found["events"][0];
    assert_eq!(event["category"], "Decision");
    assert!(event["narrative"].as_str().unwrap().contains("Postgres"));
    let quote = &event["evidence"][0];
    assert!(quote["quote"].as_str().unwrap().contains("Postgres"));
    assert_eq!(quote["chunk_id"], Value::Null, "a short artifact is not named by chunks");
}

/// A document of some 3,000 tokens.
fn long_document() -> String {
    let mut parts = vec!["# Planning".to_owned()];
    let said = [
        "Decision: We will use Postgres for the event store.",
        "Decision: The web client is written in Elm.",
        "Decision: Releases happen on Tuesdays.",
        "Commitment: Alice will deliver the migration plan by March 15.",
        "Commitment: Bob will write the runbook by April 2.",
    ];
    for (number, line) in said.iter().enumerate() {
        parts.push(format!("## Part {number}"));
        for paragraph in 0..12 {
            parts.push(format!(
                "Paragraph {paragraph} of part {number} describes the background in general terms. It mentions tables, queues and the \
                 weather of the week, and the numbers {number}{paragraph}1 to {number}{paragraph}9 appear for no reason in particular."
            ));
        }
        parts.push((*line).to_owned());
    }
    parts.join("\n\n")
}

#[test]
fn a_large_artifact_is_cut_and_becomes_events() {
    by_rules_and_by_a_model(large_artifact);
}

fn large_artifact(client: &mut Client) {
    let made = ingest_as(client, "doc", "plan", &long_document());
    assert_eq!(made["is_chunked"], true);
    assert!(made["num_chunks"].as_u64().unwrap() >= 3);
    assert_eq!(wait_for_job(client, &made), "DONE");
    let events = events(client, &made);
    assert!(events.len() >= 5, "{events:?}");
    assert_eq!(of_category(&events, "Decision").len(), 3);
    assert_eq!(of_category(&events, "Commitment").len(), 2);
    for event in &events {
        for quote in event["evidence"].as_array().unwrap() {
            let chunk = quote["chunk_id"].as_str().unwrap();
            assert!(made["stored_ids"].as_array().unwrap().iter().any(|stored| stored == chunk), "{chunk}");
            assert!(chunk.contains("::chunk::"));
        }
    }
}

#[test]
fn the_same_content_again_asks_for_nothing() {
    by_rules_and_by_a_model(same_content);
}

fn same_content(client: &mut Client) {
    let first = ingest(client, "test_doc_1", "Decision: Use Postgres.");
    let second = ingest(client, "test_doc_1", "Decision: Use Postgres.");
    assert_eq!(first["revision_id"], second["revision_id"]);
    assert_eq!(second["status"], "unchanged");
    wait_for_job(client, &first);
    assert_eq!(count(client, "select count(*) from memento.job where kind = 'extract_events'"), 1);
    assert_eq!(count(client, "select count(*) from memento.semantic_event"), 1);
}

#[test]
fn a_new_revision_has_events_of_its_own() {
    by_rules_and_by_a_model(new_revision);
}

fn new_revision(client: &mut Client) {
    let first = ingest(client, "test_doc_1", "Decision: Use MySQL.");
    assert_eq!(wait_for_job(client, &first), "DONE");
    let second = ingest(client, "test_doc_1", "Decision: Actually, use Postgres instead.");
    assert_ne!(first["revision_id"], second["revision_id"]);
    assert_eq!(first["artifact_uid"], second["artifact_uid"]);
    assert_eq!(wait_for_job(client, &second), "DONE");
    let uid = first["artifact_uid"].as_str().unwrap();
    let old = json(
        client,
        &format!("memento.event_list_for_revision('{uid}', '{}')", first["revision_id"].as_str().unwrap()),
    );
    assert!(says(old["events"].as_array().unwrap(), "MySQL"));
    assert_eq!(old["is_latest"], false);
    assert!(says(&events(client, &second), "Postgres"));
    let latest = json(client, &format!("memento.event_list_for_revision('{uid}')"));
    assert_eq!((&latest["is_latest"], &latest["revision_id"]), (&Value::from(true), &second["revision_id"]));
}

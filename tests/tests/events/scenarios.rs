//! The five end-to-end scenarios of seed 000, by rules, with the background worker.

use memento_tests::Cluster;
use serde_json::Value;

use super::scene::{assert_evidence_holds, count, events, ingest, ingest_as, json, wait_for_job};

fn of_category<'a>(events: &'a [Value], category: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["category"] == category).collect()
}

fn says(events: &[Value], word: &str) -> bool {
    events.iter().any(|event| event["narrative"].as_str().unwrap().contains(word))
}

#[test]
fn a_small_artifact_becomes_events() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    let made = json(
        &mut client,
        "memento.artifact_ingest('note', 'test', 'Decision: We will use Postgres for event storage starting Monday.')",
    );
    assert_eq!((&made["is_chunked"], &made["job_status"]), (&Value::from(false), &Value::from("PENDING")));
    assert_eq!(wait_for_job(&mut client, &made), "DONE");
    let found = json(&mut client, "memento.event_search('Postgres', category => 'Decision')");
    assert_eq!(found["total"], 1);
    let event = &found["events"][0];
    assert_eq!(event["category"], "Decision");
    assert!(event["narrative"].as_str().unwrap().contains("Postgres"));
    let quote = &event["evidence"][0];
    assert!(quote["quote"].as_str().unwrap().contains("Postgres"));
    assert_eq!(quote["chunk_id"], Value::Null, "a short artifact is not named by chunks");
    assert_evidence_holds(&mut client);
}

/// A document of some 3,000 tokens.
fn long_document() -> String {
    let mut parts = vec!["# Planning".to_owned()];
    let said = [
        "Decision: We will use Postgres for the event store.",
        "Decision: The web client is written in Elm.",
        "Decision: Releases happen on Tuesdays.",
        "Action: Alice will deliver the migration plan by March 15.",
        "Action: Bob will write the runbook by April 2.",
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
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    let made = ingest_as(&mut client, "doc", "plan", &long_document());
    assert_eq!(made["is_chunked"], true);
    assert!(made["num_chunks"].as_u64().unwrap() >= 3);
    assert_eq!(wait_for_job(&mut client, &made), "DONE");
    let events = events(&mut client, &made);
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
    assert_evidence_holds(&mut client);
}

#[test]
fn the_same_content_again_asks_for_nothing() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    let first = ingest(&mut client, "test_doc_1", "Decision: Use Postgres.");
    let second = ingest(&mut client, "test_doc_1", "Decision: Use Postgres.");
    assert_eq!(first["revision_id"], second["revision_id"]);
    assert_eq!(second["status"], "unchanged");
    wait_for_job(&mut client, &first);
    assert_eq!(count(&mut client, "select count(*) from memento.job where kind = 'extract_events'"), 1);
    assert_eq!(count(&mut client, "select count(*) from memento.semantic_event"), 1);
}

#[test]
fn a_new_revision_has_events_of_its_own() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    let first = ingest(&mut client, "test_doc_1", "Decision: Use MySQL.");
    assert_eq!(wait_for_job(&mut client, &first), "DONE");
    let second = ingest(&mut client, "test_doc_1", "Decision: Actually, use Postgres instead.");
    assert_ne!(first["revision_id"], second["revision_id"]);
    assert_eq!(first["artifact_uid"], second["artifact_uid"]);
    assert_eq!(wait_for_job(&mut client, &second), "DONE");
    let uid = first["artifact_uid"].as_str().unwrap();
    let old = json(
        &mut client,
        &format!("memento.event_list_for_revision('{uid}', '{}')", first["revision_id"].as_str().unwrap()),
    );
    assert!(says(old["events"].as_array().unwrap(), "MySQL"));
    assert_eq!(old["is_latest"], false);
    assert!(says(&events(&mut client, &second), "Postgres"));
    let latest = json(&mut client, &format!("memento.event_list_for_revision('{uid}')"));
    assert_eq!((&latest["is_latest"], &latest["revision_id"]), (&Value::from(true), &second["revision_id"]));
}

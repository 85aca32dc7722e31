//! What an agent does in a day, over stdio.

use memento_tests::Cluster;
use serde_json::{Value, json};

use super::scene::Shim;

#[test]
fn an_agent_works_with_the_memory() {
    let cluster = Cluster::start();
    let url = cluster.url("postgres", &cluster.database());
    let mut shim = Shim::start(&url, &["--toolset", "all", "--log", "calls"]);

    let project = shim.call(
        "projects.resolve",
        json!({"cwd": "/home/ana/shop", "create_if_missing": true, "display_name": "shop"}),
    );
    assert_eq!((project["created"].clone(), project["display_name"].clone()), (json!(true), json!("shop")));
    let session = shim.call("sessions.start", json!({"title": "storage"}));
    let committed = shim.call(
        "memory.commit",
        json!({"session_id": session["session_id"], "idempotency_key": "k1", "entries": [
            {"content": "# Storage\n\n## Decision\n\nWe use Postgres for events.", "title": "storage", "source_system": "wiki", "source_id": "1"},
            {"content": "PAY-4012 fails with a timeout.", "kind": "bug"}]}),
    );
    let item = committed["results"][0]["item_id"].clone();
    assert_eq!(shim.call("wait_until_idle", json!({"timeout": "60 s"})), json!({"result": true}));

    let found = shim.call("memory.search", json!({"query": "what do we use for events?"}));
    assert_eq!(found["results"][0]["item_id"], item);
    assert_eq!(shim.call("recall", json!({"query": "PAY-4012"}))["rows"][0]["kind"], "bug");
    let pack = shim.call("retrieve", json!({"query": "Postgres events", "max_evidence_items": 3}));
    let evidence =
        pack["artifacts"].as_array().into_iter().chain(pack["quotes"].as_array()).flatten().next().unwrap();
    let around = shim.call("expand", json!({"evidence_id": evidence["evidence_id"]}));
    assert!(around.to_string().contains("Postgres"), "{around}");

    let listed = shim.request("resources/list", json!({}));
    let uri = format!(
        "memory://projects/{}/items/{}",
        project["project_id"].as_str().unwrap(),
        item.as_str().unwrap()
    );
    let resources = listed["result"]["resources"].as_array().unwrap();
    assert!(resources.iter().any(|resource| resource["uri"] == *uri), "{listed}");
    let section = shim.request("resources/read", json!({"uri": format!("{uri}/sections/decision")}));
    assert_eq!(section["result"]["contents"][0]["text"], "## Decision\n\nWe use Postgres for events.");

    let minutes = "Decision: We will use Postgres for event storage.\n\nAction: Alice will write the runbook by 2026-03-15.\n";
    let artifact = shim.call(
        "artifact_ingest",
        json!({"artifact_type": "note", "source_system": "wiki", "source_id": "minutes", "content": minutes}),
    );
    assert_eq!(shim.call("wait_until_idle", json!({"timeout": "60 s"})), json!({"result": true}));
    assert_eq!(shim.call("job_status", json!({"artifact_uid": artifact["artifact_uid"]}))["status"], "DONE");
    let decisions = shim.call("event_search", json!({"query": "storage", "category": "Decision"}));
    let decision = &decisions["events"][0];
    let quote = &decision["evidence"][0];
    let span = |side: &str| quote[side].as_u64().unwrap() as usize;
    assert_eq!(quote["quote"], minutes[span("start_char")..span("end_char")], "{decisions}");
    let found = shim.call("event_get", json!({"event_id": decision["event_id"]}));
    assert!(found.to_string().contains("Postgres"), "{found}");
    let of_revision = shim.call("event_list_for_revision", json!({"artifact_uid": artifact["artifact_uid"]}));
    assert_eq!(of_revision["events"].as_array().unwrap().len(), 2, "{of_revision}");
    let diff = shim.call(
        "event_diff",
        json!({"artifact_uid": artifact["artifact_uid"], "revision_a": artifact["revision_id"]}),
    );
    assert_eq!(diff["unchanged"].as_array().unwrap().len(), 2, "{diff}");
    let estimate = shim.call("estimate_extract", json!({"artifact_uid": artifact["artifact_uid"]}));
    assert_eq!(estimate["extractor"], "rules", "{estimate}");

    shim.call(
        "remember",
        json!({"content": "# Storage\n\nKafka after all.", "source_system": "wiki", "source_id": "1"}),
    );
    let history = shim.call("memory.history", json!({"item_id": item}));
    let newest = history["versions"][0]["version_num"].as_i64().unwrap();
    assert!(newest >= 2, "{history}");
    let diff = shim.call("memory.diff", json!({"item_id": item, "from_version": 1}));
    assert!(diff.to_string().contains("Kafka"), "{diff}");

    let first = shim.call("emit_event", json!({"event_type": "asked", "event_data": {"item_id": item}}));
    let second = shim.call("emit_event", json!({"event_type": "answered", "parent_uuid": first["event_id"]}));
    let chain = shim.call("get_parent_chain", json!({"event_uuid": second["event_id"]}));
    let types: Vec<&Value> =
        chain["rows"].as_array().unwrap().iter().map(|event| &event["event_type"]).collect();
    assert_eq!(types, ["asked", "answered"]);
    let tree = shim.call("get_event_tree", json!({"root_uuid": first["event_id"]}));
    assert_eq!(tree["rows"][1]["uuid"], second["event_id"], "{tree}");
    let context = shim.call("resume_context", json!({"event_uuid": second["event_id"]}));
    assert_eq!(context["memories"][0]["item_id"], item, "{context}");

    let ended = shim.call("sessions.end", json!({"session_id": session["session_id"], "summary": "done"}));
    assert_eq!(ended["session_id"], session["session_id"]);
    shim.call("forget", json!({"item_id": item}));
    let left = shim.call("recall", json!({"query": "Kafka"}));
    assert!(!left["rows"].as_array().unwrap().iter().any(|row| row["item_id"] == item), "{left}");

    let said = shim.end();
    assert!(said.contains("memory.commit ok") && said.contains("trace_id="), "{said}");
    for content in ["Postgres", "PAY-4012", "Kafka", "shop", "password"] {
        assert!(!said.contains(content), "{content} is told on stderr");
    }
}

#[test]
fn events_are_searched_where_the_database_has_them() {
    let cluster = Cluster::start();
    let database = cluster.database();
    let has_events: bool = cluster
        .connect(&database)
        .query_one("select exists (select from pg_proc where proname = 'event_search')", &[])
        .unwrap()
        .get(0);
    let mut shim = Shim::start(&cluster.url("postgres", &database), &["--toolset", "events"]);
    let listed = shim.request("tools/list", json!({}));
    let offered =
        listed["result"]["tools"].as_array().unwrap().iter().any(|tool| tool["name"] == "event_search");
    assert_eq!(offered, has_events);
    if has_events {
        assert!(shim.call("event_search", json!({"query": "Postgres"}))["events"].is_array());
    }
}

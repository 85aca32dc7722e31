//! What these tests share.

use memento_tests::{Cluster, Server, Settings, eventually};
use postgres::Client;
use serde_json::Value;

/// A cluster where nobody works the queue but who asks for it: what is compared stays as it is.
pub fn without_worker() -> Cluster {
    let lines = vec!["memento.worker = off".to_owned()];
    Cluster::start_with(Server::from_environment(), Settings { preload: true, lines })
}

pub fn json(client: &mut Client, statement: &str) -> Value {
    let text: String = client
        .query_one(&format!("select ({statement})::text"), &[])
        .unwrap_or_else(|e| panic!("{statement}: {e:?}"))
        .get(0);
    serde_json::from_str(&text).unwrap()
}

pub fn count(client: &mut Client, query: &str) -> i64 {
    client.query_one(query, &[]).unwrap_or_else(|e| panic!("{query}: {e:?}")).get(0)
}

/// Ingests a note and gives what the function returns.
pub fn ingest(client: &mut Client, source_id: &str, content: &str) -> Value {
    ingest_as(client, "note", source_id, content)
}

pub fn ingest_as(client: &mut Client, kind: &str, source_id: &str, content: &str) -> Value {
    let text: String = client
        .query_one(
            "select memento.artifact_ingest($1, 'test', $2, source_id => $3)::text",
            &[&kind, &content, &source_id],
        )
        .unwrap()
        .get(0);
    serde_json::from_str(&text).unwrap()
}

/// What became of the newest job of an artifact.
pub fn status(client: &mut Client, artifact: &Value) -> Value {
    json(client, &format!("memento.job_status('{}')", artifact["artifact_uid"].as_str().unwrap()))
}

/// Works the queue until nothing is due.
pub fn drain(client: &mut Client) {
    client.batch_execute("call memento.drain()").unwrap();
}

/// Waits until the newest job of an artifact has ended, and gives its state.
pub fn wait_for_job(client: &mut Client, artifact: &Value) -> String {
    let uid = artifact["artifact_uid"].as_str().unwrap().to_owned();
    eventually("the job has ended", || {
        let status = json(client, &format!("memento.job_status('{uid}')"))["status"].clone();
        matches!(status.as_str(), Some("DONE" | "FAILED")).then(|| status.as_str().unwrap().to_owned())
    })
}

/// The events of the latest revision of an artifact, with their quotes.
pub fn events(client: &mut Client, artifact: &Value) -> Vec<Value> {
    let uid = artifact["artifact_uid"].as_str().unwrap();
    let listed = json(client, &format!("memento.event_list_for_revision('{uid}', include_evidence => true)"));
    listed["events"].as_array().unwrap().clone()
}

/// Every quote is what its version says, by the server's own functions.
pub fn assert_evidence_holds(client: &mut Client) {
    let wrong = count(
        client,
        "select count(*) from memento.event_evidence e join memento.version v using (project_id, version_id)
          where substr(v.content, e.start_char + 1, e.end_char - e.start_char) <> e.quote",
    );
    assert_eq!(wrong, 0, "quotes that are not in their source");
    let without = count(
        client,
        "select count(*) from memento.semantic_event s
          where not exists (select from memento.event_evidence e where (e.project_id, e.event_id) = (s.project_id, s.event_id))",
    );
    assert_eq!(without, 0, "events without evidence");
}

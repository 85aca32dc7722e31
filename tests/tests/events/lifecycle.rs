//! What becomes of events when their source changes or goes, and of jobs that come too late.

use postgres::Client;
use serde_json::Value;

use super::scene::{assert_evidence_holds, count, drain, events, ingest, json, without_worker};

const TABLES: [&str; 4] = ["semantic_event", "event_evidence", "entity", "entity_mention"];

fn rows(client: &mut Client) -> Vec<i64> {
    TABLES.iter().map(|table| count(client, &format!("select count(*) from memento.{table}"))).collect()
}

fn uid(artifact: &Value) -> &str {
    artifact["artifact_uid"].as_str().unwrap()
}

#[test]
fn events_go_with_what_they_are_quoted_from() {
    let cluster = without_worker();
    let mut client = cluster.connect(&cluster.database());
    for (source, erase) in [
        ("one", "memento.artifact_delete('{uid}')"),
        ("two", "memento.forget(source_system => 'test', source_id => 'two')"),
    ] {
        let made = ingest(&mut client, source, "Decision: Use Postgres. Bob owns it.");
        drain(&mut client);
        assert!(rows(&mut client)[0] > 0);
        let receipt = json(&mut client, &erase.replace("{uid}", uid(&made)));
        assert_eq!(receipt["counts"]["semantic_event"], receipt["counts"]["event_evidence"], "{receipt}");
        assert!(receipt["counts"]["semantic_event"].as_i64().unwrap() > 0, "{receipt}");
        assert_eq!(rows(&mut client), [0; 4], "{source}");
        let receipt_id = receipt["receipt_id"].as_str().unwrap();
        let left = json(&mut client, &format!("memento.verify_forgotten('{receipt_id}')"));
        assert!(!left.to_string().contains("Postgres"), "{left}");
    }
}

/// Retention erases an artifact with its events, whoever else has said the same.
#[test]
fn events_go_when_their_artifact_has_been_kept_long_enough() {
    let cluster = without_worker();
    let mut client = cluster.connect(&cluster.database());
    let text = "Decision: Use Postgres. Bob owns it.";
    let kept = ingest(&mut client, "kept", text);
    let due = json(
        &mut client,
        &format!(
            "memento.artifact_ingest('note', 'test', '{text}', source_id => 'due', retention_policy => '1y')"
        ),
    );
    drain(&mut client);
    let before = rows(&mut client);
    assert_eq!(events(&mut client, &due).len(), events(&mut client, &kept).len());
    let apply = "select memento._apply_retention(10)";
    assert_eq!(count(&mut client, apply), 0, "nothing is due yet");
    assert_eq!(rows(&mut client), before);
    client
        .batch_execute("update memento.item set expires_at = now() - interval '1 s' where source_id = 'due'")
        .unwrap();
    assert_eq!(count(&mut client, apply), 1);
    let after = rows(&mut client);
    assert_eq!((after[0], after[1], after[3]), (before[0] / 2, before[1] / 2, before[3] / 2));
    assert_eq!(after[2], before[2], "entities are also in the other artifact");
    assert!(!events(&mut client, &kept).is_empty());
    let receipt = json(
        &mut client,
        "select jsonb_build_object('reason', reason, 'counts', counts, 'seen', memento.verify_forgotten(erasure_id)) from memento.erasure",
    );
    assert_eq!(
        (&receipt["reason"], &receipt["seen"]["verified"]),
        (&"retention".into(), &true.into()),
        "{receipt}"
    );
    assert_eq!(receipt["counts"]["semantic_event"], before[0] / 2, "{receipt}");
    assert_eq!(count(&mut client, "select (memento.event_search('Postgres') ->> 'total')::bigint"), 1);
}

#[test]
fn quotes_stay_when_a_version_is_cut_anew() {
    let cluster = without_worker();
    let mut client = cluster.connect(&cluster.database());
    let made = ingest(&mut client, "one", "Decision: Use Postgres.");
    drain(&mut client);
    let before = events(&mut client, &made);
    let linked = "select count(*) from memento.event_evidence e join memento.chunk c using (project_id, chunk_id) where c.version_id = e.version_id";
    assert_eq!(count(&mut client, linked), 1);
    client.execute("select memento.admin_reingest_version(version_id) from memento.version", &[]).unwrap();
    drain(&mut client);
    assert_eq!(count(&mut client, linked), 1, "the quote has its chunk again");
    assert_eq!(events(&mut client, &made), before);
    assert_evidence_holds(&mut client);
}

/// The chunks of a large content come later than its events.
#[test]
fn quotes_find_chunks_that_come_later() {
    let cluster = without_worker();
    let mut client = cluster.connect(&cluster.database());
    client.batch_execute("set memento.max_inline_size = '1kB'").unwrap();
    let filler = "A sentence that says nothing in particular. ".repeat(60);
    let made = ingest(&mut client, "one", &format!("{filler}\n\nDecision: Use Postgres.\n\n{filler}"));
    assert_eq!(made["chunking"], "pending", "{made}");
    client.batch_execute("select memento.pause_queue('ingest')").unwrap();
    drain(&mut client);
    let chunks = "select count(chunk_id) from memento.event_evidence";
    assert_eq!((events(&mut client, &made).len(), count(&mut client, chunks)), (1, 0));
    client.batch_execute("select memento.resume_queue('ingest')").unwrap();
    drain(&mut client);
    assert_eq!(count(&mut client, chunks), 1);
    assert_evidence_holds(&mut client);
}

/// Each is linked to the first chunk that has it as a whole.
#[test]
fn quotes_of_a_long_text_have_the_first_of_their_chunks() {
    let cluster = without_worker();
    let mut client = cluster.connect(&cluster.database());
    let filler = "A sentence that says nothing in particular. ".repeat(4);
    let text: String = (0..300).map(|n| format!("Decision: Use library{n}.\n\n{filler}\n\n")).collect();
    ingest(&mut client, "one", &text);
    drain(&mut client);
    let wrong = "select count(*) from memento.event_evidence e
                  where e.chunk_id is distinct from (
                    select c.chunk_id from memento.chunk c
                     where c.project_id = e.project_id and c.version_id = e.version_id and c.start_char <= e.start_char and c.end_char >= e.end_char
                     order by c.ordinal limit 1)";
    assert_eq!(count(&mut client, wrong), 0);
    assert_eq!(count(&mut client, "select count(chunk_id) from memento.event_evidence"), 300);
    assert!(count(&mut client, "select count(distinct chunk_id) from memento.event_evidence") > 10);
    client.batch_execute("update memento.event_evidence set chunk_id = null").unwrap();
    client
        .batch_execute("select memento._link_evidence(project_id, version_id) from memento.version")
        .unwrap();
    assert_eq!(count(&mut client, wrong), 0);
}

#[test]
fn what_there_is_no_room_for_is_counted() {
    let cluster = without_worker();
    let mut client = cluster.connect(&cluster.database());
    let made = ingest(&mut client, "one", &"Decision: Use Postgres.\n\n".repeat(25));
    drain(&mut client);
    let status = json(&mut client, &format!("memento.job_status('{}')", uid(&made)));
    assert_eq!(
        (&status["result"]["events"], &status["result"]["quotes_left_out"]),
        (&1.into(), &5.into()),
        "{status}"
    );
    assert_eq!(count(&mut client, "select count(*) from memento.event_evidence"), 20);
}

/// A worker that comes back after its lease, or whose document is gone, writes nothing.
#[test]
fn who_lost_the_job_writes_nothing() {
    let cluster = without_worker();
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    let made = ingest(&mut client, "one", "Decision: Use Postgres.");
    let claim = "select c.job_id, c.attempt, c.project_id::text from memento._claim_jobs('w', 'extract_events', 1, '1 hour') c";
    let row = client.query_one(claim, &[]).unwrap();
    let (job, attempt, project): (i64, i32, String) = (row.get(0), row.get(1), row.get(2));
    let store = |attempt: i32, narrative: &str| {
        format!(
            r#"select memento._store_events('{project}', {job}, {attempt}, 'test', '[{{"category": "Decision", "narrative": "{narrative}", "confidence": 1,
                 "subject": {{"type": "other", "ref": "x"}}, "actors": [], "event_time": null,
                 "evidence": [{{"start_char": 0, "end_char": 23, "quote": "Decision: Use Postgres."}}]}}]', '[]', '{{}}')"#
        )
    };
    let stored =
        |client: &mut Client, statement: &str| -> String { client.query_one(statement, &[]).unwrap().get(0) };
    assert_eq!(stored(&mut client, &store(attempt - 1, "late")), "lost");
    assert_eq!(stored(&mut client, &store(attempt, "in time")), "done");
    assert_eq!(stored(&mut client, &store(attempt, "twice")), "lost", "it is done already");
    assert_eq!(events(&mut client, &made)[0]["narrative"], "in time");

    // Asked for twice at once, it is one job; while one is done, it runs once more.
    let again = format!("memento.event_reextract('{}', force => true)", uid(&made));
    let (one, other) = (json(&mut client, &again), json(&mut client, &again));
    assert_eq!((&one["job_id"], &one["status"]), (&other["job_id"], &Value::from("PENDING")));
    let row = client.query_one(claim, &[]).unwrap();
    assert_eq!(Value::from(row.get::<_, i64>(0)), one["job_id"]);
    assert_eq!(json(&mut client, &again)["status"], "PROCESSING");
    assert_eq!(
        events(&mut client, &made)[0]["narrative"],
        "in time",
        "old events stay until there are new ones"
    );
    let forgetting = format!("select memento.artifact_delete('{}')", uid(&made));
    let mut other_session = cluster.connect(&database);
    let mut transaction = other_session.transaction().unwrap();
    transaction.execute(&forgetting, &[]).unwrap();
    // While somebody erases the document, nobody waits.
    let (next, attempt): (i64, i32) = (row.get(0), row.get(1));
    let late = store(attempt, "erased").replace(&format!("', {job},"), &format!("', {next},"));
    client.batch_execute("set lock_timeout = '2s'").unwrap();
    assert_eq!(stored(&mut client, &late), "busy");
    transaction.rollback().unwrap();
    assert_eq!(events(&mut client, &made)[0]["narrative"], "in time");
    let mut transaction = other_session.transaction().unwrap();
    transaction.execute(&forgetting, &[]).unwrap();
    assert_eq!(stored(&mut client, &late), "busy");
    transaction.commit().unwrap();
    assert_eq!(rows(&mut client), [0; 4]);
    assert_eq!(stored(&mut client, &late), "lost", "the job went with it");
}

/// A run that the database refuses leaves what was there, and says so.
#[test]
fn events_are_replaced_as_a_whole_or_not_at_all() {
    let cluster = without_worker();
    let mut client = cluster.connect(&cluster.database());
    let made = ingest(&mut client, "one", "Decision: Use Postgres.");
    drain(&mut client);
    let before = events(&mut client, &made);
    client
        .batch_execute(&format!("select memento.event_reextract('{}', force => true)", uid(&made)))
        .unwrap();
    client
        .batch_execute(
            "create function refuse() returns trigger language plpgsql as $$ begin raise exception 'disk full'; end $$;
             create trigger refuse before insert on memento.semantic_event for each row execute function refuse()",
        )
        .unwrap();
    drain(&mut client);
    assert_eq!(events(&mut client, &made), before);
    let status = json(&mut client, &format!("memento.job_status('{}')", uid(&made)));
    assert_eq!(
        (&status["status"], &status["last_error_code"]),
        (&Value::from("PENDING"), &Value::from("WRITE_FAILED")),
        "{status}"
    );
    client.batch_execute("drop trigger refuse on memento.semantic_event").unwrap();
    client
        .execute(
            "update memento.job set claimable_at = now() where kind = 'extract_events' and state = 'pending'",
            &[],
        )
        .unwrap();
    drain(&mut client);
    let after = events(&mut client, &made);
    assert_eq!(after.len(), before.len());
    assert_ne!(after[0]["event_id"], before[0]["event_id"], "they are new ones");
}

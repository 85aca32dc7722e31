//! Jobs that look for events: asking again, what their status says, and their lanes.

use memento_tests::eventually;
use postgres::Client;
use serde_json::{Value, json};

use super::double::{Double, cluster};
use super::scene::{count, drain, events, ingest, json, status, wait_for_job, without_worker};
use crate::fake_endpoint::Reply;

fn reextract(artifact: &Value) -> String {
    format!("memento.event_reextract('{}', force => true)", artifact["artifact_uid"].as_str().unwrap())
}

fn text(client: &mut Client, query: &str) -> String {
    client.query_one(query, &[]).unwrap_or_else(|e| panic!("{query}: {e:?}")).get(0)
}

#[test]
fn who_insists_does_not_wait_for_the_next_attempt() {
    let cluster = cluster(false);
    let mut client = cluster.connect(&cluster.database());
    let double = Double::start();
    double.use_it(&mut client);
    double.answer(|_| Some(Reply::status(500, "{}".into())));
    let made = ingest(&mut client, "one", "Decision: We use Postgres.");
    drain(&mut client);
    let waiting = status(&mut client, &made);
    assert_eq!((&waiting["status"], &waiting["attempts"]), (&"PENDING".into(), &1.into()), "{waiting}");
    double.heal();
    drain(&mut client);
    assert_eq!(double.calls(), 0, "it waits");
    // Not while the queue is paused.
    client.batch_execute("select memento.pause_queue('extract_events')").unwrap();
    assert_eq!(json(&mut client, &reextract(&made))["job_id"], waiting["job_id"]);
    drain(&mut client);
    assert_eq!(double.calls(), 0, "the queue is paused");
    client.batch_execute("select memento.resume_queue('extract_events')").unwrap();
    let asked = json(&mut client, &reextract(&made));
    assert_eq!((&asked["job_id"], &asked["status"]), (&waiting["job_id"], &"PENDING".into()));
    assert_eq!(status(&mut client, &made)["attempts"], 0, "it begins anew");
    drain(&mut client);
    assert_eq!(status(&mut client, &made)["status"], "DONE");
    assert_eq!(events(&mut client, &made).len(), 1);
}

/// The fields that the artifact tools promise, in each state.
#[test]
fn the_status_of_a_job_says_what_has_become_of_it() {
    let cluster = cluster(false);
    let mut client = cluster.connect(&cluster.database());
    client.batch_execute("set timezone = 'Asia/Tokyo'").unwrap();
    let double = Double::start();
    double.use_it(&mut client);
    let made = ingest(&mut client, "one", "Decision: We use Postgres.");
    let pending = status(&mut client, &made);
    assert_eq!((&pending["status"], &pending["attempts"]), (&"PENDING".into(), &0.into()));
    assert_eq!((&pending["locked_by"], &pending["last_error_code"]), (&Value::Null, &Value::Null));
    for time in ["created_at", "updated_at", "next_run_at"] {
        assert!(pending[time].as_str().unwrap().ends_with('Z'), "{time}: {pending}");
    }
    double.answer(|_| Some(Reply::Hang));
    drain(&mut client);
    let failed = status(&mut client, &made);
    assert_eq!(
        (&failed["last_error_code"], &failed["last_error_cause"], &failed["attempts"]),
        (&"OPENAI_TIMEOUT".into(), &"PROVIDER_TIMEOUT".into(), &1.into()),
        "{failed}"
    );
    assert!(failed["updated_at"].as_str() > pending["updated_at"].as_str(), "{failed}");
    client
        .batch_execute("update memento.job set claimable_at = now() where kind = 'extract_events'")
        .unwrap();
    let lane = text(&mut client, "select lane from memento.job where kind = 'extract_events'");
    client.execute("select memento._claim_jobs('somebody', $1, 1, '1 hour')", &[&lane]).unwrap();
    let running = status(&mut client, &made);
    assert_eq!(
        (&running["status"], &running["attempts"], &running["locked_by"], &running["next_run_at"]),
        (&"PROCESSING".into(), &2.into(), &"somebody".into(), &Value::Null),
        "{running}"
    );
    assert!(running["locked_at"].as_str().unwrap().ends_with('Z'), "{running}");
    client.batch_execute("select memento._recover_jobs('somebody')").unwrap();
    double.heal();
    drain(&mut client);
    let done = status(&mut client, &made);
    assert_eq!((&done["status"], &done["attempts"]), (&"DONE".into(), &2.into()), "{done}");
    assert!(done["locked_by"].is_string(), "who has done it: {done}");
    assert!(done["updated_at"].as_str() > running["updated_at"].as_str(), "{done}");
}

/// Two sessions that ask at the same time get one job, and its events are there once.
#[test]
fn two_who_ask_at_once_share_a_job() {
    let cluster = without_worker();
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    let made = ingest(&mut client, "one", "Decision: We use Postgres.");
    drain(&mut client);
    let (mut one, mut other) = (cluster.connect(&database), cluster.connect(&database));
    let ask = format!("select ({} ->> 'job_id')", reextract(&made));
    let mut transaction = one.transaction().unwrap();
    let first: String = transaction.query_one(&ask, &[]).unwrap().get(0);
    let second = std::thread::scope(|scope| {
        let second = scope.spawn(|| text(&mut other, &ask));
        eventually("the other waits for it", || {
            let waits = "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
            (count(&mut client, waits) > 0).then_some(())
        });
        transaction.commit().unwrap();
        second.join().unwrap()
    });
    assert_eq!(first, second);
    drain(&mut client);
    assert_eq!(events(&mut client, &made).len(), 1);
    assert_eq!(
        count(
            &mut client,
            "select count(*) from memento.job where kind = 'extract_events' and state = 'done'"
        ),
        2
    );
}

/// What was found is known, and not paid for again, as long as the revision is there.
#[test]
fn the_last_job_of_a_revision_is_kept() {
    let cluster = without_worker();
    let mut client = cluster.connect(&cluster.database());
    let made = ingest(&mut client, "one", "Decision: We use Postgres.");
    drain(&mut client);
    json(&mut client, &reextract(&made));
    drain(&mut client);
    let runs = "select count(*) from memento.job where kind = 'extract_events'";
    let others = "select count(*) from memento.job where kind <> 'extract_events' and finished_at < now() - interval '1 day'";
    let age = "update memento.job set finished_at = now() - interval '1 year' where finished_at is not null;
               select memento._maintain(1000)";
    client.batch_execute(age).unwrap();
    assert_eq!((count(&mut client, runs), count(&mut client, others)), (2, 0));
    let known = status(&mut client, &made);
    assert_eq!(known["status"], "DONE", "{known}");
    let asked = json(&mut client, &reextract(&made).replace("true", "false"));
    assert_eq!((&asked["status"], &asked["job_id"]), (&"DONE".into(), &known["job_id"]), "{asked}");
    // A later run takes the place of those that ended long ago.
    json(&mut client, &reextract(&made));
    drain(&mut client);
    assert_eq!(count(&mut client, runs), 1);
    assert_ne!(status(&mut client, &made)["job_id"], known["job_id"]);
    client
        .batch_execute(&format!(
            "select memento.artifact_delete('{}')",
            made["artifact_uid"].as_str().unwrap()
        ))
        .unwrap();
    assert_eq!(count(&mut client, runs), 0);
}

/// Pauses and budgets are those of a lane: a job that was asked for before the extractor changed, or is being done meanwhile, moves.
#[test]
fn jobs_follow_the_extractor_into_its_lane() {
    let cluster = cluster(false);
    let mut client = cluster.connect(&cluster.database());
    let double = Double::start();
    let lane = "select lane || ' ' || state from memento.job where kind = 'extract_events'";
    let made = ingest(&mut client, "one", "Decision: We use Postgres.");
    assert_eq!(text(&mut client, lane), "extract_events pending");
    double.use_it(&mut client);
    let profile =
        text(&mut client, "select profile_id::text from memento.chat_profile where name = 'double'");
    let own = format!("extract_events:{profile}");
    assert_eq!(text(&mut client, lane), format!("{own} pending"), "what waits moves at once");
    let claimed = client
        .query_one(
            "select project_id::text, job_id, attempt from memento._claim_jobs('w', $1, 1, '1 hour')",
            &[&own],
        )
        .unwrap();
    let (project, job, attempt): (String, i64, i32) = (claimed.get(0), claimed.get(1), claimed.get(2));
    client.batch_execute("select memento.set_event_extractor(null)").unwrap();
    assert_eq!(text(&mut client, lane), format!("{own} running"));
    let input = format!("select count(*) from memento._extraction_input('{project}', {job}, {attempt})");
    assert_eq!(count(&mut client, &input), 0, "it is not read in the wrong lane");
    assert_eq!(text(&mut client, lane), "extract_events pending");
    drain(&mut client);
    assert_eq!(events(&mut client, &made)[0]["extractor"], "rules");
}

#[test]
fn an_estimate_knows_documents_that_are_not_cut_yet() {
    let cluster = without_worker();
    let mut client = cluster.connect(&cluster.database());
    client.batch_execute("set memento.max_inline_size = '1kB'").unwrap();
    let content = "A sentence that says nothing in particular. ".repeat(100);
    let made = ingest(&mut client, "one", &content);
    assert_eq!(made["chunking"], "pending", "{made}");
    let uid = made["artifact_uid"].as_str().unwrap();
    let tokens: i32 = client.query_one("select memento.count_tokens($1)", &[&content]).unwrap().get(0);
    for estimate in [format!("memento.estimate_extract('{uid}')"), "memento.estimate_extract()".to_owned()] {
        let seen = json(&mut client, &estimate);
        assert_eq!((&seen["documents"], &seen["text_tokens"]), (&json!(1), &json!(tokens)), "{seen}");
    }
}

/// Prompts are numbered one after the other, whoever sets them at the same time.
#[test]
fn prompts_are_set_by_turns() {
    let cluster = without_worker();
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    let (mut one, mut other) = (cluster.connect(&database), cluster.connect(&database));
    let set = "select (memento.set_extraction_prompt('extract', 'Read {{document}}') ->> 'version')";
    let mut transaction = one.transaction().unwrap();
    assert_eq!(transaction.query_one(set, &[]).unwrap().get::<_, &str>(0), "1");
    let second = std::thread::scope(|scope| {
        let second = scope.spawn(|| text(&mut other, set));
        eventually("the other waits", || {
            let waits = "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
            (count(&mut client, waits) > 0).then_some(())
        });
        transaction.commit().unwrap();
        second.join().unwrap()
    });
    assert_eq!(second, "2");
}

/// Whoever erases a document may change his mind: what the model has found in it is not paid for twice.
#[test]
fn findings_wait_for_a_document_that_is_locked() {
    let cluster = cluster(true);
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    let double = Double::start();
    double.use_it(&mut client);
    double.close();
    let made = ingest(&mut client, "one", "Decision: We use Postgres.");
    double.wait_for_call();
    let mut other = cluster.connect(&database);
    let mut transaction = other.transaction().unwrap();
    let erase = format!("select memento.artifact_delete('{}')", made["artifact_uid"].as_str().unwrap());
    transaction.execute(&erase, &[]).unwrap();
    double.open();
    eventually("the answer has come", || {
        (count(&mut client, "select count(*) from memento.usage_ledger where role = 'chat'") > 0)
            .then_some(())
    });
    transaction.rollback().unwrap();
    assert_eq!(wait_for_job(&mut client, &made), "DONE");
    assert_eq!((events(&mut client, &made).len(), double.calls()), (1, 1));
}

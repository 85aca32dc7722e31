//! What is kept for a time, what is erased because of a person, and what is chunked later.

use memento_tests::failure::assert_failure;
use memento_tests::{Cluster, Server, Settings};
use postgres::Client;
use serde_json::{Value, json};

/// A cluster on which nobody does what is left for later, so that it can be looked at.
fn without_workers() -> Cluster {
    Cluster::start_with(Server::from_environment(), Settings { preload: false, lines: Vec::new() })
}

fn value(client: &mut Client, statement: &str) -> Value {
    let text: String = client
        .query_one(&format!("select ({statement})::text"), &[])
        .unwrap_or_else(|e| panic!("{statement}: {e}"))
        .get(0);
    serde_json::from_str(&text).unwrap()
}

fn titles(client: &mut Client, query: &str) -> Vec<String> {
    client.query(query, &[]).unwrap().iter().map(|row| row.get(0)).collect()
}

const LEFT: &str = "select title from memento.item order by title";

#[test]
fn what_is_due_is_listed_and_then_erased_with_a_receipt() {
    let cluster = without_workers();
    let mut client = cluster.connect(&cluster.database());
    for (title, retention) in [
        ("day", "1d"),
        ("for ever", "forever"),
        ("month", "1m"),
        ("somebody's", "custom"),
        ("ticket", "until_resolved"),
    ] {
        client
            .execute("select memento.remember($1, title => $1, retention => $2)", &[&title, &retention])
            .unwrap();
    }
    let due = |client: &mut Client, at: &str| {
        titles(
            client,
            &format!("select title from memento.retention_due(now() + interval '{at}') order by due_at"),
        )
    };
    assert!(due(&mut client, "23 hours").is_empty());
    assert_eq!(due(&mut client, "25 hours"), ["day"]);
    assert_eq!(due(&mut client, "32 days"), ["day", "month"]);
    assert_eq!(client.query_one("select memento._apply_retention(100)", &[]).unwrap().get::<_, i64>(0), 0);

    let ticket: String = client
        .query_one("select item_id::text from memento.item where title = 'ticket'", &[])
        .unwrap()
        .get(0);
    let resolved = value(&mut client, &format!("memento.memory_resolve('{ticket}')"));
    assert_eq!(resolved["expires_at"], resolved["resolved_at"]);
    value(&mut client, &format!("memento.memory_resolve('{ticket}', false)"));
    assert!(due(&mut client, "0 s").is_empty());
    value(&mut client, &format!("memento.memory_resolve('{ticket}')"));
    client
        .batch_execute("update memento.item set expires_at = now() - interval '1 s' where title = 'day'")
        .unwrap();
    assert_eq!(due(&mut client, "0 s"), ["day", "ticket"]);

    assert_eq!(client.query_one("select memento._apply_retention(1)", &[]).unwrap().get::<_, i64>(0), 1);
    // The same, as the worker does it from time to time, with what else is due.
    assert!(client.query_one("select memento._maintain(100)", &[]).unwrap().get::<_, i64>(0) >= 1);
    assert_eq!(titles(&mut client, LEFT), ["for ever", "month", "somebody's"]);
    let receipts = titles(
        &mut client,
        "select reason || ' ' || (memento.verify_forgotten(erasure_id) ->> 'verified') from memento.erasure",
    );
    assert_eq!(receipts, ["retention true", "retention true"]);
    assert_failure(client.batch_execute("select memento._apply_retention(0)"), "22023", "VALIDATION_ERROR");
    assert_failure(
        client.batch_execute("select memento.retention_due(max_items => 0)"),
        "22023",
        "VALIDATION_ERROR",
    );
}

#[test]
fn a_new_version_is_kept_from_then_on() {
    let cluster = without_workers();
    let mut client = cluster.connect(&cluster.database());
    let remember = |client: &mut Client, content: &str| {
        value(
            client,
            &format!(
                "memento.remember('{content}', source_system => 's', source_id => '1', retention => '1y')"
            ),
        );
    };
    remember(&mut client, "one");
    client.batch_execute("update memento.item set expires_at = now() - interval '1 day'").unwrap();
    remember(&mut client, "two");
    let kept: bool = client
        .query_one(
            "select i.expires_at = v.created_at + interval '1 year' from memento.item i join memento.version v using (project_id, item_id)
              where v.is_latest",
            &[],
        )
        .unwrap()
        .get(0);
    assert!(kept);
}

#[test]
fn all_that_a_person_took_part_in_is_forgotten() {
    let cluster = without_workers();
    let mut client = cluster.connect(&cluster.database());
    client
        .batch_execute(
            "select memento.remember('a', title => 'by her', author => 'Ana@example.com');
             select memento.artifact_ingest('email', 'mail', 'b', title => 'to her', participants => array['tom@example.com', 'ANA@example.com']);
             select memento.memory_commit('[{\"content\": \"c\", \"title\": \"with her\", \"participants\": [\"ana@example.com\"]},
                                            {\"content\": \"d\", \"title\": \"without\", \"author\": \"ana\"}]', message => 'who was there')",
        )
        .unwrap();
    let receipt = value(&mut client, "memento.forget(subject => 'ana@example.com')");
    assert_eq!((&receipt["items"], &receipt["counts"]["artifact_revision"]), (&json!(3), &json!(1)));
    assert_eq!(titles(&mut client, LEFT), ["without"]);
    let messages: i64 = client
        .query_one("select count(*) from memento.commit where message is not null", &[])
        .unwrap()
        .get(0);
    assert_eq!(messages, 0);
    let verify = format!("memento.verify_forgotten('{}')", receipt["receipt_id"].as_str().unwrap());
    let verified = value(&mut client, &verify);
    assert_eq!(
        (&verified["verified"], &verified["remaining"]["job"]),
        (&json!(true), &json!(0)),
        "{verified}"
    );
    // The receipt is not believed, it is checked.
    client
        .batch_execute(
            "update memento.commit set message = 'again' where commit_id in (select unnest(commit_ids) from memento.erasure)",
        )
        .unwrap();
    let verified = value(&mut client, &verify);
    assert_eq!(
        (&verified["verified"], &verified["remaining"]["commit_message"]),
        (&json!(false), &json!(3)),
        "{verified}"
    );
    for statement in [
        "select memento.forget()",
        "select memento.forget(subject => ' ')",
        "select memento.forget(subject => 'a', whole_project => true)",
        "select memento.forget(subject => 'a', conversation_id => 'b')",
        "select memento.forget(source_system => 's')",
        "select memento.forget(source_id => 's')",
        "select memento.forget(source_system => 's', source_id => '1', whole_source => true)",
    ] {
        assert_failure(client.batch_execute(statement), "22023", "VALIDATION_ERROR");
    }
}

/// The receipt for a whole project is checked against whatever is older than it, not only against the items that it names.
#[test]
fn what_is_left_of_a_whole_project_is_found() {
    let cluster = without_workers();
    let mut client = cluster.connect(&cluster.database());
    let nothing = value(&mut client, "memento.forget(whole_project => true)");
    assert_eq!(nothing["receipt_id"], json!(null));
    client
        .batch_execute(
            "select memento.remember('We moored the boat at the harbour.');
             select memento.emit_event('user_message', '{\"text\": \"where is the boat?\"}');
             select memento.history_append('chat', 'user', 'where is the boat?');
             select memento.sessions_start(title => 'The boat');
             select memento.save_eval_set('boats', jsonb_build_array(jsonb_build_object('query', 'boat', 'relevant', jsonb_build_array(
               (select item_id from memento.item)))));
             select memento.retrieve('where is the boat?')",
        )
        .unwrap();
    let receipt = value(&mut client, "memento.forget(whole_project => true)");
    for table in ["item", "event_store", "history_turn", "eval_set", "evidence_pack"] {
        assert_eq!(receipt["counts"][table], 1, "{table}: {receipt}");
    }
    let verify = format!("memento.verify_forgotten('{}')", receipt["receipt_id"].as_str().unwrap());
    assert_eq!(value(&mut client, &verify)["verified"], true);
    // What comes later is not left of it.
    client
        .batch_execute(
            "select memento.remember('A new beginning.');
             select memento.emit_event('user_message');
             select memento.history_append('chat', 'user', 'hello');
             select memento.sessions_start(title => 'Later')",
        )
        .unwrap();
    let verified = value(&mut client, &verify);
    assert_eq!(verified["verified"], true, "{verified}");
    // Somebody has kept a copy, and brings it back as it was.
    for (table, statement) in [
        ("event_store", "update memento.event_store set sequence_num = 1"),
        ("history_turn", "update memento.history_turn set created_at = '2020-01-01'"),
        ("session", "update memento.session set title = 'The boat' where title is null"),
        ("item", "update memento.item set created_at = '2020-01-01'"),
        ("commit_message", "update memento.commit set message = 'boats', created_at = '2020-01-01'"),
    ] {
        let mut transaction = client.transaction().unwrap();
        transaction.batch_execute(statement).unwrap();
        let found: Value = transaction.query_one(&format!("select {verify}"), &[]).unwrap().get(0);
        assert_eq!(found["verified"], false, "{table}");
        assert_ne!(found["remaining"][table], 0, "{table}: {found}");
        transaction.rollback().unwrap();
    }
}

#[test]
fn a_large_content_is_chunked_by_a_job() {
    let cluster = without_workers();
    let mut client = cluster.connect(&cluster.database());
    client.batch_execute("set memento.max_inline_size = '10kB'").unwrap();
    let large =
        "memento.remember(repeat('The kettle is on. ', 1000), source_system => 's', source_id => '1')";
    let stored = value(&mut client, large);
    assert_eq!((&stored["chunks"], &stored["chunking"]), (&json!(0), &json!("pending")));
    let job = client
        .query_one(
            "select kind, state, project_id::text, version_id::text from memento.job where job_id = $1",
            &[&stored["job_id"].as_i64().unwrap()],
        )
        .unwrap();
    assert_eq!((job.get::<_, &str>(0), job.get::<_, &str>(1)), ("ingest", "pending"));
    assert_eq!(job.get::<_, &str>(3), stored["version_id"].as_str().unwrap());
    assert!(client.query("select from memento.recall('kettle')", &[]).unwrap().is_empty());

    let ingest =
        format!("select memento._ingest_version('{}', '{}')", job.get::<_, &str>(2), job.get::<_, &str>(3));
    let chunks: i64 = client.query_one(&ingest, &[]).unwrap().get(0);
    assert!(chunks > 3);
    assert_eq!(client.query_one(&ingest, &[]).unwrap().get::<_, i64>(0), chunks, "again: the same");
    let stored_chunks: i64 = client.query_one("select count(*) from memento.chunk", &[]).unwrap().get(0);
    assert_eq!(stored_chunks, chunks);
    let exact: bool = client
        .query_one(
            "select bool_and(substr(v.content, c.start_char + 1, c.end_char - c.start_char) = c.chunk_text)
               from memento.chunk c join memento.version v using (project_id, version_id)",
            &[],
        )
        .unwrap()
        .get(0);
    assert!(exact);
    let embed: i64 =
        client.query_one("select count(*) from memento.job where kind = 'embed'", &[]).unwrap().get(0);
    assert_eq!(embed, 1, "one for the version, not one for each time");
    assert_eq!(client.query("select from memento.recall('kettle', 1)", &[]).unwrap().len(), 1);
    assert_eq!(value(&mut client, large)["status"], "unchanged");

    let artifact =
        value(&mut client, "memento.artifact_ingest('doc', 's', repeat('A large document. ', 2000))");
    assert_eq!((&artifact["is_chunked"], &artifact["chunking"]), (&json!(true), &json!("pending")));

    let again = value(
        &mut client,
        &format!("memento.admin_reingest_version('{}')", stored["version_id"].as_str().unwrap()),
    );
    assert_eq!(again["job_id"], stored["job_id"], "the open one");
    client.batch_execute("select memento.forget(whole_project => true)").unwrap();
    assert_eq!(client.query_one(&ingest, &[]).unwrap().get::<_, i64>(0), 0, "gone");
    let jobs: i64 = client.query_one("select count(*) from memento.job", &[]).unwrap().get(0);
    assert_eq!(jobs, 0);
    assert_failure(
        client.batch_execute(&format!(
            "select memento.admin_reingest_version('{}')",
            stored["version_id"].as_str().unwrap()
        )),
        "P0002",
        "VERSION_NOT_FOUND",
    );
}

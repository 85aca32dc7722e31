//! What records itself as events, and what is left of events when a memory that they name is forgotten.

use memento_tests::{Cluster, Server, Settings};
use postgres::Client;
use serde_json::{Value, json};

const PROJECT: &str = "00000000-0000-0000-0000-000000000001";

/// Nobody works the queue but the test.
fn without_worker() -> Cluster {
    let lines = vec!["memento.worker = off".to_owned()];
    Cluster::start_with(Server::from_environment(), Settings { preload: true, lines })
}

fn value(client: &mut Client, expression: &str) -> Value {
    let text: String = client
        .query_one(&format!("select ({expression})::text"), &[])
        .unwrap_or_else(|error| panic!("{expression}: {error:?}"))
        .get(0);
    serde_json::from_str(&text).unwrap()
}

fn texts(client: &mut Client, query: &str) -> Vec<String> {
    client.query(query, &[]).unwrap().iter().map(|row| row.get(0)).collect()
}

fn emit(client: &mut Client, data: &str, parent: Option<&str>) -> String {
    client
        .query_one(
            "select event_id::text from memento.emit_event('step', $1::text::jsonb, $2::text::uuid)",
            &[&data, &parent],
        )
        .unwrap()
        .get(0)
}

/// The events below one, as "type of parent > type", in the order of time.
fn below(client: &mut Client, event: &str) -> Vec<String> {
    texts(
        client,
        &format!(
            "select p.event_type || ' > ' || t.event_type
               from memento.get_event_tree('{event}') t join memento.event_store p on p.event_id = t.parent_uuid
              order by t.timestamp"
        ),
    )
}

#[test]
fn an_answer_is_walked_to_its_evidence_and_to_the_jobs_behind_it() {
    let cluster = without_worker();
    let mut client = cluster.connect(&cluster.database());
    client
        .batch_execute(
            "select memento.embedding_profiles_upsert('words', 'hash', 'words', 8);
             select memento.embedding_profiles_activate('words');
             update memento.project set candidate_profile_id = null;
             select memento.remember('asked for without a record')",
        )
        .unwrap();
    client.batch_execute("call memento.drain()").unwrap();
    assert_eq!(texts(&mut client, "select event_type from memento.event_store"), [""; 0]);

    let request = emit(&mut client, "{}", None);
    client
        .batch_execute(&format!(
            "set memento.record_events = on; set memento.parent_event = '{request}';
             select memento.remember('The settlement batch failed.', title => 'Incident')"
        ))
        .unwrap();
    // Whoever works the queue need not have the setting.
    cluster.connect(&client_database(&mut client)).batch_execute("call memento.drain()").unwrap();
    let pack = value(&mut client, "memento.retrieve('settlement batch')");
    assert_eq!(
        below(&mut client, &request),
        ["step > job", "step > remember", "job > job_done", "step > retrieve"]
    );
    let item = texts(&mut client, "select item_id::text from memento.item where title = 'Incident'").concat();
    let retrieval =
        value(&mut client, "select to_jsonb(e) from memento.event_store e where e.event_type = 'retrieve'");
    assert_eq!(retrieval["event_data"]["pack_id"], pack["query_id"]);
    assert!(retrieval["event_data"]["item_ids"].as_array().unwrap().contains(&json!(item)));
    let context =
        value(&mut client, &format!("memento.resume_context('{}')", retrieval["event_id"].as_str().unwrap()));
    assert_eq!(context["packs"], json!([pack["query_id"]]));
    assert_eq!(context["evidence"][0]["query"], "settlement batch");
    let excerpts: Vec<&Value> =
        context["memories"].as_array().unwrap().iter().map(|one| &one["excerpt"]).collect();
    assert!(excerpts.contains(&&json!("The settlement batch failed.")), "{excerpts:?}");
    assert_eq!(context["root_uuid"], json!(request));
    let done = value(&mut client, "select event_data from memento.event_store where event_type = 'job_done'");
    assert_eq!(
        (&done["kind"], &done["item_id"], &done["attempt"]),
        (&json!("embed"), &json!(item), &json!(1))
    );
}

fn client_database(client: &mut Client) -> String {
    client.query_one("select current_database()::text", &[]).unwrap().get(0)
}

#[test]
fn jobs_that_fail_or_are_cancelled_say_so_and_a_missing_parent_is_named() {
    let cluster = without_worker();
    let mut client = cluster.connect(&cluster.database());
    client.batch_execute("set memento.record_events = on").unwrap();
    for parent in ["no uuid", "11111111-1111-1111-1111-111111111111", ""] {
        client
            .batch_execute(&format!(
                "set memento.parent_event = '{parent}'; select memento.remember('m' || random())"
            ))
            .unwrap();
        let job = value(
            &mut client,
            "select to_jsonb(e) from memento.event_store e where e.event_type = 'job' order by e.sequence_num desc limit 1",
        );
        assert_eq!((&job["parent_uuid"], &job["depth"]), (&Value::Null, &json!(0)), "{parent}");
        assert_eq!(
            job["event_data"].get("parent_missing"),
            (!parent.is_empty()).then(|| json!(parent)).as_ref()
        );
    }
    let jobs =
        texts(&mut client, "select job_id::text from memento.job where kind = 'embed' order by job_id");
    let lane = texts(&mut client, "select lane from memento.job where kind = 'embed' limit 1").concat();
    client
        .batch_execute(&format!(
            "select memento.cancel_job({cancelled});
             select * from memento._claim_jobs('test', '{lane}', 1, '1 min');
             select memento._fail_job('{PROJECT}', {failed}, 1, 'TEST_CODE', 'told nobody', null, null, true);
             select memento.retry_job({failed})",
            cancelled = jobs[2],
            failed = jobs[0],
        ))
        .unwrap();
    assert_eq!(
        texts(
            &mut client,
            "select concat_ws(' ', event_type, event_data ->> 'job_id', event_data ->> 'error') from memento.event_store
              where event_type like 'job\\_%' order by sequence_num"
        ),
        [format!("job_cancelled {}", jobs[2]), format!("job_failed {} TEST_CODE", jobs[0])]
    );
}

#[test]
fn an_event_that_names_a_forgotten_memory_keeps_its_place_and_nothing_else() {
    let cluster = without_worker();
    let mut client = cluster.connect(&cluster.database());
    let [forgotten, kept] = ["the secret plan", "another one"].map(|content| {
        value(&mut client, &format!("memento.remember('{content}')"))["item_id"].as_str().unwrap().to_owned()
    });
    let request = emit(&mut client, r#"{"text": "what is the plan?"}"#, None);
    let upper = forgotten.to_uppercase();
    let mut parent = request.clone();
    let naming = [
        format!(r#"{{"item_id": "{forgotten}", "quote": "the secret plan"}}"#),
        format!(r#"{{"item_ids": ["{kept}", "{forgotten}"]}}"#),
        format!(r#"[1, {{"found": [{{"deep": {{"item_id": "{upper}"}}}}]}}]"#),
    ];
    for data in naming {
        parent = emit(&mut client, &data, Some(&parent));
    }
    let others = [format!(r#"{{"item_id": "{kept}"}}"#), format!(r#"{{"text": "{forgotten}"}}"#)];
    for data in &others {
        emit(&mut client, data, Some(&parent));
    }
    // The same name means another thing in another project.
    client
        .batch_execute("select memento.create_project('other'); select memento.use_project('other')")
        .unwrap();
    let elsewhere = emit(&mut client, &format!(r#"{{"item_id": "{forgotten}"}}"#), None);
    client.batch_execute("select memento.use_project('default')").unwrap();

    let receipt = value(&mut client, &format!("memento.forget(item_id => '{forgotten}')"));
    assert_eq!(receipt["counts"]["event_store"], 3);
    let verified = value(
        &mut client,
        &format!("memento.verify_forgotten('{}')", receipt["receipt_id"].as_str().unwrap()),
    );
    assert_eq!((&verified["verified"], &verified["remaining"]["event_store"]), (&json!(true), &json!(0)));
    let data = |client: &mut Client, depth: &str| {
        texts(
            client,
            &format!(
                "select event_data::text from memento.get_event_tree('{request}') where depth {depth} order by timestamp"
            ),
        )
    };
    assert_eq!(data(&mut client, "between 1 and 3"), [r#"{"forgotten": true}"#; 3]);
    assert_eq!(data(&mut client, "= 0"), [r#"{"text": "what is the plan?"}"#]);
    assert_eq!(data(&mut client, "= 4"), others);
    let stays: String = client
        .query_one(
            "select event_data ->> 'item_id' from memento.event_store where event_id = $1::text::uuid",
            &[&elsewhere],
        )
        .unwrap()
        .get(0);
    assert_eq!(stays, forgotten);

    // Somebody names it again, and can be found at it.
    emit(&mut client, &format!(r#"{{"item_id": "{forgotten}"}}"#), None);
    let verified = value(
        &mut client,
        &format!("memento.verify_forgotten('{}')", receipt["receipt_id"].as_str().unwrap()),
    );
    assert_eq!((&verified["verified"], &verified["remaining"]["event_store"]), (&json!(false), &json!(1)));

    let whole = value(&mut client, "memento.forget(whole_project => true)");
    assert_eq!(whole["counts"]["event_store"], 7);
    assert_eq!(texts(&mut client, "select event_id::text from memento.event_store"), [elsewhere]);
}

/// A project that has events and no memories is forgotten as well.
#[test]
fn events_alone_are_forgotten_with_their_project() {
    let cluster = without_worker();
    let mut client = cluster.connect(&cluster.database());
    emit(&mut client, r#"{"text": "a secret"}"#, None);
    assert_eq!(value(&mut client, "memento.forget(whole_project => true)")["counts"]["event_store"], 1);
    assert_eq!(texts(&mut client, "select event_id::text from memento.event_store"), [""; 0]);
    assert_eq!(value(&mut client, "memento.forget(whole_project => true)")["receipt_id"], Value::Null);
}

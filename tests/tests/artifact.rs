//! Artifacts: names that clients can derive, one revision for one content, one job for one revision.

use std::collections::BTreeSet;
use std::sync::Barrier;

use memento_tests::Cluster;
use memento_tests::failure::assert_failure;
use postgres::Client;
use serde_json::Value;

fn json(client: &mut Client, statement: &str) -> Value {
    let text: String = client
        .query_one(&format!("select ({statement})::text"), &[])
        .unwrap_or_else(|e| panic!("{statement}: {e}"))
        .get(0);
    serde_json::from_str(&text).unwrap()
}

fn count(client: &mut Client, query: &str) -> i64 {
    client.query_one(query, &[]).unwrap().get(0)
}

const JOBS: &str = "select count(*) from memento.job where kind = 'extract_events'";

#[test]
fn names_are_derived_from_source_and_content() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    let made =
        json(&mut client, "memento.artifact_ingest('note', 'test', 'Decision: Use Postgres.', 'doc_1')");
    let expected = json(
        &mut client,
        "select jsonb_build_object(
           'uid', 'uid_' || left(encode(sha256('test:doc_1'), 'hex'), 16),
           'rev', 'rev_' || left(encode(sha256('Decision: Use Postgres.'), 'hex'), 16))",
    );
    assert_eq!((&made["artifact_uid"], &made["revision_id"]), (&expected["uid"], &expected["rev"]));
    assert_eq!((&made["is_chunked"], &made["num_chunks"]), (&Value::from(false), &Value::from(0)));
    assert_eq!(made["stored_ids"], Value::from(vec![made["artifact_id"].clone()]));
    assert_eq!((&made["status"], &made["job_status"]), (&Value::from("created"), &Value::from("PENDING")));
    assert!(made["job_id"].is_i64());

    let long = json(
        &mut client,
        "memento.artifact_ingest('doc', 'test', (select string_agg('Sentence ' || n || ' of a long document.', E'\\n\\n')
                                                   from generate_series(1, 400) n))",
    );
    let names: BTreeSet<&str> =
        long["stored_ids"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert_eq!(long["is_chunked"], true);
    assert!(long["num_chunks"].as_u64().unwrap() >= 3);
    assert_eq!(names.len() as u64, long["num_chunks"].as_u64().unwrap() + 1, "all differ");
    let id = long["artifact_id"].as_str().unwrap();
    assert!(
        names.iter().all(|name| *name == id || name.starts_with(&format!("{id}::chunk::0"))),
        "{names:?}"
    );
    let got = json(
        &mut client,
        &format!("memento.artifact_get('{id}', include_content => true, include_chunks => true)"),
    );
    let listed: BTreeSet<&str> =
        got["chunks"].as_array().unwrap().iter().map(|chunk| chunk["chunk_id"].as_str().unwrap()).collect();
    assert!(listed.is_subset(&names) && listed.len() + 1 == names.len());
    assert!(got["content"].as_str().unwrap().ends_with("Sentence 400 of a long document."));
}

/// Two sources that the seed's derivation gives one name are two artifacts all the same.
#[test]
fn sources_whose_names_collide_stay_apart() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    let first = json(&mut client, "memento.artifact_ingest('doc', 'a', 'one', 'b:c')");
    let second = json(&mut client, "memento.artifact_ingest('doc', 'a:b', 'two', 'c')");
    assert_ne!(first["artifact_uid"], second["artifact_uid"]);
    assert_eq!(
        json(&mut client, "memento.artifact_ingest('doc', 'a:b', 'two', 'c')")["artifact_uid"],
        second["artifact_uid"]
    );
}

#[test]
fn the_same_content_is_one_revision_with_one_job() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    let ingest = |client: &mut Client, content: &str| {
        json(
            client,
            &format!(
                "memento.artifact_ingest('note', 'test', '{content}', source_id => 'd', title => '{content}')"
            ),
        )
    };
    let first = ingest(&mut client, "Use MySQL.");
    let again = ingest(&mut client, "Use MySQL.");
    assert_eq!((&again["status"], &again["job_status"]), (&Value::from("unchanged"), &Value::from("N/A")));
    assert_eq!(again["job_id"], Value::Null);
    assert_eq!(
        (&again["revision_id"], &again["artifact_id"]),
        (&first["revision_id"], &first["artifact_id"])
    );
    assert_eq!(count(&mut client, JOBS), 1);

    let second = ingest(&mut client, "Use Postgres.");
    assert_eq!(
        (&second["status"], &second["artifact_uid"]),
        (&Value::from("updated"), &first["artifact_uid"])
    );
    assert_ne!(second["revision_id"], first["revision_id"]);
    assert_eq!(count(&mut client, JOBS), 2);

    // Back to the first: its revision again, which is the latest again, and nothing to be done.
    let back = ingest(&mut client, "Use MySQL.");
    assert_eq!((&back["status"], &back["revision_id"]), (&Value::from("unchanged"), &first["revision_id"]));
    assert_eq!(
        (count(&mut client, JOBS), count(&mut client, "select count(*) from memento.artifact_revision")),
        (2, 2)
    );
    let uid = first["artifact_uid"].as_str().unwrap();
    let latest = json(&mut client, &format!("memento.artifact_get('{uid}', include_content => true)"));
    assert_eq!((&latest["content"], &latest["is_latest"]), (&Value::from("Use MySQL."), &Value::from(true)));
    assert_eq!(latest["metadata"]["title"], "Use MySQL.");
    let old =
        json(&mut client, &format!("memento.artifact_get('{}')", second["artifact_id"].as_str().unwrap()));
    assert_eq!(old["is_latest"], false);
    let by_revision = format!(
        "memento.artifact_get('{uid}', revision_id => '{}')",
        second["revision_id"].as_str().unwrap()
    );
    assert_eq!(json(&mut client, &by_revision)["artifact_id"], second["artifact_id"]);
    assert_eq!(client.query("select from memento.recall('MySQL')", &[]).unwrap().len(), 1);
}

#[test]
fn an_artifact_without_a_source_id_is_a_new_one_each_time() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    let one = json(&mut client, "memento.artifact_ingest('note', 'test', 'the same')");
    let two = json(&mut client, "memento.artifact_ingest('note', 'test', 'the same')");
    assert_ne!(one["artifact_uid"], two["artifact_uid"]);
    assert_eq!(one["revision_id"], two["revision_id"]);
    assert_ne!(one["artifact_id"], two["artifact_id"]);
    let stored = count(
        &mut client,
        "select count(*) from memento.item where source_system = 'test' and source_id is null",
    );
    assert_eq!(stored, 2);
}

#[test]
fn clients_that_ingest_the_same_at_the_same_moment_make_one_revision_and_one_job() {
    const CLIENTS: usize = 8;
    const ROUNDS: usize = 12;
    let cluster = Cluster::start();
    let database = cluster.database();
    let barrier = Barrier::new(CLIENTS);
    let created: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..CLIENTS)
            .map(|_| {
                scope.spawn(|| {
                    let mut client = cluster.connect(&database);
                    (0..ROUNDS)
                        .filter(|round| {
                            barrier.wait();
                            let statement =
                                format!("memento.artifact_ingest('doc', 'wiki', 'revision {round}', source_id => 'page')");
                            json(&mut client, &statement)["status"] != "unchanged"
                        })
                        .count()
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    let mut client = cluster.connect(&database);
    assert_eq!(created, ROUNDS, "one of them makes each revision");
    for counted in [
        "select count(*) from memento.artifact_revision",
        "select count(*) from memento.version",
        JOBS,
        "select count(distinct version_id) from memento.job where kind = 'extract_events'",
    ] {
        assert_eq!(count(&mut client, counted), ROUNDS as i64, "{counted}");
    }
}

#[test]
fn what_was_remembered_first_becomes_an_artifact_when_it_is_ingested() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    let item = json(&mut client, "memento.remember('text', source_system => 's', source_id => '1')");
    let made = json(&mut client, "memento.artifact_ingest('doc', 's', 'text', '1')");
    assert_eq!((&made["item_id"], &made["version_num"]), (&item["item_id"], &Value::from(1)));
    assert_eq!((&made["status"], &made["job_status"]), (&Value::from("updated"), &Value::from("PENDING")));
}

#[test]
fn deleting_takes_everything_along() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    let made = json(&mut client, "memento.artifact_ingest('doc', 's', 'one', 'x')");
    json(&mut client, "memento.artifact_ingest('doc', 's', 'two', 'x')");
    json(&mut client, "memento.artifact_ingest('doc', 's', 'three', 'y')");
    let gone =
        json(&mut client, &format!("memento.artifact_delete('{}')", made["artifact_id"].as_str().unwrap()));
    assert_eq!(
        (&gone["deleted"], &gone["revisions"], &gone["versions"]),
        (&Value::from(true), &Value::from(2), &Value::from(2))
    );
    assert_eq!(gone["counts"]["artifact_revision"], 2);
    assert!(gone["counts"]["job"].as_i64().unwrap() >= 2, "{gone}");
    let verified =
        json(&mut client, &format!("memento.verify_forgotten('{}')", gone["receipt_id"].as_str().unwrap()));
    assert_eq!(verified["verified"], true, "{verified}");
    assert_eq!(count(&mut client, JOBS), 1);
    assert_failure(
        client.batch_execute(&format!(
            "select memento.artifact_get('{}')",
            made["artifact_uid"].as_str().unwrap()
        )),
        "P0002",
        "ARTIFACT_NOT_FOUND",
    );
}

#[test]
fn bad_arguments_are_refused_and_nothing_is_written() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    for statement in [
        "select memento.artifact_ingest('book', 's', 'x')",
        "select memento.artifact_ingest(null, 's', 'x')",
        "select memento.artifact_ingest('doc', null, 'x')",
        "select memento.artifact_ingest('doc', ' ', 'x')",
        "select memento.artifact_ingest('doc', 's', null)",
        "select memento.artifact_ingest('doc', 's', ' ')",
        "select memento.artifact_ingest('doc', 's', 'x', source_id => '')",
        "select memento.artifact_ingest('doc', 's', 'x', participants => array['a', null])",
        "select memento.artifact_ingest('doc', 's', 'x', sensitivity => 'secret')",
        "select memento.artifact_ingest('doc', 's', 'x', retention_policy => 'soon')",
        "select memento.artifact_get('nothing of ours')",
        "select memento.artifact_delete(null)",
    ] {
        assert_failure(client.batch_execute(statement), "22023", "VALIDATION_ERROR");
    }
    for statement in ["select memento.artifact_get('art_0')", "select memento.artifact_delete('uid_0')"] {
        assert_failure(client.batch_execute(statement), "P0002", "ARTIFACT_NOT_FOUND");
    }
    assert_eq!(count(&mut client, "select count(*) from memento.item"), 0);
}

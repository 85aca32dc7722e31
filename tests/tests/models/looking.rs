//! What people see of queue and vectors, and what they can do about them.

use memento_tests::failure::assert_failure;
use postgres::Client;
use serde_json::{Value, json};

use super::scene::{cluster, number, upsert, without_preload};

fn health(client: &mut Client) -> Value {
    let row = client.query_one("select memento.embedding_health()::text", &[]).unwrap();
    serde_json::from_str(row.get(0)).unwrap()
}

/// Kind, state, how many, and whether it is known when the next one is due.
fn queue(client: &mut Client) -> Vec<(String, String, i64, bool)> {
    client
        .query(
            "select kind, state, jobs, next_at is not null from memento.queue_status where kind = 'embed' order by state",
            &[],
        )
        .unwrap()
        .iter()
        .map(|row| (row.get(0), row.get(1), row.get(2), row.get(3)))
        .collect()
}

fn entry(state: &str, jobs: i64, is_due: bool) -> (String, String, i64, bool) {
    ("embed".into(), state.into(), jobs, is_due)
}

fn activate_words(client: &mut Client) {
    super::scene::activate(client, "words", "hash", "words", 16, &json!({}));
}

#[test]
fn queue_status_and_health_say_how_far_it_is() {
    let cluster = cluster(&["memento.worker = off".to_owned()]);
    let mut client = cluster.connect(&cluster.database());
    activate_words(&mut client);
    client.batch_execute("select memento.remember('text ' || n) from generate_series(1, 3) n").unwrap();
    assert_eq!(queue(&mut client), [entry("pending", 3, true)]);
    let said = health(&mut client);
    assert_eq!(
        (&said["profile"]["name"], &said["chunks"], &said["embedded"], &said["jobs"]),
        (&json!("words"), &json!(3), &json!(0), &json!({"pending": 3})),
        "{said}"
    );
    client.batch_execute("select memento.pause_queue('embed', 'moving house')").unwrap();
    assert_eq!(queue(&mut client), [entry("pending", 3, false)]);
    client.batch_execute("select memento.resume_queue('embed')").unwrap();
    client
        .batch_execute("select memento._pause_endpoint('hash', '1 h', 'PROVIDER_RATE_LIMITED', 'too much')")
        .unwrap();
    assert_eq!(health(&mut client)["endpoint_paused_for"], "PROVIDER_RATE_LIMITED: too much");
    client.batch_execute("delete from memento.endpoint_pause").unwrap();
    client.batch_execute("call memento.drain()").unwrap();
    assert_eq!(queue(&mut client), [entry("done", 3, false)]);
    let said = health(&mut client);
    assert_eq!((&said["embedded"], &said["jobs"]), (&json!(3), &json!({})), "{said}");
    assert_eq!((&said["index"], &said["endpoint_paused_for"]), (&json!("ready"), &Value::Null), "{said}");
}

#[test]
fn a_profile_is_made_anew_from_scratch_or_where_something_is_missing() {
    let cluster = cluster(&["memento.worker = off".to_owned()]);
    let mut client = cluster.connect(&cluster.database());
    activate_words(&mut client);
    client.batch_execute("select memento.remember('text ' || n) from generate_series(1, 5) n").unwrap();
    client.batch_execute("call memento.drain()").unwrap();
    const VECTORS: &str = "select count(*) from memento.chunk_embedding";
    let reindex = |client: &mut Client, from_scratch: bool| -> i64 {
        let row = client
            .query_one(
                "select (memento.admin_reindex_profile('words', $1) ->> 'jobs')::bigint",
                &[&from_scratch],
            )
            .unwrap();
        row.get(0)
    };
    assert_eq!((reindex(&mut client, false), number(&mut client, VECTORS)), (0, 5));
    client
        .batch_execute("delete from memento.chunk_embedding where chunk_id in (select min(chunk_id) from memento.chunk_embedding)")
        .unwrap();
    assert_eq!((reindex(&mut client, false), number(&mut client, VECTORS)), (1, 4));
    client.batch_execute("call memento.drain()").unwrap();
    assert_eq!(number(&mut client, VECTORS), 5);
    assert_eq!((reindex(&mut client, true), number(&mut client, VECTORS)), (5, 0));
    client.batch_execute("call memento.drain()").unwrap();
    assert_eq!(number(&mut client, VECTORS), 5);
    assert_failure(
        client.batch_execute("select memento.admin_reindex_profile('nobody')"),
        "P0002",
        "PROFILE_NOT_FOUND",
    );
}

#[test]
fn the_model_of_a_profile_stays() {
    let cluster = cluster(&["memento.worker = off".to_owned()]);
    let mut client = cluster.connect(&cluster.database());
    upsert(&mut client, "words", "hash", "words", 16, &json!({})).unwrap();
    for (provider, model, dims) in [("hash", "words", 17), ("hash", "others", 16), ("local", "words", 16)] {
        assert_failure(
            upsert(&mut client, "words", provider, model, dims, &json!({})),
            "55000",
            "PROFILE_IMMUTABLE",
        );
    }
    for change in [
        "dims = 17",
        "provider = 'local'",
        "model = 'x'",
        "distance = 'l2'",
        "profile_id = gen_random_uuid()",
    ] {
        let statement = format!("update memento.embedding_profile set {change} where name = 'words'");
        assert_failure(client.batch_execute(&statement), "55000", "PROFILE_IMMUTABLE");
    }
    upsert(&mut client, "words", "hash", "words", 16, &json!({"hnsw": {"m": 8}})).unwrap();
}

/// Where nothing is preloaded, the session that drains is the worker.
#[test]
fn drain_embeds_without_a_background_worker() {
    let cluster = without_preload(&[]);
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    activate_words(&mut client);
    client.batch_execute("select memento.remember('text ' || n) from generate_series(1, 7) n").unwrap();
    const VECTORS: &str = "select count(*) from memento.chunk_embedding";
    assert_failure(client.batch_execute("begin; call memento.drain()"), "2D000", "IN_TRANSACTION");
    client.batch_execute("rollback").unwrap();
    assert_failure(client.batch_execute("call memento.drain(0)"), "22023", "VALIDATION_ERROR");
    let mut other = cluster.connect_as("nobody", &database);
    client.batch_execute("grant usage on schema memento to nobody; grant execute on all procedures in schema memento to nobody").unwrap();
    assert_failure(other.batch_execute("call memento.drain()"), "42501", "FORBIDDEN");
    assert_eq!(number(&mut client, VECTORS), 0);
    client.batch_execute("call memento.drain()").unwrap();
    assert_eq!(number(&mut client, VECTORS), 7);
    assert_eq!(
        number(&mut client, "select count(*) from memento.job where state in ('pending', 'running')"),
        0
    );
    // A role that may work the queue needs no more.
    client
        .batch_execute("select memento.remember('one more'); select memento.grant_worker('nobody')")
        .unwrap();
    other.batch_execute("call memento.drain()").unwrap();
    assert_eq!(number(&mut client, VECTORS), 8);
}

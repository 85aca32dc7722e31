//! A subscriber of logical replication gets what is said, and nothing that was made up.

use memento_tests::{Cluster, Server, Settings, eventually};
use postgres::Client;

use super::scene::{count, drain, ingest};

fn text(client: &mut Client, query: &str) -> Option<String> {
    client.query_one(query, &[]).unwrap_or_else(|e| panic!("{query}: {e:?}")).get(0)
}

/// Waits until both databases say the same.
fn wait_until_same(one: &mut Client, other: &mut Client, query: &str) {
    eventually(query, || (text(one, query) == text(other, query)).then_some(()));
}

#[test]
fn a_subscriber_refuses_quotes_that_were_made_up() {
    let lines = ["memento.worker = off", "wal_level = logical"].map(str::to_owned).into();
    let cluster = Cluster::start_with(Server::from_environment(), Settings { preload: true, lines });
    let (source, target) = (cluster.database(), cluster.database());
    let (mut client, mut subscriber) = (cluster.connect(&source), cluster.connect(&target));
    client
        .batch_execute(
            "create publication said for table memento.item, memento.version, memento.chunk, memento.event_evidence, memento.semantic_event",
        )
        .unwrap();
    // Within one server the slot must be there before: to make it would wait for the transaction of the subscription.
    client.batch_execute("select pg_create_logical_replication_slot('said', 'pgoutput')").unwrap();
    subscriber
        .batch_execute(&format!(
            "create subscription said connection '{}' publication said with (create_slot = false, slot_name = 'said', copy_data = false)",
            cluster.url("postgres", &source)
        ))
        .unwrap();

    let quotes = "select string_agg(concat_ws(' ', event_id, chunk_id, quote), ',' order by event_id) from memento.event_evidence";
    let made = ingest(&mut client, "one", "Decision: Use Postgres.");
    drain(&mut client);
    assert_eq!(count(&mut client, "select count(chunk_id) from memento.event_evidence"), 1);
    wait_until_same(&mut client, &mut subscriber, quotes);
    wait_until_same(
        &mut client,
        &mut subscriber,
        "select string_agg(event_id::text, ',') from memento.semantic_event",
    );
    // The quote loses its chunk and gets another one.
    client.batch_execute("select memento.admin_reingest_version(version_id) from memento.version").unwrap();
    drain(&mut client);
    wait_until_same(&mut client, &mut subscriber, quotes);
    let delete = format!("select memento.artifact_delete('{}')", made["artifact_uid"].as_str().unwrap());
    client.batch_execute(&delete).unwrap();
    wait_until_same(&mut client, &mut subscriber, quotes);
    assert_eq!(count(&mut subscriber, "select count(*) from memento.semantic_event"), 0);

    ingest(&mut client, "two", "Decision: Use Postgres.");
    drain(&mut client);
    wait_until_same(&mut client, &mut subscriber, quotes);
    client
        .batch_execute(
            "set memento.maintenance = on; update memento.event_evidence set quote = 'Use nothing.'",
        )
        .unwrap();
    eventually("it is refused", || {
        let refused = "select sum(apply_error_count)::bigint from pg_stat_subscription_stats";
        (count(&mut subscriber, refused) > 0).then_some(())
    });
    assert_eq!(
        text(&mut subscriber, "select quote from memento.event_evidence").as_deref(),
        Some("Decision: Use Postgres.")
    );
}

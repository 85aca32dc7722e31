//! Memories are not lost by a DROP that did not mean them.

use memento_tests::failure::assert_failure;
use memento_tests::{Cluster, Server, Settings};

const WAYS: [&str; 5] = [
    "drop extension pg_memento",
    "drop extension pg_memento cascade",
    "drop extension vector cascade",
    "drop schema memento cascade",
    "drop owned by postgres_like cascade",
];

#[test]
fn every_way_to_drop_is_refused_while_memories_exist() {
    for preload in [true, false] {
        let cluster =
            Cluster::start_with(Server::from_environment(), Settings { preload, ..Settings::default() });
        cluster.connect("postgres").batch_execute("create role postgres_like superuser").unwrap();
        let database = cluster.empty_database();
        cluster
            .connect(&database)
            .batch_execute("set role postgres_like; create extension pg_memento cascade; select memento.remember('precious')")
            .unwrap();
        for way in WAYS {
            // A new connection each: without preload, the library is not loaded in it yet.
            let mut client = cluster.connect(&database);
            let error = assert_failure(client.batch_execute(way), "55000", "MEMORIES_EXIST");
            assert!(
                error.hint().is_some_and(|hint| hint.contains("set memento.allow_drop = on")),
                "{error:?}"
            );
            assert_eq!(
                client.query("select from memento.recall('precious')", &[]).unwrap().len(),
                1,
                "after {way}"
            );
        }
        let mut client = cluster.connect(&database);
        client.batch_execute("set memento.allow_drop = on; drop extension pg_memento").unwrap();
        client.batch_execute("create extension pg_memento").unwrap();
    }
}

#[test]
fn an_extension_without_memories_can_be_dropped_and_made_again() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    for _ in 0..2 {
        client.batch_execute("select memento.create_project('empty')").unwrap();
        client.batch_execute("drop extension pg_memento").unwrap();
        client.batch_execute("create extension pg_memento").unwrap();
    }
}

#[test]
fn what_a_worker_notes_is_no_memory() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    client
        .batch_execute(
            "insert into memento.usage_ledger (project_id, role, provider, model, endpoint, outcome, items, tokens, bytes_sent, bytes_received, duration_ms)
             select project_id, 'embed', 'p', 'm', 'p://h', 'ok', 1, 1, 1, 1, 1 from memento.project limit 1;
             drop extension pg_memento",
        )
        .unwrap();
}

#[test]
fn other_tables_are_dropped_as_ever() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    client.batch_execute("select memento.remember('precious')").unwrap();
    client
        .batch_execute(
            "create schema other; create table other.item (x int); insert into other.item values (1);
             create table public.item (x int); drop table public.item; drop schema other cascade",
        )
        .unwrap();
}

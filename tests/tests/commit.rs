//! Commits and their end: once, whole, and without waiting for each other in a circle.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};

use memento_tests::{Cluster, Server, Settings};

#[test]
fn the_same_request_at_the_same_moment_is_done_once() {
    const CLIENTS: usize = 8;
    let cluster = Cluster::start();
    let database = cluster.database();
    let barrier = Barrier::new(CLIENTS);
    let results: Vec<(String, bool)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..CLIENTS)
            .map(|_| {
                scope.spawn(|| {
                    let mut client = cluster.connect(&database);
                    barrier.wait();
                    let row = client
                        .query_one(
                            r#"select c ->> 'commit_id', (c -> 'replayed')::boolean
                                 from memento.memory_commit('[{"content": "once"}, {"content": "and for all"}]', 'key') c"#,
                            &[],
                        )
                        .unwrap();
                    (row.get(0), row.get(1))
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(results.iter().all(|(commit, _)| *commit == results[0].0), "one commit");
    assert_eq!(results.iter().filter(|(_, replayed)| !replayed).count(), 1, "done once");
    let items: i64 =
        cluster.connect(&database).query_one("select count(*) from memento.item", &[]).unwrap().get(0);
    assert_eq!(items, 2);
}

/// A request that fails leaves its key free.
#[test]
fn a_failed_request_can_be_repeated() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    let commit =
        "select memento.memory_commit(jsonb_build_array(jsonb_build_object('content', $1::text)), 'key')";
    client.execute(commit, &[&" "]).unwrap_err();
    client.execute(commit, &[&"now it is good"]).unwrap();
    let items: i64 = client.query_one("select count(*) from memento.item", &[]).unwrap().get(0);
    assert_eq!(items, 1);
}

#[test]
fn sources_in_opposite_order_are_no_deadlock() {
    const ROUNDS: usize = 20;
    let cluster = Cluster::start();
    let database = cluster.database();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let (cluster, database) = (&cluster, &database);
            scope.spawn(move || {
                let mut client = cluster.connect(database);
                for round in 0..ROUNDS {
                    let mut sources = ["a", "b", "c", "d"];
                    sources.rotate_left(writer);
                    let entries: Vec<_> = sources
                        .iter()
                        .map(|id| serde_json::json!({"content": format!("{writer} {round}"), "source_system": "s", "source_id": id}))
                        .collect();
                    let entries = serde_json::Value::from(entries).to_string();
                    client.execute("select memento.memory_commit($1::text::jsonb)", &[&entries]).unwrap();
                }
            });
        }
    });
    let row = cluster
        .connect(&database)
        .query_one(
            "select count(distinct item_id), count(*), max(version_num)::bigint from memento.version",
            &[],
        )
        .unwrap();
    let versions = (4 * ROUNDS) as i64;
    assert_eq!((row.get(0), row.get(1), row.get(2)), (4_i64, 4 * versions, versions), "gapless");
}

/// Whoever writes while somebody forgets: every receipt is true, and what is left is whole.
#[test]
fn forgetting_what_is_being_written_leaves_nothing_of_it() {
    const RECEIPTS: usize = 10;
    let cluster = Cluster::start();
    let database = cluster.database();
    let is_enough = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for worker in 0..3 {
            let (cluster, database, is_enough) = (&cluster, &database, &is_enough);
            scope.spawn(move || {
                let mut client = cluster.connect(database);
                for round in 0.. {
                    if is_enough.load(Ordering::Relaxed) {
                        break;
                    }
                    let content = format!("{worker} {round}");
                    client
                        .execute(
                            "select memento.remember($1, source_system => 's', source_id => 'one')",
                            &[&content],
                        )
                        .unwrap();
                }
            });
        }
        let mut client = cluster.connect(&database);
        let mut receipts = 0;
        while receipts < RECEIPTS {
            let forget = "select memento.forget(source_system => 's', whole_source => true) ->> 'receipt_id' is not null";
            receipts += usize::from(client.query_one(forget, &[]).unwrap().get::<_, bool>(0));
        }
        is_enough.store(true, Ordering::Relaxed);
    });
    let row = cluster
        .connect(&database)
        .query_one(
            "select (select bool_and((memento.verify_forgotten(erasure_id) -> 'verified')::boolean) from memento.erasure),
                    (select count(*) from memento.erasure) = 10,
                    (select sum(cardinality(version_ids)) from memento.erasure) + (select count(*) from memento.version)
                      = (select count(*) from memento.commit)",
            &[],
        )
        .unwrap();
    assert_eq!((row.get(0), row.get(1), row.get(2)), (true, true, true), "verified, all there, all counted");
}

/// A whole wiki in one statement: what is locked must not fill the server's table of locks.
#[test]
fn many_sources_fit_in_one_transaction() {
    let lines = vec!["max_locks_per_transaction = 10".into(), "max_connections = 20".into()];
    let cluster = Cluster::start_with(Server::from_environment(), Settings { preload: true, lines });
    let mut client = cluster.connect(&cluster.database());
    let stored: i64 = client
        .query_one(
            "select count(memento.remember('page ' || n, source_system => 'wiki', source_id => n::text))
               from generate_series(1, 4000) n",
            &[],
        )
        .unwrap()
        .get(0);
    assert_eq!(stored, 4000);
}

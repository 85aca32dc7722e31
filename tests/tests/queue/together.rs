//! The workers at their work, alone and together.

use std::collections::BTreeMap;

use memento_tests::eventually;
use memento_tests::external::ExternalWorker;

use super::scene::{Endpoint, assert_complete, cluster, remember, states, wait_until_settled};

/// `remember` leads to vectors without anybody doing anything.
#[test]
fn what_is_remembered_gets_its_vectors() {
    let cluster = cluster(&[]);
    let mut client = cluster.connect(&cluster.database());
    let endpoint = Endpoint::start();
    endpoint.activate(&mut client);
    // One after the other: each finds the worker asleep.
    for number in 1..=5 {
        remember(&mut client, &format!("round {number}"), 2);
        let idle: bool = client.query_one("select memento.wait_until_idle('60 s')", &[]).unwrap().get(0);
        assert!(idle);
        assert_complete(&mut client, 2 * number);
    }
    let index: String = eventually("the index is built", || {
        client
            .query_opt(
                "select i.indexdef from pg_indexes i join memento.embedding_profile p on i.indexname = memento._index_name(p.profile_id) where p.name = 'double'",
                &[],
            )
            .unwrap()
            .map(|row| row.get(0))
    });
    assert!(index.contains("hnsw"), "{index}");
}

/// Two inside of the server, the background worker and a session that drains, and two on other machines: each job is done once, by one
/// of them, and no text is paid for twice.
#[test]
fn four_workers_share_a_queue() {
    const JOBS: i32 = 2000;
    let cluster = cluster(&["memento.job_lease = '60s'", "memento.job_batch = 16"]);
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    let endpoint = Endpoint::start();
    endpoint.activate(&mut client);
    endpoint.close();
    let others: Vec<ExternalWorker> = (0..2)
        .map(|_| ExternalWorker::start(&cluster, &database, &["--batch", "16", "--lease", "60"]))
        .collect();
    remember(&mut client, "shared", JOBS);
    let mut session = cluster.connect(&database);
    let draining = std::thread::spawn(move || session.batch_execute("call memento.drain()"));
    // Each of them has work before any gets an answer.
    eventually("all four have jobs", || {
        let workers: i64 = client
            .query_one("select count(distinct claimed_by) from memento.job where state = 'running'", &[])
            .unwrap()
            .get(0);
        (workers == 4).then_some(())
    });
    endpoint.open();
    wait_until_settled(&mut client);
    draining.join().unwrap().unwrap();
    assert_complete(&mut client, JOBS.into());
    let attempts: i32 =
        client.query_one("select max(attempt) from memento.job where kind = 'embed'", &[]).unwrap().get(0);
    assert_eq!(attempts, 1, "each was taken once");
    let seen = endpoint.seen();
    assert_eq!((seen.len(), seen.values().sum::<usize>()), (JOBS as usize, JOBS as usize));
    let billed: i64 = client
        .query_one("select sum(items)::bigint from memento.usage_ledger where outcome = 'ok'", &[])
        .unwrap()
        .get(0);
    assert_eq!(billed, i64::from(JOBS), "the ledger has each text once");
    for worker in others {
        worker.stop();
    }
}

/// Without the background worker, new work wakes one on another machine by a notification, and a stopped one leaves nothing held.
#[test]
fn a_worker_on_another_machine_is_enough() {
    let cluster = cluster(&["memento.worker = off"]);
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    let endpoint = Endpoint::start();
    endpoint.activate(&mut client);
    let worker = ExternalWorker::start(&cluster, &database, &["--name", "elsewhere"]);
    eventually("it has been heard of", || {
        client
            .query_opt("select from memento.worker_status where worker_id = 'elsewhere' and is_alive", &[])
            .unwrap()
    });
    remember(&mut client, "first", 3);
    wait_until_settled(&mut client);
    assert_complete(&mut client, 3);
    endpoint.close();
    remember(&mut client, "second", 3);
    endpoint.wait_for(1);
    worker.stop();
    assert_eq!(states(&mut client), BTreeMap::from([("done".into(), 3), ("pending".into(), 3)]));
    let lost: i64 =
        client.query_one("select sum(lost_leases + failures)::bigint from memento.job", &[]).unwrap().get(0);
    assert_eq!(lost, 0, "nothing is burnt by stopping");
    let calls = client.query_one(
        "select sum(items)::bigint from memento.usage_ledger where outcome = 'WORKER_STOPPED'",
        &[],
    );
    assert_eq!(calls.unwrap().get::<_, i64>(0), 3, "the call that nobody waited for is in the ledger");
}

/// A worker that may not call the model's host leaves the jobs to those that may.
#[test]
fn a_worker_that_is_set_up_wrongly_hurts_nobody() {
    let cluster = cluster(&["memento.worker = off"]);
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    let endpoint = Endpoint::start();
    endpoint.activate(&mut client);
    let strict = ExternalWorker::start(&cluster, &database, &["--allow-private", "no", "--name", "strict"]);
    remember(&mut client, "some", 70);
    let detail: String = eventually("it says so", || {
        client
            .query_opt(
                "select detail from memento.job_blockers where kind = 'embed' and blocker = 'no_able_worker' limit 1",
                &[],
            )
            .unwrap()
            .map(|row| row.get(0))
    });
    assert!(detail.starts_with("PROVIDER_HOST_REFUSED: ") && detail.ends_with("(strict)"), "{detail}");
    let row = client
        .query_one(
            "select (select last_error from memento.worker_status where worker_id = 'strict'), count(*),
                    (select count(*) from memento.endpoint_pause)
               from memento.job where kind = 'embed' and state = 'pending' and failures = 0 and errors = '[]'",
            &[],
        )
        .unwrap();
    assert_eq!((row.get(0), row.get(1), row.get(2)), ("PROVIDER_HOST_REFUSED", 70_i64, 0_i64));
    let able = ExternalWorker::start(&cluster, &database, &["--name", "able"]);
    wait_until_settled(&mut client);
    assert_complete(&mut client, 70);
    strict.stop();
    able.stop();
}

/// What limits the statements and transactions of a role is not meant for a worker, whose maintenance and indexes take their time.
#[test]
fn limits_of_the_role_do_not_hold_for_a_worker() {
    let cluster = cluster(&["memento.worker = off"]);
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    let endpoint = Endpoint::start();
    endpoint.activate(&mut client);
    client
        .batch_execute(
            "create function public.slow() returns trigger language plpgsql as $$ begin perform pg_catalog.pg_sleep(2); return new; end $$;
             create trigger slow before insert on memento.chunk_embedding for each row execute function public.slow()",
        )
        .unwrap();
    drop(cluster.connect_as("queue_worker", &database));
    client
        .batch_execute(
            "do $$ declare setting text; begin
               for setting in select name from pg_settings
                               where name in ('statement_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout', 'idle_session_timeout')
               loop
                 execute format('alter role queue_worker set %I = %L', setting, '1s');
               end loop;
             end $$",
        )
        .unwrap();
    let worker = ExternalWorker::start(&cluster, &database, &[]);
    remember(&mut client, "some", 1);
    wait_until_settled(&mut client);
    assert_complete(&mut client, 1);
    let row =
        client.query_one("select attempt, errors::text from memento.job where kind = 'embed'", &[]).unwrap();
    assert_eq!((row.get::<_, i32>(0), row.get::<_, &str>(1)), (1, "[]"));
    worker.stop();
}

//! When a worker is there, and when it wakes.

use std::time::Duration;

use memento_tests::failure::assert_failure;
use memento_tests::{Cluster, Server, Settings, eventually};

use super::scene::{
    cluster, is_done, leave_work, next_worker, remember, slot_of, wait_until_done, wait_until_idle,
    wait_until_running, worker_pid,
};

#[test]
fn it_works_from_create_extension_on_and_can_be_seen() {
    let cluster = cluster(&[]);
    let mut client = cluster.connect(&cluster.database());
    wait_until_running(&mut client);
    remember(&mut client);
    leave_work(&mut client, "ledger room");
    wait_until_done(&mut client);
    let found: bool = client
        .query_one("select tech_tokens @> array['ledger room'] from memento.chunk", &[])
        .unwrap()
        .get(0);
    assert!(found, "the term is among the tokens");

    let row = client
        .query_one(
            "select a.usename::text, a.application_name, w.rolsuper
               from pg_stat_activity a join pg_roles w on w.oid = a.usesysid
              where a.backend_type = 'pg_memento worker' and a.datname = current_database()",
            &[],
        )
        .unwrap();
    assert_eq!((row.get(0), row.get(1), row.get(2)), ("postgres", "pg_memento worker", true));
    eventually("it is idle for pg_stat_activity", || {
        let state: Option<String> = client
            .query_one("select state from pg_stat_activity where backend_type = 'pg_memento worker'", &[])
            .unwrap()
            .get(0);
        (state.as_deref() == Some("idle")).then_some(())
    });
    eventually("its writes are counted", || {
        let updates: i64 = client
            .query_one(
                "select n_tup_upd from pg_stat_user_tables where relid = 'memento.chunk'::regclass",
                &[],
            )
            .unwrap()
            .get(0);
        (updates > 0).then_some(())
    });
}

#[test]
fn it_is_woken_by_commits_and_by_nothing_else() {
    let cluster = cluster(&["max_prepared_transactions = 2"]);
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    wait_until_running(&mut client);
    remember(&mut client);
    // What comes of it may ask for more, an index for example.
    wait_until_idle(&mut client);
    let wakes = || slot_of(&mut cluster.connect(&database), &database).unwrap().wakes;
    let before = wakes();

    client.batch_execute("begin; select memento.add_domain_terms('{a b}'); rollback").unwrap();
    assert_eq!(wakes(), before, "after a rollback");
    client.batch_execute("begin; select memento.add_domain_terms('{a b}'); prepare transaction 'p'").unwrap();
    assert_eq!(wakes(), before, "after PREPARE TRANSACTION");
    client.batch_execute("begin; select 1; commit").unwrap();
    assert_eq!(wakes(), before, "after the next transaction of the backend that prepared");

    // By another backend, which has never heard of the work.
    cluster.connect(&database).batch_execute("commit prepared 'p'").unwrap();
    assert_eq!(wakes(), before + 1);
    wait_until_done(&mut client);
    wait_until_idle(&mut client);

    client
        .batch_execute(
            "begin; select memento.add_domain_terms('{c d}'); savepoint s; select memento.add_domain_terms('{e f}');
             rollback to s; select memento._wake_worker(); commit",
        )
        .unwrap();
    assert_eq!(wakes(), before + 2, "once for a transaction");
    wait_until_done(&mut client);
}

/// What a database or the superuser has set for sessions must not change what the worker does.
#[test]
fn it_does_not_depend_on_the_settings_of_sessions() {
    let cluster = cluster(&[]);
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    wait_until_running(&mut client);
    client
        .batch_execute(&format!(
            "create role nobody_much;
             alter role postgres in database {database} set role = 'nobody_much';
             alter database {database} set search_path = 'public';
             alter database {database} set default_transaction_isolation = 'serializable';
             alter database {database} set statement_timeout = '1ms'"
        ))
        .unwrap();
    let before = worker_pid(&mut client).unwrap();
    client.execute("select pg_terminate_backend($1)", &[&before]).unwrap();
    next_worker(&mut client, before);
    remember(&mut client);
    leave_work(&mut client, "ledger room");
    wait_until_done(&mut client);
    assert_eq!(slot_of(&mut client, &database).unwrap().last_error, None);
}

/// A process that sleeps is not scheduled: the kernel counts how often it was.
#[test]
fn it_costs_nothing_when_there_is_nothing_to_do() {
    let cluster = cluster(&[]);
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    wait_until_running(&mut client);
    eventually("it is idle", || slot_of(&mut client, &database).filter(|slot| slot.state == "idle"));
    let processes: Vec<i32> = client
        .query("select pid from pg_stat_activity where backend_type like 'pg_memento %' and backend_type <> 'pg_memento index builder'", &[])
        .unwrap()
        .iter()
        .map(|row| row.get(0))
        .collect();
    assert!(processes.len() >= 2);
    let switches = |pid: i32| -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let line = status.lines().find(|line| line.starts_with("voluntary_ctxt_switches")).unwrap();
        line.split_whitespace().last().unwrap().parse().unwrap()
    };
    // Whatever starting has left to be done is done when a second goes by without any.
    eventually("nothing runs", || {
        let before: Vec<u64> = processes.iter().map(|pid| switches(*pid)).collect();
        // Not a wait for a condition: the time without any is what is looked for.
        std::thread::sleep(Duration::from_secs(2));
        let after: Vec<u64> = processes.iter().map(|pid| switches(*pid)).collect();
        (before == after).then_some(())
    });
}

#[test]
fn it_comes_and_goes_with_the_extension() {
    let cluster = cluster(&[]);
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    for _ in 0..3 {
        wait_until_running(&mut client);
        client.batch_execute("drop extension pg_memento").unwrap();
        eventually("the worker has gone", || worker_pid(&mut client).is_none().then_some(()));
        client.batch_execute("begin; create extension pg_memento; rollback").unwrap();
        client.batch_execute("create extension pg_memento").unwrap();
    }
    wait_until_running(&mut client);
    remember(&mut client);
    leave_work(&mut client, "ledger room");
    wait_until_done(&mut client);

    // In a transaction that changes its mind.
    let before = worker_pid(&mut client).unwrap();
    client
        .batch_execute("begin; set local memento.allow_drop = on; drop extension pg_memento; rollback")
        .unwrap();
    assert_eq!(worker_pid(&mut client), Some(before));
}

#[test]
fn settings_are_read_again() {
    let cluster = cluster(&[]);
    let mut client = cluster.connect(&cluster.database());
    wait_until_running(&mut client);
    client.batch_execute("alter system set memento.worker = off").unwrap();
    client.batch_execute("select pg_reload_conf()").unwrap();
    eventually("the worker has gone", || worker_pid(&mut client).is_none().then_some(()));
    remember(&mut client);
    leave_work(&mut client, "ledger room");
    let status: String = eventually("the doctor has read the setting", || {
        let row = client
            .query_one("select status, detail from memento.doctor() where check_name = 'worker'", &[])
            .unwrap();
        (row.get::<_, &str>(1) == "memento.worker is off").then(|| row.get(0))
    });
    assert_eq!(status, "warn");
    assert!(!is_done(&mut client));

    client.batch_execute("alter system reset memento.worker").unwrap();
    client.batch_execute("select pg_reload_conf()").unwrap();
    wait_until_running(&mut client);
    wait_until_done(&mut client);
}

#[test]
fn every_database_has_its_own_and_others_have_none() {
    let cluster = cluster(&[]);
    let names = [cluster.database(), cluster.database(), cluster.database()];
    let without = cluster.empty_database();
    cluster.connect("template1").batch_execute("create extension pg_memento cascade").unwrap();
    for restart in [false, true] {
        if restart {
            cluster.stop("fast");
            cluster.boot();
        }
        for name in &names {
            let mut client = cluster.connect(name);
            wait_until_running(&mut client);
            remember(&mut client);
            leave_work(&mut client, if restart { "kept in" } else { "ledger room" });
            wait_until_done(&mut client);
        }
        let mut client = cluster.connect(&names[0]);
        let mut served = eventually("all others were looked at and left", || {
            let databases: Vec<String> = client
                .query("select coalesce(database, '') from memento.worker_slots() order by 1", &[])
                .unwrap()
                .iter()
                .map(|row| row.get(0))
                .collect();
            (databases.len() == 3).then_some(databases)
        });
        served.sort();
        assert_eq!(served, names);
        assert!(!served.contains(&without));
    }
}

#[test]
fn a_standby_has_none_until_it_is_promoted() {
    let cluster = cluster(&[]);
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    remember(&mut client);
    wait_until_running(&mut client);
    drop(client);
    cluster.stop("fast");
    std::fs::write(cluster.directory().join("standby.signal"), "").unwrap();
    cluster.boot();

    let mut client = cluster.connect(&database);
    assert!(client.query_one("select pg_is_in_recovery()", &[]).unwrap().get::<_, bool>(0));
    assert_failure(client.query("select memento.wait_until_running('1 s')", &[]), "55000", "STANDBY");
    let launchers =
        "select from pg_stat_activity where backend_type in ('pg_memento launcher', 'pg_memento worker')";
    assert!(client.query(launchers, &[]).unwrap().is_empty());
    client.batch_execute("select pg_promote()").unwrap();
    wait_until_running(&mut client);
    leave_work(&mut client, "ledger room");
    wait_until_done(&mut client);
}

#[test]
fn without_preload_there_is_none_and_it_says_so() {
    let cluster =
        Cluster::start_with(Server::from_environment(), Settings { preload: false, ..Settings::default() });
    let mut client = cluster.connect(&cluster.database());
    remember(&mut client);
    leave_work(&mut client, "ledger room");
    assert_failure(client.query("select memento.wait_until_running()", &[]), "55000", "NOT_PRELOADED");
    let row = client
        .query_one("select status, hint is not null from memento.doctor() where check_name = 'worker'", &[])
        .unwrap();
    assert_eq!((row.get(0), row.get(1)), ("warn", true));
    assert!(client.query("select from memento.worker_slots()", &[]).unwrap().is_empty());
    assert!(!is_done(&mut client));
}

#[test]
fn the_launcher_comes_back_and_its_workers_stay() {
    let cluster = cluster(&[]);
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    wait_until_running(&mut client);
    let worker = worker_pid(&mut client).unwrap();
    let launcher = "select pid from pg_stat_activity where backend_type = 'pg_memento launcher'";
    let before: i32 = client.query_one(launcher, &[]).unwrap().get(0);
    client.execute("select pg_terminate_backend($1)", &[&before]).unwrap();
    eventually("another launcher", || {
        client.query_opt(launcher, &[]).unwrap().map(|row| row.get::<_, i32>(0)).filter(|pid| *pid != before)
    });
    assert_eq!(worker_pid(&mut client), Some(worker));
    // It has taken over: a worker that ends now is started by it.
    client.execute("select pg_terminate_backend($1)", &[&worker]).unwrap();
    next_worker(&mut client, worker);
}

//! What a worker survives.

use std::process::Command;

use memento_tests::{Cluster, eventually};
use postgres::Client;

use super::scene::{
    cluster, leave_work, next_worker, remember, slot_of, wait_until_done, wait_until_running, worker_pid,
};

/// Makes the worker's statements fail when it takes a job, or lets them succeed again.
fn set_broken(client: &mut Client, broken: bool) {
    client
        .batch_execute(if broken {
            "create function public.broken() returns trigger language plpgsql as $$
               begin
                 if pg_catalog.current_setting('application_name') = 'pg_memento worker' then
                   raise exception 'on purpose' using errcode = '57014';
                 end if;
                 return new;
               end $$;
             create trigger broken before update on memento.job for each row execute function public.broken()"
        } else {
            "drop function public.broken() cascade"
        })
        .unwrap();
}

#[test]
fn an_error_in_a_transaction_is_noted_and_the_process_goes_on() {
    let cluster = cluster(&[]);
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    wait_until_running(&mut client);
    let before = worker_pid(&mut client);
    remember(&mut client);
    set_broken(&mut client, true);
    leave_work(&mut client, "ledger room");
    eventually("the error is noted", || {
        slot_of(&mut client, &database).filter(|slot| slot.last_error.as_deref() == Some("57014"))
    });
    eventually("it is in the log", || cluster.log().contains("on purpose (SQLSTATE 57014)").then_some(()));
    set_broken(&mut client, false);
    wait_until_done(&mut client);
    assert_eq!(worker_pid(&mut client), before, "it is the same process");
    eventually("no transaction is left open", || {
        let open: i64 = client
            .query_one(
                "select count(*) from pg_stat_activity where backend_type = 'pg_memento worker' and xact_start is not null",
                &[],
            )
            .unwrap()
            .get(0);
        (open == 0).then_some(())
    });
}

/// A database in which everything fails is tried less and less often, however much work comes.
#[test]
fn errors_are_not_repeated_at_the_pace_of_commits() {
    let cluster = cluster(&["memento.worker_restart_delay = '500ms'"]);
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    wait_until_running(&mut client);
    remember(&mut client);
    set_broken(&mut client, true);
    for number in 0..200 {
        leave_work(&mut client, &format!("term {number}"));
    }
    eventually("it was tried", || cluster.log().contains("on purpose").then_some(()));
    let tried = cluster.log().matches("on purpose").count();
    assert!(tried <= 20, "{tried} attempts");
    set_broken(&mut client, false);
    wait_until_done(&mut client);
}

#[test]
fn a_cancelled_worker_goes_on() {
    let cluster = cluster(&[]);
    let mut client = cluster.connect(&cluster.database());
    wait_until_running(&mut client);
    remember(&mut client);
    let before = worker_pid(&mut client).unwrap();
    for number in 0..20 {
        client.execute("select pg_cancel_backend($1)", &[&before]).unwrap();
        leave_work(&mut client, &format!("term {number}"));
        client.execute("select pg_cancel_backend($1)", &[&before]).unwrap();
    }
    // By the same process, or by its successor if a cancellation came where there was no statement.
    wait_until_done(&mut client);
    assert!(worker_pid(&mut client).is_some());
}

#[test]
fn a_hundred_workers_are_killed_and_the_work_is_done() {
    let cluster = cluster(&[]);
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    remember(&mut client);
    wait_until_running(&mut client);
    let mut pid = worker_pid(&mut client).unwrap();
    for number in 0..100 {
        leave_work(&mut client, &format!("term {number}"));
        client.execute("select pg_terminate_backend($1)", &[&pid]).unwrap();
        pid = next_worker(&mut client, pid);
    }
    wait_until_done(&mut client);
    assert_eq!(slot_of(&mut client, &database).unwrap().restarts, 100);
}

fn kill(signal: &str, pid: i32) {
    let status = Command::new("kill").arg(signal).arg(pid.to_string()).status().unwrap();
    assert!(status.success());
}

/// A connection to a server that may be restarting.
fn reconnect(cluster: &Cluster, database: &str) -> Client {
    eventually("the server takes connections", || cluster.try_connect("postgres", database).ok())
}

/// A process with access to shared memory that is killed takes the whole server through recovery.
#[test]
fn after_a_crash_of_any_process_everything_comes_back() {
    let cluster = cluster(&[]);
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    remember(&mut client);
    for kind in ["pg_memento worker", "pg_memento launcher", "pg_memento worker"] {
        wait_until_running(&mut client);
        leave_work(&mut client, kind);
        let row =
            client.query_one("select pid from pg_stat_activity where backend_type = $1", &[&kind]).unwrap();
        kill("-KILL", row.get(0));
        eventually("the server has noticed", || client.query("select 1", &[]).err());
        client = reconnect(&cluster, &database);
        wait_until_running(&mut client);
        wait_until_done(&mut client);
    }
    drop(client);
    cluster.stop("immediate");
    cluster.boot();
    let mut client = cluster.connect(&database);
    wait_until_running(&mut client);
    leave_work(&mut client, "ledger room");
    wait_until_done(&mut client);
}

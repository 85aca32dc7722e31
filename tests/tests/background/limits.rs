//! When there is no room for a worker, or no way in.

use memento_tests::eventually;
use memento_tests::failure::failure;

use super::scene::{cluster, leave_work, remember, slot_of, wait_until_done, wait_until_running, worker_pid};

/// The server's own launcher of logical replication has a place, our launcher and the model host two: one is left.
const ONE_PLACE: &str = "max_worker_processes = 4";

#[test]
fn more_databases_than_places_take_turns() {
    let cluster = cluster(&[ONE_PLACE]);
    let mut clients =
        [cluster.database(), cluster.database(), cluster.database()].map(|name| cluster.connect(&name));
    for term in ["ledger room", "kept in"] {
        for client in &mut clients {
            remember(client);
            leave_work(client, term);
        }
        for client in &mut clients {
            wait_until_done(client);
        }
    }
    for client in &mut clients {
        wait_until_running(client);
    }
    eventually("others rest", || {
        let row = clients[0].query_one(
            "select count(*) from memento.worker_slots() where state = 'resting' and last_error is null",
            &[],
        );
        (row.unwrap().get::<_, i64>(0) >= 1).then_some(())
    });
    let row = clients[0]
        .query_one("select status, hint from memento.doctor() where check_name = 'max_worker_processes'", &[])
        .unwrap();
    assert_eq!(row.get::<_, &str>(0), "warn");
    assert!(row.get::<_, &str>(1).contains("max_worker_processes"));
    assert_eq!(cluster.log().matches("raise max_worker_processes").count(), 1, "{}", cluster.log());
}

#[test]
fn a_worker_without_a_place_waits_until_the_other_has_finished() {
    let cluster = cluster(&[ONE_PLACE]);
    let mut first = cluster.connect(&cluster.database());
    wait_until_running(&mut first);
    remember(&mut first);
    // It is busy for as long as the gate has a row.
    first
        .batch_execute(
            "create table public.gate as select 1;
             create function public.wait() returns trigger language plpgsql as $$
               begin
                 while exists (select from public.gate) loop perform pg_catalog.pg_sleep(0.05); end loop;
                 return new;
               end $$;
             create trigger wait before update on memento.chunk for each row execute function public.wait()",
        )
        .unwrap();
    leave_work(&mut first, "ledger room");
    eventually("it is busy", || {
        first
            .query_opt(
                "select 1 from memento.worker_slots() where state = 'busy' and database = current_database()",
                &[],
            )
            .unwrap()
    });
    let database = cluster.database();
    let mut second = cluster.connect(&database);
    let slot = eventually("it has been refused", || {
        slot_of(&mut second, &database).filter(|slot| slot.last_error.is_some())
    });
    assert_eq!((slot.last_error.as_deref(), slot.state.as_str(), slot.pid), (Some("53400"), "waiting", None));
    let row = second
        .query_one("select status, hint from memento.doctor() where check_name = 'worker'", &[])
        .unwrap();
    assert_eq!(row.get::<_, &str>(0), "warn");
    assert!(row.get::<_, &str>(1).contains("max_worker_processes"));
    first.batch_execute("delete from public.gate").unwrap();
    wait_until_done(&mut first);
    wait_until_running(&mut second);
}

#[test]
fn more_databases_than_slots_is_said_once() {
    let cluster = cluster(&["memento.max_databases = 1"]);
    let first = cluster.database();
    wait_until_running(&mut cluster.connect(&first));
    let second = cluster.database();
    let mut client = cluster.connect(&second);
    for number in 0..5 {
        client.execute("select memento.add_domain_terms(array[$1])", &[&format!("term {number}")]).unwrap();
    }
    eventually("it is in the log", || cluster.log().contains("memento.max_databases").then_some(()));
    let row = client
        .query_one("select status, hint from memento.doctor() where check_name = 'worker'", &[])
        .unwrap();
    assert_eq!(row.get::<_, &str>(0), "fail");
    assert!(row.get::<_, &str>(1).contains("memento.max_databases"));
    assert_eq!(worker_pid(&mut client), None);

    cluster.connect("postgres").batch_execute(&format!("drop database {first}")).unwrap();
    client.batch_execute("select memento.add_domain_terms('{one more}')").unwrap();
    wait_until_running(&mut client);
    assert_eq!(cluster.log().matches("memento.max_databases").count(), 1, "{}", cluster.log());
}

#[test]
fn a_database_that_takes_no_connections_is_left_alone() {
    let cluster = cluster(&[]);
    let (first, second) = (cluster.database(), cluster.database());
    let mut client = cluster.connect(&first);
    let mut closed = cluster.connect(&second);
    wait_until_running(&mut closed);
    // Who builds the index of its profile would have to connect, too.
    closed.batch_execute("select memento.wait_until_idle('1 minute')").unwrap();
    let pid = worker_pid(&mut closed).unwrap();
    client.batch_execute(&format!("alter database {second} allow_connections false")).unwrap();
    client.execute("select pg_terminate_backend($1)", &[&pid]).unwrap();
    eventually("it is blocked", || slot_of(&mut client, &second).filter(|slot| slot.state == "blocked"));
    // Work from those who are still in it does not change that.
    closed.batch_execute("select memento.add_domain_terms('{ledger room}')").unwrap();
    assert!(cluster.try_connect("postgres", &second).is_err());
    assert_eq!(slot_of(&mut client, &second).unwrap().state, "blocked");
    let log = cluster.log();
    assert_eq!(log.matches("not currently accepting connections").count(), 1, "ours, and no worker's: {log}");

    client.batch_execute(&format!("alter database {second} allow_connections true")).unwrap();
    wait_until_running(&mut closed);
}

#[test]
fn waiting_can_be_cancelled_and_times_out() {
    let cluster = cluster(&["memento.worker = off"]);
    let mut client = cluster.connect(&cluster.database());
    let running: bool = client.query_one("select memento.wait_until_running('10 ms')", &[]).unwrap().get(0);
    assert!(!running);
    for timeout in ["infinity", "100000000 years", "1 hour"] {
        if client.batch_execute(&format!("select '{timeout}'::interval")).is_err() {
            continue; // Servers before 17 have no infinite interval.
        }
        client.batch_execute("set statement_timeout = '200ms'").unwrap();
        let error = failure(client.batch_execute(&format!("select memento.wait_until_running('{timeout}')")));
        assert_eq!(error.code().code(), "57014", "{timeout}");
        client.batch_execute("reset statement_timeout").unwrap();
    }
    for timeout in ["-1 hour", "0"] {
        let running: bool =
            client.query_one(&format!("select memento.wait_until_running('{timeout}')"), &[]).unwrap().get(0);
        assert!(!running);
    }
}

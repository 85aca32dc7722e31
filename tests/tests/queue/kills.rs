//! Workers and servers that are killed at any point. Short by default; MEMENTO_LONG=1 for as many as are promised.

use std::time::Duration;

use memento_tests::external::ExternalWorker;
use memento_tests::{Cluster, eventually};
use postgres::Client;

use super::scene::{Endpoint, assert_vectors_are_right, cluster, long, remember, states, wait_until_settled};

/// A delay that differs from kill to kill, so that they come at any point.
fn some_time(number: u64) -> Duration {
    Duration::from_millis(number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 57)
}

/// A connection to a server that may be restarting.
fn reconnect(cluster: &Cluster, database: &str) -> Client {
    eventually("the server takes connections", || cluster.try_connect("postgres", database).ok())
}

/// Every job is there and done: no one is the reason why workers were killed.
fn assert_accounted(client: &mut Client, jobs: i64) {
    wait_until_settled(client);
    let states = states(client);
    assert_eq!(states.get("done"), Some(&jobs), "{states:?}");
    assert_eq!(assert_vectors_are_right(client), jobs);
}

#[test]
fn workers_are_killed_at_random_points() {
    let (kills, jobs) = if long() { (100, 3000) } else { (24, 800) };
    let cluster = cluster(&["memento.job_lease = '1s'", "memento.job_batch = 8"]);
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    let endpoint = Endpoint::start();
    endpoint.activate(&mut client);
    endpoint.answer(|_| {
        std::thread::sleep(Duration::from_millis(5));
        None
    });
    let start = || ExternalWorker::start(&cluster, &database, &["--lease", "1", "--batch", "8"]);
    let mut others = [start(), start()];
    let every = kills / 8;
    let mut asked_for = 0;
    for number in 0..kills {
        if number % every == 0 {
            remember(&mut client, &format!("batch {number}"), jobs / 8);
            asked_for += i64::from(jobs / 8);
        }
        std::thread::sleep(some_time(number));
        let killed = &mut others[number as usize % 2];
        killed.signal("-KILL");
        *killed = start();
        // The background worker beside them cannot be killed without the server: it is terminated.
        if number % 2 == 0 {
            client
                .batch_execute("select pg_terminate_backend(pid) from pg_stat_activity where backend_type = 'pg_memento worker'")
                .unwrap();
        }
    }
    assert_accounted(&mut client, asked_for);
}

/// A killed process with shared memory takes the server through recovery, and the background worker with it.
#[test]
fn servers_crash_at_random_points() {
    let (stops, jobs) = if long() { (20, 2000) } else { (4, 400) };
    let cluster = cluster(&["memento.job_lease = '1s'", "memento.job_batch = 8"]);
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    let endpoint = Endpoint::start();
    endpoint.activate(&mut client);
    endpoint.answer(|_| {
        std::thread::sleep(Duration::from_millis(5));
        None
    });
    // One that outlives the server's crashes.
    let other = ExternalWorker::start(&cluster, &database, &["--lease", "1", "--batch", "8"]);
    for number in 0..stops {
        remember(&mut client, &format!("batch {number}"), jobs / stops as i32);
        std::thread::sleep(some_time(number));
        cluster.stop("immediate");
        cluster.boot();
        client = reconnect(&cluster, &database);
        if number % 4 == 3 {
            let worker = client
                .query_opt("select pid from pg_stat_activity where backend_type = 'pg_memento worker'", &[])
                .unwrap();
            if let Some(row) = worker {
                let pid: i32 = row.get(0);
                let _ = std::process::Command::new("kill").args(["-KILL", &pid.to_string()]).status();
                // It may have gone by itself just before, and then nobody crashed: only that takes it off the list.
                let listed = "select from pg_stat_activity where pid = $1";
                eventually("the worker is gone", || match client.query_opt(listed, &[&pid]) {
                    Ok(Some(_)) => None,
                    Ok(None) | Err(_) => Some(()),
                });
                client = reconnect(&cluster, &database);
            }
        }
    }
    assert_accounted(&mut client, jobs.into());
    other.stop();
}

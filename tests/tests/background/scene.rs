//! What these tests share: a cluster whose workers come back quickly, and questions about them.

use memento_tests::{Cluster, Server, Settings, eventually};
use postgres::Client;

/// A cluster with more lines in its configuration.
pub fn cluster(lines: &[&str]) -> Cluster {
    let mut all = vec!["memento.worker_restart_delay = '20ms'".to_owned()];
    all.extend(lines.iter().map(|line| (*line).to_owned()));
    Cluster::start_with(Server::from_environment(), Settings { lines: all, ..Settings::default() })
}

/// A row of worker_slots().
#[derive(Debug, Clone)]
pub struct Slot {
    pub pid: Option<i32>,
    pub state: String,
    pub restarts: i64,
    pub wakes: i64,
    pub last_error: Option<String>,
}

/// The slot of a database, asked in the session's own.
pub fn slot_of(client: &mut Client, database: &str) -> Option<Slot> {
    let row = client
        .query_opt(
            "select pid, state, restarts, wakes, last_error from memento.worker_slots() where database = $1",
            &[&database],
        )
        .unwrap()?;
    Some(Slot {
        pid: row.get(0),
        state: row.get(1),
        restarts: row.get(2),
        wakes: row.get(3),
        last_error: row.get(4),
    })
}

pub fn wait_until_running(client: &mut Client) {
    let running: bool = client.query_one("select memento.wait_until_running('60 s')", &[]).unwrap().get(0);
    assert!(running, "the worker does not run");
}

/// The process of the session's database.
pub fn worker_pid(client: &mut Client) -> Option<i32> {
    client
        .query_opt(
            "select pid from pg_stat_activity where backend_type = 'pg_memento worker' and datname = current_database()",
            &[],
        )
        .unwrap()
        .map(|row| row.get(0))
}

/// Waits for a worker that is another process than one before.
pub fn next_worker(client: &mut Client, before: i32) -> i32 {
    eventually("another worker", || {
        wait_until_running(client);
        worker_pid(client).filter(|pid| *pid != before)
    })
}

/// Something to work on: chunks whose tokens are to be made anew.
pub fn remember(client: &mut Client) {
    client.batch_execute("select memento.remember('we keep it in the ledger room')").unwrap();
}

/// Leaves work for the worker: a term that no chunk has been looked at for yet.
pub fn leave_work(client: &mut Client, term: &str) {
    client.execute("select memento.add_domain_terms(array[$1])", &[&term]).unwrap();
}

/// Whether all chunks are as the terms say.
pub fn is_done(client: &mut Client) -> bool {
    client
        .query_one(
            "select count(*) > 0 and bool_and(c.terms_version = p.terms_version)
               from memento.chunk c join memento.project p using (project_id)",
            &[],
        )
        .unwrap()
        .get(0)
}

/// Waits for the end of all jobs.
pub fn wait_until_idle(client: &mut Client) {
    client.batch_execute("select memento.wait_until_idle('60 s')").unwrap();
}

pub fn wait_until_done(client: &mut Client) {
    eventually("the work is done", || is_done(client).then_some(()));
}

//! What people do with the queue: try again, pause, limit, and what they are told if that is not possible.

use std::time::Duration;

use memento_tests::eventually;
use memento_tests::failure::failure;
use postgres::Notification;
use postgres::fallible_iterator::FallibleIterator;

use super::scene::{Endpoint, cluster, remember, states};

#[test]
fn a_job_with_a_successor_is_not_tried_again() {
    let cluster = cluster(&["memento.worker = off"]);
    let mut client = cluster.connect(&cluster.database());
    client.batch_execute("select memento.add_domain_terms(array['ledger room'])").unwrap();
    let open = "select job_id from memento.job where kind = 'backfill_tokens' and claimable_at is not null";
    let first: i64 = client.query_one(open, &[]).unwrap().get(0);
    client.execute("select memento.cancel_job($1)", &[&first]).unwrap();
    client.batch_execute("select memento.add_domain_terms(array['ledger hall'])").unwrap();
    let second: i64 = client.query_one(open, &[]).unwrap().get(0);
    let error = failure(client.execute("select memento.retry_job($1)", &[&first]).map(drop));
    assert_eq!((error.code().code(), error.detail()), ("55000", Some("code=JOB_STATE")));
    assert!(error.hint().unwrap().contains(&format!("retry_job({second})")), "{error:?}");
    client.execute("select memento.retry_job($1)", &[&second]).unwrap();
}

/// Vectors of a profile that nobody uses would be deleted and not come back.
#[test]
fn a_profile_that_is_not_used_is_not_filled() {
    let cluster = cluster(&["memento.worker = off"]);
    let mut client = cluster.connect(&cluster.database());
    client.batch_execute("select memento.embedding_profiles_upsert('words', 'hash', 'words', 8)").unwrap();
    for from_scratch in ["true", "false"] {
        let reindex = format!("select memento.admin_reindex_profile('words', {from_scratch})");
        let error = failure(client.batch_execute(&reindex));
        assert_eq!((error.code().code(), error.detail()), ("55000", Some("code=PROFILE_NOT_USED")));
        assert!(error.hint().unwrap().contains("embedding_profiles_fill('words')"), "{error:?}");
    }
    client.batch_execute("select memento.embedding_profiles_fill('words')").unwrap();
    client.batch_execute("select memento.admin_reindex_profile('words', true)").unwrap();
}

/// What lets jobs go on is told to workers on other machines, which would sleep until their next heartbeat.
#[test]
fn workers_elsewhere_are_woken() {
    let cluster = cluster(&["memento.worker = off"]);
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    client
        .batch_execute(
            "select memento.embedding_profiles_upsert('words', 'hash', 'words', 8);
             select memento.embedding_profiles_activate('words', force => true);
             select memento._heartbeat('elsewhere', '1', '{}', true, 0, 0, 0, null, '{}')",
        )
        .unwrap();
    remember(&mut client, "some", 1);
    let mut listener = cluster.connect(&database);
    for (before, let_go) in [
        ("select memento.pause_queue()", "select memento.resume_queue()"),
        ("select memento.set_budget(0)", "select memento.set_budget(null)"),
        (
            "select memento.cancel_job(job_id) from memento.job where kind = 'embed'",
            "select memento.retry_job(job_id) from memento.job where kind = 'embed'",
        ),
        (
            "select c.* from memento.job j cross join lateral memento._claim_jobs('one', j.lane, 1, '1 h') c where j.kind = 'embed'",
            "select memento._release_jobs(array[project_id], array[job_id], array[attempt], '0') from memento.job where kind = 'embed'",
        ),
    ] {
        client.batch_execute(before).unwrap();
        listener.batch_execute("listen memento_job").unwrap();
        client.batch_execute(let_go).unwrap();
        let told = listener.notifications().timeout_iter(Duration::from_secs(60)).next().unwrap();
        assert_eq!(told.as_ref().map(Notification::channel), Some("memento_job"), "{let_go}");
        listener.batch_execute("unlisten *").unwrap();
    }
}

#[test]
fn no_more_is_drained_than_asked_for() {
    let cluster = cluster(&["memento.worker = off", "memento.job_batch = 2"]);
    let mut client = cluster.connect(&cluster.database());
    let endpoint = Endpoint::start();
    endpoint.activate(&mut client);
    client.batch_execute("call memento.drain()").unwrap();
    remember(&mut client, "some", 9);
    client.batch_execute("call memento.drain(5)").unwrap();
    assert_eq!(states(&mut client), [("done".to_owned(), 5), ("pending".to_owned(), 4)].into());
}

/// Who parks a job may commit after the one who ends the pause, who does not see the job then.
#[test]
fn a_pause_that_is_over_holds_nothing() {
    let cluster = cluster(&["memento.worker = off"]);
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    let endpoint = Endpoint::start();
    endpoint.activate(&mut client);
    client.batch_execute("call memento.drain()").unwrap();
    client.batch_execute("select memento.pause_queue()").unwrap();
    let mut other = cluster.connect(&database);
    let mut open = other.transaction().unwrap();
    open.batch_execute("select memento.remember('a text that nobody has seen yet')").unwrap();
    client.batch_execute("select memento.resume_queue()").unwrap();
    open.commit().unwrap();
    let parked = "select count(*) from memento.job where claimable_at = 'infinity'";
    assert_eq!(client.query_one(parked, &[]).unwrap().get::<_, i64>(0), 1);
    let idle = client.query_one("select memento.wait_until_idle('0')", &[]).unwrap();
    assert!(!idle.get::<_, bool>(0), "a worker will do it without being asked");
    client.batch_execute("call memento.drain()").unwrap();
    assert_eq!(states(&mut client), [("done".to_owned(), 1)].into());
}

/// The table of workers is not logged, so a standby has none of it.
#[test]
fn a_standby_says_why_nobody_works() {
    let cluster = cluster(&["memento.worker = off"]);
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    remember(&mut client, "some", 1);
    let standby = cluster.standby();
    let mut there =
        eventually("the standby takes connections", || standby.try_connect("postgres", &database).ok());
    let blocker = eventually("the standby has caught up", || {
        there.query_opt("select blocker from memento.job_blockers where kind = 'embed'", &[]).unwrap()
    });
    assert_eq!(blocker.get::<_, &str>(0), "no_worker");
    for view in ["worker_status", "queue_status", "failed_jobs", "usage_by_day"] {
        there.query(&format!("select * from memento.{view}"), &[]).unwrap();
    }
    there.batch_execute("select memento.embedding_health()").unwrap();
}

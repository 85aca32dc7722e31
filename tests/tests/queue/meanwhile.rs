//! What happens to a document while its texts are with the model.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use memento_tests::eventually;
use memento_tests::external::ExternalWorker;
use postgres::Client;

use super::scene::{
    Endpoint, assert_complete, assert_vectors_are_right, cluster, last_error, remember, states,
    wait_until_settled,
};

/// What waits to be tried again is tried now.
const MAKE_DUE: &str =
    "update memento.job set claimable_at = now() where state = 'pending'; select memento._wake_worker()";

fn results(client: &mut Client) -> Vec<String> {
    client
        .query(
            "select result::text from memento.job where kind = 'embed' and state = 'done' order by job_id",
            &[],
        )
        .unwrap()
        .iter()
        .map(|row| row.get(0))
        .collect()
}

#[test]
fn it_may_be_superseded_forgotten_or_its_profile_switched() {
    let cluster = cluster(&[]);
    let mut client = cluster.connect(&cluster.database());
    let endpoint = Endpoint::start();
    endpoint.activate(&mut client);

    endpoint.close();
    remember(&mut client, "superseded", 1);
    endpoint.wait_for(1);
    client
        .batch_execute(
            "select memento.remember('another text', source_system => 'superseded', source_id => '1')",
        )
        .unwrap();
    endpoint.open();
    wait_until_settled(&mut client);
    assert_eq!(results(&mut client), ["{\"dropped\": \"superseded\"}", "{\"chunks\": 1}"]);
    assert_eq!(assert_vectors_are_right(&mut client), 1, "only the latest version has one");

    endpoint.close();
    remember(&mut client, "forgotten", 2);
    endpoint.wait_for(1);
    client.batch_execute("select memento.forget(source_system => 'forgotten', source_id => '1')").unwrap();
    endpoint.open();
    wait_until_settled(&mut client);
    assert_eq!(results(&mut client).len(), 3, "the job went with its version");
    assert_eq!(assert_vectors_are_right(&mut client), 2);

    endpoint.close();
    remember(&mut client, "switched", 1);
    endpoint.wait_for(1);
    client.batch_execute("select memento.embedding_profiles_activate(null)").unwrap();
    client.batch_execute("update memento.project set candidate_profile_id = null").unwrap();
    endpoint.open();
    wait_until_settled(&mut client);
    assert_eq!(results(&mut client).last().unwrap(), "{\"dropped\": \"profile not in use\"}");
    assert_eq!(assert_vectors_are_right(&mut client), 2);
    client.batch_execute("select memento.embedding_profiles_activate('double', force => true)").unwrap();
    wait_until_settled(&mut client);
    assert_eq!(assert_vectors_are_right(&mut client), 3, "used again, it is filled again");
}

/// A worker that was stopped in the middle of a call wakes up with an answer for a job that it has lost.
#[test]
fn a_lease_may_end() {
    let cluster = cluster(&["memento.worker = off"]);
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    let endpoint = Endpoint::start();
    endpoint.activate(&mut client);
    endpoint.close();
    let late = ExternalWorker::start(&cluster, &database, &["--lease", "1", "--name", "late"]);
    remember(&mut client, "some", 5);
    endpoint.wait_for(1);
    late.signal("-STOP");
    let other = ExternalWorker::start(&cluster, &database, &["--lease", "60", "--name", "other"]);
    eventually("the other one has them", || {
        let taken: i64 = client
            .query_one("select count(*) from memento.job where claimed_by = 'other'", &[])
            .unwrap()
            .get(0);
        (taken == 5).then_some(())
    });
    late.signal("-CONT");
    endpoint.open();
    wait_until_settled(&mut client);
    assert_complete(&mut client, 5);
    late.stop();
    other.stop();
    assert_complete(&mut client, 5);
    let row = client
        .query_one("select min(attempt), max(attempt), sum(lost_leases)::bigint from memento.job where kind = 'embed'", &[])
        .unwrap();
    assert_eq!((row.get::<_, i32>(0), row.get::<_, i32>(1), row.get::<_, i64>(2)), (2, 2, 5));
}

/// A call that takes longer than a lease keeps it.
#[test]
fn a_long_call_keeps_its_lease() {
    let cluster = cluster(&["memento.job_lease = '1s'"]);
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    let endpoint = Endpoint::start();
    endpoint.activate(&mut client);
    endpoint.close();
    remember(&mut client, "some", 3);
    endpoint.wait_for(1);
    let lease = |client: &mut Client| -> String {
        client
            .query_one("select max(lease_until)::text from memento.job where kind = 'embed'", &[])
            .unwrap()
            .get(0)
    };
    for _ in 0..4 {
        let before = lease(&mut client);
        eventually("it is extended", || (lease(&mut client) != before).then_some(()));
    }
    endpoint.open();
    wait_until_settled(&mut client);
    assert_complete(&mut client, 3);
    let attempts: i32 =
        client.query_one("select max(attempt) from memento.job where kind = 'embed'", &[]).unwrap().get(0);
    assert_eq!(attempts, 1);
}

/// The disk has no room where the vectors are written: the file of their table is the device that is always full.
#[test]
fn the_disk_is_full() {
    let cluster = cluster(&["memento.model_timeout = '5s'"]);
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    let endpoint = Endpoint::start();
    endpoint.activate(&mut client);
    client.batch_execute("select memento.wait_until_idle('60 s')").unwrap();
    let path: String =
        client.query_one("select pg_relation_filepath('memento.chunk_embedding')", &[]).unwrap().get(0);
    let (file, kept) = (cluster.directory().join(&path), cluster.directory().join(format!("{path}.kept")));
    cluster.stop("fast");
    std::fs::rename(&file, &kept).unwrap();
    std::os::unix::fs::symlink("/dev/full", &file).unwrap();
    cluster.boot();
    let mut client = cluster.connect(&database);
    remember(&mut client, "some", 5);
    let error = eventually("it fails", || last_error(&mut client));
    assert_eq!(error, ("pending".into(), "WRITE_FAILED".into()));
    let message: String = client
        .query_one("select errors::text from memento.job where errors <> '[]' limit 1", &[])
        .unwrap()
        .get(0);
    assert!(message.contains("53100"), "{message}");
    cluster.stop("fast");
    std::fs::rename(&kept, &file).unwrap();
    cluster.boot();
    let mut client = cluster.connect(&database);
    client.batch_execute(MAKE_DUE).unwrap();
    wait_until_settled(&mut client);
    assert_complete(&mut client, 5);
}

/// The same by the error that the server has for that: neither a job nor the log quotes what was to be written.
#[test]
fn an_error_of_the_disk_quotes_nothing() {
    let cluster = cluster(&[]);
    let mut client = cluster.connect(&cluster.database());
    let endpoint = Endpoint::start();
    endpoint.activate(&mut client);
    client
        .batch_execute(
            "create function public.full() returns trigger language plpgsql as
               $$ begin raise exception 'could not extend file: %', new.embedding using errcode = 'disk_full'; end $$;
             create trigger disk_is_full before insert on memento.chunk_embedding for each row execute function public.full()",
        )
        .unwrap();
    remember(&mut client, "some", 5);
    let error = eventually("it fails", || last_error(&mut client));
    assert_eq!(error, ("pending".into(), "WRITE_FAILED".into()));
    let message: String = client
        .query_one("select errors::text from memento.job where errors <> '[]' limit 1", &[])
        .unwrap()
        .get(0);
    assert!(message.contains("53100") && !message.contains("could not extend"), "{message}");
    let counted = "select count(*) from memento.job where failures > 0";
    assert_eq!(client.query_one(counted, &[]).unwrap().get::<_, i64>(0), 0, "it is nobody's failure");
    assert_eq!(assert_vectors_are_right(&mut client), 0);
    client.batch_execute("drop function public.full() cascade").unwrap();
    client.batch_execute(MAKE_DUE).unwrap();
    wait_until_settled(&mut client);
    assert_complete(&mut client, 5);
}

/// A transaction that somebody leaves open on a job holds up that job, not the queue.
#[test]
fn somebody_may_leave_a_transaction_open() {
    let cluster = cluster(&[]);
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    let endpoint = Endpoint::start();
    endpoint.activate(&mut client);
    endpoint.close();
    remember(&mut client, "held", 1);
    endpoint.wait_for(1);
    let mut other = cluster.connect(&database);
    let mut open = other.transaction().unwrap();
    open.batch_execute("select memento.cancel_job((select job_id from memento.job where kind = 'embed'))")
        .unwrap();
    endpoint.open();
    remember(&mut client, "free", 3);
    eventually("the others are done", || (states(&mut client).get("done") == Some(&3)).then_some(()));
    open.rollback().unwrap();
    client.batch_execute(MAKE_DUE).unwrap();
    wait_until_settled(&mut client);
    assert_complete(&mut client, 4);
}

/// One that somebody is about to forget is cut later, and that is not its failure.
#[test]
fn a_locked_document_is_cut_later() {
    let cluster = cluster(&["memento.max_inline_size = '1kB'"]);
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    client.batch_execute("select memento.embedding_profiles_activate(null)").unwrap();
    let mut other = cluster.connect(&database);
    client.batch_execute("select memento.pause_queue()").unwrap();
    client.batch_execute("select memento.remember(repeat('A sentence like any other. ', 100))").unwrap();
    let mut open = other.transaction().unwrap();
    open.batch_execute("select from memento.version for update").unwrap();
    client.batch_execute("select memento.resume_queue()").unwrap();
    let job = "select state || ' ' || failures || ' ' || coalesce(errors -> -1 ->> 'message', '') from memento.job where kind = 'ingest'";
    let put_off = eventually("it has been tried", || {
        let job: String = client.query_one(job, &[]).unwrap().get(0);
        (job.starts_with("pending 0 ") && job.contains("55P03")).then_some(job)
    });
    assert!(!put_off.contains("like any other"), "{put_off}");
    open.rollback().unwrap();
    client.batch_execute(MAKE_DUE).unwrap();
    eventually("it is cut", || {
        (client.query_one(job, &[]).unwrap().get::<_, String>(0).starts_with("done 0 ")).then_some(())
    });
}

/// A document that somebody is about to forget is not sent to the model again and again until they have made up their mind.
#[test]
fn an_open_forget_is_waited_for() {
    let cluster = cluster(&[]);
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    let endpoint = Endpoint::start();
    endpoint.activate(&mut client);
    let mut other = cluster.connect(&database);
    for (round, lock) in [
        "select memento.forget(source_system => 'held 0', source_id => '1')",
        "select from memento.version v join memento.item i using (item_id) where i.source_system = 'held 1' for update of v",
    ]
    .into_iter()
    .enumerate()
    {
        let (text, done) = (format!("held {round} text number 1"), 4 * round as i64);
        endpoint.close();
        remember(&mut client, &format!("held {round}"), 1);
        endpoint.wait_for(1);
        let mut open = other.transaction().unwrap();
        open.batch_execute(lock).unwrap();
        endpoint.open();
        for after in 1..=3 {
            remember(&mut client, &format!("free {round} {after}"), 1);
            eventually("the others are done", || {
                (states(&mut client).get("done") == Some(&(done + after))).then_some(())
            });
        }
        assert_eq!(endpoint.seen()[&text], 1, "it is not paid for again");
        open.rollback().unwrap();
        eventually("it is given back, or its lease has ended", || {
            client.batch_execute(MAKE_DUE).unwrap();
            (states(&mut client).get("done") == Some(&(done + 4))).then_some(())
        });
        assert_eq!(endpoint.seen()[&text], 2);
    }
    let burnt = "select coalesce(string_agg(kind || ' ' || errors::text, '; '), '') from memento.job where kind = 'embed' and failures > 0";
    assert_eq!(client.query_one(burnt, &[]).unwrap().get::<_, &str>(0), "");
    assert_complete(&mut client, 8);
}

/// Forgetting and embedding lock the same rows; neither makes the other fail.
#[test]
fn forgetting_does_not_get_in_the_way() {
    const DOCUMENTS: i32 = 400;
    let cluster = cluster(&["memento.job_batch = 16", "deadlock_timeout = '100ms'"]);
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    let endpoint = Endpoint::start();
    endpoint.activate(&mut client);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (cluster, database, stop) = (&cluster, &database, &stop);
        scope.spawn(move || {
            let mut client = cluster.connect(database);
            while !stop.load(Ordering::Relaxed) {
                // Several at once, some of them with the model just now.
                client
                    .execute(
                        "select memento.forget(item_id => i.item_id)
                           from (select item_id from memento.item where source_id::int % 3 = 0 order by random() limit 5) i",
                        &[],
                    )
                    .expect("forgetting works at any time");
            }
        });
        for round in 0..5 {
            remember(&mut client, &format!("round {round}"), DOCUMENTS / 5);
        }
        wait_until_settled(&mut client);
        stop.store(true, Ordering::Relaxed);
    });
    assert!(!cluster.log().contains("deadlock detected"), "somebody waited in a circle");
    let left: i64 = client.query_one("select count(*) from memento.chunk", &[]).unwrap().get(0);
    assert_eq!(assert_vectors_are_right(&mut client), left);
    let failed = states(&mut client).get("failed").copied();
    assert_eq!(failed, None);
    assert_eq!(BTreeMap::from([("done".to_owned(), left)]), states(&mut client));
}

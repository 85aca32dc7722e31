//! What a writer sees of others, of a limit in time and of a project that is gone: an error that it can act on, and nothing half
//! written.

use memento_tests::failure::{assert_failure, failure};
use memento_tests::{Cluster, Server, Settings, eventually};
use postgres::Client;

/// Rows of every table that a write touches.
fn rows(client: &mut Client) -> Vec<i64> {
    let counts = "select (select count(*) from memento.item), (select count(*) from memento.version), (select count(*) from memento.chunk),
                         (select count(*) from memento.commit), (select count(*) from memento.job)";
    let row = client.query_one(counts, &[]).unwrap();
    (0..row.len()).map(|column| row.get(column)).collect()
}

fn without_workers() -> Cluster {
    Cluster::start_with(Server::from_environment(), Settings { preload: false, lines: Vec::new() })
}

const REMEMBER: &str = "select memento.remember($1, source_system => 'wiki', source_id => 'page')";

#[test]
fn a_transaction_that_sees_an_old_state_is_told_to_begin_again() {
    let cluster = without_workers();
    let database = cluster.database();
    let (mut early, mut late) = (cluster.connect(&database), cluster.connect(&database));
    late.execute(REMEMBER, &[&"first"]).unwrap();
    for level in ["repeatable read", "serializable"] {
        let mut begun = early.transaction().unwrap();
        begun.batch_execute(&format!("set transaction isolation level {level}")).unwrap();
        begun.query_one("select count(*) from memento.item", &[]).unwrap();
        late.execute(REMEMBER, &[&format!("meanwhile, {level}")]).unwrap();
        let written = rows(&mut late);
        let refused = failure(begun.execute(REMEMBER, &[&"from an old state"]));
        assert_eq!(refused.code().code(), "40001", "{refused:?}");
        begun.rollback().unwrap();
        assert_eq!(rows(&mut late), written, "nothing half written");
        early.execute(REMEMBER, &[&format!("again, {level}")]).unwrap();
    }
    let numbers: Vec<i32> = late
        .query("select version_num from memento.version order by 1", &[])
        .unwrap()
        .iter()
        .map(|row| row.get(0))
        .collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5], "gapless");
}

#[test]
fn time_that_runs_out_in_the_middle_leaves_nothing() {
    let cluster = without_workers();
    let mut client = cluster.connect(&cluster.database());
    client.execute(REMEMBER, &[&"first"]).unwrap();
    let before = rows(&mut client);
    let entries = "(select jsonb_agg(jsonb_build_object('content', repeat('A sentence about storage. ', 2000) || n)) from generate_series(1, 300) n)";
    client.batch_execute("set statement_timeout = '200ms'").unwrap();
    let refused = failure(client.batch_execute(&format!("select memento.memory_commit({entries}, 'key')")));
    assert_eq!(refused.code().code(), "57014", "{refused:?}");
    client.batch_execute("reset statement_timeout").unwrap();
    assert_eq!(rows(&mut client), before);
    let free = r#"select memento.memory_commit('[{"content": "small"}]', 'key') ->> 'replayed'"#;
    assert_eq!(client.query_one(free, &[]).unwrap().get::<_, String>(0), "false", "the key was not used");
}

#[test]
fn a_project_that_is_deleted_meanwhile_is_not_there() {
    let cluster = without_workers();
    let database = cluster.database();
    let (mut admin, mut member) = (cluster.connect(&database), cluster.connect(&database));
    admin.batch_execute("select memento.create_project('short')").unwrap();
    member.batch_execute("select memento.use_project('short'); select memento.recall('anything')").unwrap();
    admin.batch_execute("delete from memento.project where name = 'short'").unwrap();
    for statement in [
        "select memento.remember('too late')",
        "select memento.recall('anything')",
        "select memento.memory_list()",
        "select memento.emit_event('too_late')",
        "select memento.forget(whole_project => true)",
    ] {
        assert_failure(member.batch_execute(statement), "P0002", "PROJECT_NOT_FOUND");
    }
    assert_eq!(rows(&mut member), [0; 5]);
}

/// A link waits for whoever forgets one of its ends, and then does not find it.
#[test]
fn what_is_being_forgotten_cannot_be_linked() {
    let cluster = without_workers();
    let database = cluster.database();
    let (mut eraser, mut observer) = (cluster.connect(&database), cluster.connect(&database));
    let id = |client: &mut Client, content: &str| -> String {
        client.query_one("select memento.remember($1) ->> 'item_id'", &[&content]).unwrap().get(0)
    };
    let (stays, goes) = (id(&mut observer, "stays"), id(&mut observer, "goes"));
    let mut erasing = eraser.transaction().unwrap();
    erasing.execute("select memento.forget(item_id => $1::text::uuid)", &[&goes]).unwrap();
    std::thread::scope(|scope| {
        let linking = scope.spawn(|| {
            let link = "select memento.memory_link($1::text::uuid, $2::text::uuid, 'mentions')";
            cluster.connect(&database).execute(link, &[&stays, &goes])
        });
        eventually("the link waits", || {
            let waits = "select count(*) from pg_locks where not granted";
            (observer.query_one(waits, &[]).unwrap().get::<_, i64>(0) > 0).then_some(())
        });
        erasing.commit().unwrap();
        assert_failure(linking.join().unwrap(), "P0002", "ITEM_NOT_FOUND");
    });
    let links: i64 = observer.query_one("select count(*) from memento.link", &[]).unwrap().get(0);
    assert_eq!(links, 0);
}

//! Commands that need a database for themselves are not refused because of a worker.

use memento_tests::eventually;
use memento_tests::failure::failure;

use super::scene::{cluster, leave_work, remember, slot_of, wait_until_done, wait_until_running, worker_pid};

#[test]
fn a_database_with_a_worker_can_be_dropped_renamed_copied_and_moved() {
    let cluster = cluster(&[]);
    let place = cluster.server.scratch.join(format!("tablespace-{}", std::process::id()));
    let mut admin = cluster.connect("postgres");
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    wait_until_running(&mut client);
    remember(&mut client);
    drop(client);

    admin.batch_execute(&format!("alter database {database} rename to renamed")).unwrap();
    wait_until_running(&mut cluster.connect("renamed"));
    admin.batch_execute("create database copied template renamed").unwrap();
    for name in ["renamed", "copied"] {
        let mut client = cluster.connect(name);
        wait_until_running(&mut client);
        leave_work(&mut client, "ledger room");
        wait_until_done(&mut client);
    }

    // By the user of the server, who must own it.
    assert!(cluster.server.as_server_user("mkdir").arg(&place).status().unwrap().success());
    admin.batch_execute(&format!("create tablespace elsewhere location '{}'", place.display())).unwrap();
    admin.batch_execute("alter database renamed set tablespace elsewhere").unwrap();
    wait_until_running(&mut cluster.connect("renamed"));

    admin.batch_execute("drop database renamed").unwrap();
    let mut client = cluster.connect("copied");
    eventually("nothing is left of it", || {
        let slots: i64 = client.query_one("select count(*) from memento.worker_slots()", &[]).unwrap().get(0);
        (slots == 1).then_some(())
    });
    drop(client);
    // Again and again: the worker is there, starting, or waiting to be started.
    for number in 0..10 {
        admin.batch_execute(&format!("create database copy_{number} template copied")).unwrap();
        admin.batch_execute(&format!("drop database copy_{number}")).unwrap();
    }
    wait_until_running(&mut cluster.connect("copied"));
    admin.batch_execute("drop database copied").unwrap();
    admin.batch_execute("drop tablespace elsewhere").unwrap();
    let _ = std::fs::remove_dir_all(&place);
    // A worker may find that its database was dropped while it started, and who builds an index is interrupted, which the server
    // logs; nothing else may go wrong.
    let unexpected = |line: &&str| {
        line.contains("FATAL")
            && !line.contains("does not exist")
            && !line.contains("\"pg_memento index builder\" due to")
    };
    assert_eq!(cluster.log().lines().filter(unexpected).collect::<Vec<_>>(), Vec::<&str>::new());
}

#[test]
fn a_worker_in_the_middle_of_a_statement_does_not_block_drop_database() {
    let cluster = cluster(&[]);
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    wait_until_running(&mut client);
    remember(&mut client);
    client
        .batch_execute(
            "create function public.slow() returns trigger language plpgsql as
               $$ begin perform pg_catalog.pg_sleep(600); return new; end $$;
             create trigger slow before update on memento.chunk for each row execute function public.slow()",
        )
        .unwrap();
    leave_work(&mut client, "ledger room");
    eventually("it is in the statement", || {
        client
            .query_opt(
                "select 1 from pg_stat_activity where backend_type = 'pg_memento worker' and wait_event = 'PgSleep'",
                &[],
            )
            .unwrap()
    });
    drop(client);
    cluster.connect("postgres").batch_execute(&format!("drop database {database}")).unwrap();
}

#[test]
fn who_may_not_drop_a_database_cannot_stop_its_worker() {
    let cluster = cluster(&[]);
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    wait_until_running(&mut client);
    let before = worker_pid(&mut client).unwrap();
    let mut stranger = cluster.connect_as("stranger", "postgres");
    cluster.connect("postgres").batch_execute("alter role stranger createdb").unwrap();
    for command in [
        format!("drop database {database}"),
        format!("alter database {database} rename to mine"),
        format!("create database mine template {database}"),
    ] {
        assert_eq!(failure(stranger.batch_execute(&command)).code().code(), "42501", "{command}");
    }
    assert_eq!(worker_pid(&mut client), Some(before));
    assert_eq!(slot_of(&mut client, &database).unwrap().restarts, 0);
}

#[test]
fn a_command_that_fails_gives_the_worker_back() {
    let cluster = cluster(&[]);
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    wait_until_running(&mut client);
    let mut admin = cluster.connect("postgres");
    // We are connected to it ourselves.
    assert_eq!(
        failure(admin.batch_execute(&format!("alter database {database} rename to postgres"))).code().code(),
        "42P04"
    );
    wait_until_running(&mut client);
    assert_eq!(
        failure(admin.batch_execute(&format!("begin; drop database {database}"))).code().code(),
        "25001"
    );
    wait_until_running(&mut client);
    admin.batch_execute("rollback").unwrap();
    admin.batch_execute("drop database if exists no_such_database").unwrap();
}

/// The hook on commands must not change what a client sees of an error.
#[test]
fn errors_of_commands_keep_their_fields() {
    let cluster = cluster(&[]);
    let mut client = cluster.connect(&cluster.database());
    client.batch_execute("create table t (x int); insert into t values (1), (1)").unwrap();
    let error = failure(client.batch_execute("alter table t add constraint only_once unique (x)"));
    assert_eq!(
        (error.code().code(), error.constraint(), error.table()),
        ("23505", Some("only_once"), Some("t"))
    );
    let error = failure(client.batch_execute("create table u (x no_such_type)"));
    assert_eq!(error.code().code(), "42704");
    assert!(error.position().is_some(), "{error:?}");
}

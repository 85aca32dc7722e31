//! Who may call, and how often.

use memento_tests::failure::{assert_failure, failure};
use memento_tests::{Cluster, eventually};
use postgres::Client;
use serde_json::Value;

fn recall(client: &mut Client) -> Result<Value, postgres::Error> {
    client
        .query_one(r#"select memento.mcp_call('recall', '{"query": "Postgres"}')"#, &[])
        .map(|row| row.get(0))
}

#[test]
fn tools_run_with_the_rights_of_the_caller() {
    let cluster = Cluster::start();
    let database = cluster.database();
    let mut stranger = cluster.connect_as("stranger", &database);
    let mut reader = cluster.connect_as("reader", &database);
    let mut admin = cluster.connect(&database);
    admin
        .batch_execute("select memento.grant_access('reader', 'default', 'read'); select memento.remember('Postgres it is')")
        .unwrap();

    assert_eq!(failure(recall(&mut stranger)).code().code(), "42501");
    assert_eq!(failure(stranger.query("select memento.mcp_tools()", &[])).code().code(), "42501");
    assert_eq!(recall(&mut reader).unwrap()["rows"].as_array().unwrap().len(), 1);
    let write = reader.query(r#"select memento.mcp_call('remember', '{"content": "x"}')"#, &[]);
    assert_failure(write, "42501", "FORBIDDEN");

    // What a role may not execute is not offered, and cannot be called.
    admin.batch_execute("revoke execute on function memento.recall from reader").unwrap();
    let offered = reader.query("select from memento.mcp_tools('all') where name = 'recall'", &[]).unwrap();
    assert!(offered.is_empty());
    assert_failure(recall(&mut reader), "P0002", "TOOL_NOT_FOUND");
}

#[test]
fn reading_works_where_nothing_can_be_written() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    client
        .batch_execute(
            "select memento.remember('Postgres it is'); select memento.set_rate_limit('recall', 0);
             set default_transaction_read_only = on",
        )
        .unwrap();
    assert_eq!(recall(&mut client).unwrap()["rows"].as_array().unwrap().len(), 1);
    let write = client.query(r#"select memento.mcp_call('remember', '{"content": "x"}')"#, &[]);
    assert_eq!(failure(write).code().code(), "25006");
}

#[test]
fn calls_are_limited_for_each_role() {
    let cluster = Cluster::start();
    let database = cluster.database();
    let (mut ana, mut tom) = (cluster.connect_as("ana", &database), cluster.connect_as("tom", &database));
    let mut admin = cluster.connect(&database);
    admin
        .batch_execute(
            "select memento.grant_access('ana', 'default', 'write'); select memento.grant_access('tom', 'default', 'write');
             select memento.set_rate_limit('recall', 2, '2 seconds')",
        )
        .unwrap();
    for _ in 0..2 {
        recall(&mut ana).unwrap();
    }
    let refused = assert_failure(recall(&mut ana), "54000", "RATE_LIMIT_EXCEEDED");
    assert!(refused.hint().unwrap().starts_with("retry after "), "{refused}");
    // Others have their own count, and other tools are not limited.
    recall(&mut tom).unwrap();
    ana.query("select memento.mcp_call('memory.list')", &[]).unwrap();
    // The window goes on with the clock.
    eventually("ana may call again", || recall(&mut ana).ok());

    // A limit for a role goes before that for all, and one on all tools counts them together.
    admin.batch_execute("select memento.set_rate_limit('recall', 100, '1 hour', 'ana')").unwrap();
    for _ in 0..5 {
        recall(&mut ana).unwrap();
    }
    admin.batch_execute("select memento.set_rate_limit('*', 0, '1 hour', 'ana')").unwrap();
    assert_failure(ana.query("select memento.mcp_call('memory.list')", &[]), "54000", "RATE_LIMIT_EXCEEDED");
    admin.batch_execute("select memento.set_rate_limit('*', null, role => 'ana')").unwrap();
    ana.query("select memento.mcp_call('memory.list')", &[]).unwrap();

    // Nobody sees or changes those of others.
    let seen: i64 =
        ana.query_one("select count(*) from memento.rate_call where role_name <> 'ana'", &[]).unwrap().get(0);
    assert_eq!(seen, 0);
    assert_failure(ana.query("select memento.set_rate_limit('recall', 1000)", &[]), "42501", "FORBIDDEN");
    for (statement, sqlstate) in [
        ("select memento.set_rate_limit('', 1)", "22023"),
        ("select memento.set_rate_limit('recall', -1)", "22023"),
        ("select memento.set_rate_limit('recall', 1, '0')", "22023"),
        ("select memento.set_rate_limit('recall', 1, '2 days')", "22023"),
        ("select memento.set_rate_limit('recall', 1, role => 'nobody')", "P0002"),
        ("select memento.set_rate_limit(null, 1)", "22023"),
    ] {
        assert_eq!(failure(admin.query(statement, &[])).code().code(), sqlstate, "{statement}");
    }
}

#[test]
fn calls_at_the_same_time_do_not_wait_for_each_other() {
    let cluster = Cluster::start();
    let database = cluster.database();
    let mut first = cluster.connect(&database);
    let mut second = cluster.connect(&database);
    first.batch_execute("select memento.set_rate_limit('*', 1000)").unwrap();
    let mut open = first.transaction().unwrap();
    open.query(r#"select memento.mcp_call('recall', '{"query": "x"}')"#, &[]).unwrap();
    second.batch_execute("set lock_timeout = '1 s'").unwrap();
    recall(&mut second).unwrap();
    open.commit().unwrap();
    let counted: i64 = first.query_one("select count(*) from memento.rate_call", &[]).unwrap().get(0);
    assert_eq!(counted, 2);
}

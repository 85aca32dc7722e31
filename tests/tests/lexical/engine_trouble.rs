//! Engines that are slow, broken, gone, or not worth asking; and roles that see one project.

use memento_tests::failure::{assert_failure, failure};
use postgres::Client;

use super::engines::{chunks, each_engine, with_engine};
use super::scene::{count_all, remember, search};

/// Makes the function of pg_textsearch that every query of it needs do something else, and gives the statement that takes that back.
fn replace(client: &mut Client, body: &str) -> String {
    const FUNCTION: &str = "
      select pg_get_functiondef(f.oid),
             format('create or replace function %s(%s) returns %s language plpgsql immutable strict parallel safe as ',
                    f.oid::regproc, pg_get_function_arguments(f.oid), pg_get_function_result(f.oid))
        from pg_proc f join pg_depend d on d.classid = 'pg_proc'::regclass and d.objid = f.oid
        join pg_extension e on d.refclassid = 'pg_extension'::regclass and e.oid = d.refobjid
       where e.extname = 'pg_textsearch' and f.proname = 'to_bm25query' and f.pronargs = 2";
    let row = client.query_one(FUNCTION, &[]).unwrap();
    let head: String = row.get(1);
    client.batch_execute(&format!("{head} $body$ begin {body} end $body$")).unwrap();
    row.get(0)
}

fn used(client: &mut Client, query: &str) -> String {
    search(client, query, 5).first().map(|hit| hit.2.clone()).unwrap_or_default()
}

#[test]
fn a_slow_engine_leaves_time_for_full_text_search_and_is_not_asked_again() {
    let Some((cluster, database)) = with_engine("pg_textsearch") else { return };
    let mut admin = cluster.connect(&database);
    admin.batch_execute("select memento.enable_bm25(); create sequence public.asked").unwrap();
    let undo = replace(&mut admin, "perform nextval('public.asked'); perform pg_sleep(600); return null;");
    let mut client = cluster.connect(&database);
    client.batch_execute("set memento.lane_timeout = '3s'").unwrap();
    let mut asked = || -> i64 { admin.query_one("select last_value from public.asked", &[]).unwrap().get(0) };
    assert_eq!(search(&mut client, "storage cats", 5).len(), 5);
    let first = asked();
    assert_eq!(used(&mut client, "storage cats"), "full-text search");
    assert_eq!(asked(), first, "this session does not ask it again");
    // A time limit of the statement, and a cancellation, are not ours to take, and say nothing about the engine.
    let mut other = cluster.connect(&database);
    other.batch_execute("set memento.lane_timeout = '60s'; set statement_timeout = '300ms'").unwrap();
    let error = failure(other.query("select from memento.search('storage')", &[]));
    assert_eq!(error.code().code(), "57014", "{error:?}");
    other.batch_execute("reset statement_timeout").unwrap();
    admin.batch_execute(&undo).unwrap();
    assert!(used(&mut other, "storage cats").starts_with("pg_textsearch"), "it was not turned off");
    assert_eq!(
        used(&mut client, "storage cats"),
        "full-text search",
        "it is for the session that has waited"
    );
}

#[test]
fn an_engine_is_not_asked_for_what_a_filter_mostly_drops() {
    let Some((cluster, database)) = with_engine("pg_textsearch") else { return };
    let mut client = cluster.connect(&database);
    client
        .batch_execute(
            "select count(memento.remember('storage and notes, number ' || n, kind => case when n = 1 then 'rare' else 'common' end))
               from generate_series(1, 2000) n",
        )
        .unwrap();
    count_all(&mut client);
    client
        .batch_execute(
            "select memento.use_project('small'); select memento.remember('storage of a small project')",
        )
        .unwrap();
    count_all(&mut client);
    client.batch_execute("analyze; select memento.enable_bm25()").unwrap();
    let undo = replace(&mut client, "raise 'it was asked';");
    assert_eq!(search(&mut client, "storage", 5).len(), 1);
    client.batch_execute("select memento.use_project('default')").unwrap();
    let rare = "select from memento.search('storage', 5, '{\"kinds\": [\"rare\"]}')";
    assert_eq!(client.query(rare, &[]).unwrap().len(), 1);
    client.batch_execute(&undo).unwrap();
    assert!(
        used(&mut client, "storage cats").starts_with("pg_textsearch"),
        "it has not failed, as it was not asked"
    );
}

#[test]
fn equal_scores_give_the_same_chunks_with_and_without_an_engine() {
    each_engine(|_, _, client, name| {
        for number in 0..600 {
            remember(client, &format!("same {number}"), "the same harbour in each of them");
        }
        count_all(client);
        let floor = search(client, "harbour", 10);
        assert!(chunks(&floor).is_sorted(), "{floor:?}");
        client.batch_execute("select memento.enable_bm25()").unwrap();
        assert_eq!(chunks(&search(client, "harbour", 10)), chunks(&floor), "{name}");
        client.batch_execute("update memento.item set title = title where source_id like 'same 1%'; select memento.enable_bm25(true)").unwrap();
        assert_eq!(chunks(&search(client, "harbour", 10)), chunks(&floor), "{name}, built anew");
    });
}

#[test]
fn a_role_that_sees_one_project_searches_it_by_the_engine() {
    each_engine(|cluster, database, client, name| {
        cluster.connect_as("reader", database);
        client
            .batch_execute(
                "select memento.use_project('small'); select memento.remember('storage of a small project');
                 select memento.grant_access('reader', 'small', 'read'); select memento.enable_bm25()",
            )
            .unwrap();
        let mut reader = cluster.connect_as("reader", database);
        reader
            .batch_execute("set memento.project = 'small'; set default_transaction_read_only = on")
            .unwrap();
        let found = search(&mut reader, "storage", 10);
        assert_eq!(found.len(), 1, "{name}: {found:?}");
        assert!(name != "pg_search" || found[0].2.starts_with(name), "{found:?}");
        reader.batch_execute("set memento.project = 'default'").unwrap();
        assert_failure(reader.query("select from memento.search('storage')", &[]), "42501", "FORBIDDEN");
    });
}

#[test]
fn an_index_that_is_dropped_or_built_while_a_session_runs_is_noticed() {
    each_engine(|cluster, database, client, name| {
        let mut admin = cluster.connect(database);
        admin.batch_execute("select memento.enable_bm25()").unwrap();
        assert!(used(client, "storage cats").starts_with(name));
        admin.batch_execute("drop index memento.chunk_bm25_idx").unwrap();
        assert_eq!(used(client, "storage cats"), "full-text search");
        admin.batch_execute("select memento.enable_bm25()").unwrap();
        assert!(used(client, "storage cats").starts_with(name), "{name} is used again");
        admin.batch_execute(&format!("drop extension {name} cascade")).unwrap();
        assert_eq!(used(client, "storage cats"), "full-text search");
    });
}

/// pg_search reads its index while any query of the table is planned, so no lane answers. The error says what to do, and that helps.
#[test]
fn an_index_that_the_server_cannot_plan_with_is_an_error_that_says_so() {
    let Some((cluster, database)) = with_engine("pg_search") else { return };
    let mut client = cluster.connect(&database);
    client.batch_execute("select memento.enable_bm25(); checkpoint").unwrap();
    let file: String =
        client.query_one("select pg_relation_filepath('memento.chunk_bm25_idx')", &[]).unwrap().get(0);
    cluster.stop("fast");
    let file = cluster.directory().join(file);
    std::fs::write(&file, vec![0x5a; std::fs::metadata(&file).unwrap().len() as usize]).unwrap();
    cluster.boot();
    for strategy in ["global", "hierarchical"] {
        let mut client = cluster.connect(&database);
        let refused =
            client.query(&format!("select memento.retrieve('storage cats', strategy => '{strategy}')"), &[]);
        let error = assert_failure(refused, "XX002", "INDEX_UNREADABLE");
        assert!(error.hint().unwrap().contains("memento.disable_bm25()"), "{error:?}");
    }
    let mut client = cluster.connect(&database);
    assert_failure(
        client.query("select from memento.search('storage cats')", &[]),
        "XX002",
        "INDEX_UNREADABLE",
    );
    client.batch_execute("select memento.disable_bm25()").unwrap();
    assert_eq!(used(&mut client, "storage cats"), "full-text search");
}

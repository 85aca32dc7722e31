//! Engines: found, used, and done without. A server without them has nothing to try.

use memento_tests::failure::assert_failure;
use memento_tests::{Cluster, Server, Settings};
use postgres::Client;

use super::queries::survives_hostile_queries;
use super::scene::{remember, search};

/// A database with an engine and some memories; none where the server does not have that engine.
pub fn with_engine(name: &str) -> Option<(Cluster, String)> {
    let server = Server::from_environment();
    let control = format!("{}/extension/{name}.control", server.config("--sharedir"));
    if !std::path::Path::new(&control).exists() {
        println!("skipped: the server has no {name}");
        return None;
    }
    let lines = vec![format!("shared_preload_libraries = 'pg_memento,{name}'")];
    let cluster = Cluster::start_with(server, Settings { lines, ..Default::default() });
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    client.batch_execute(&format!("create extension {name}")).unwrap();
    for number in 0..120 {
        let rest = if number % 7 == 0 { " with running cats" } else { "" };
        remember(&mut client, &number.to_string(), &format!("note {number} about storage{rest}"));
    }
    client.batch_execute("select memento.create_project('small')").unwrap();
    Some((cluster, database))
}

pub fn each_engine(test: impl Fn(&Cluster, &str, &mut Client, &str)) {
    for name in ["pg_search", "pg_textsearch"] {
        if let Some((cluster, database)) = with_engine(name) {
            let mut client = cluster.connect(&database);
            test(&cluster, &database, &mut client, name);
        }
    }
}

pub fn chunks(hits: &[(i64, f64, String)]) -> Vec<i64> {
    hits.iter().map(|hit| hit.0).collect()
}

#[test]
fn an_engine_is_used_when_its_index_is_there() {
    each_engine(|_, _, client, name| {
        let query = "what about the cat that runs 49?";
        let floor = search(client, query, 5);
        assert!(floor.iter().all(|hit| hit.2 == "full-text search"), "{floor:?}");
        let said: String = client.query_one("select memento.enable_bm25()", &[]).unwrap().get(0);
        assert!(said.contains("built") && said.contains(name), "{said}");
        let engine = search(client, query, 5);
        assert!(engine.iter().all(|hit| hit.2.starts_with(name)), "{engine:?}");
        assert_eq!(chunks(&engine), chunks(&floor), "the same order by the same formula");
        assert!(engine.iter().all(|hit| hit.1 > 0.0));
        let again: String = client.query_one("select memento.enable_bm25()", &[]).unwrap().get(0);
        assert!(again.contains("already"), "{again}");
        client.batch_execute("set memento.bm25_engine = off").unwrap();
        assert_eq!(search(client, query, 5), floor);
        client.batch_execute("reset memento.bm25_engine").unwrap();
        let said: String = client.query_one("select memento.disable_bm25()", &[]).unwrap().get(0);
        assert!(said.contains("dropped"), "{said}");
        assert_eq!(search(client, query, 5), floor);
    });
}

#[test]
fn an_engine_keeps_to_the_project_the_filter_and_the_time() {
    each_engine(|_, _, client, _| {
        client.batch_execute("select memento.enable_bm25()").unwrap();
        remember(client, "7", "note 7 has changed, and is about storage no longer than cats");
        assert_eq!(search(client, "running", 100).len(), 17, "the former version is not found");
        let rows = client
            .query("select from memento.search('storage', 10, '{\"kinds\": [\"other\"]}')", &[])
            .unwrap();
        assert_eq!(rows.len(), 0);
        client.batch_execute("select memento.remember('storage of another kind', kind => 'other')").unwrap();
        let rows = client
            .query("select from memento.search('storage', 10, '{\"kinds\": [\"other\"]}')", &[])
            .unwrap();
        assert_eq!(rows.len(), 1, "one of many");
        let rows = client
            .query("select from memento.search('storage', 10, as_of => now() - interval '1 day')", &[])
            .unwrap();
        assert_eq!(rows.len(), 0);
        client.batch_execute("select memento.use_project('small')").unwrap();
        assert_eq!(search(client, "storage cats", 10), []);
        remember(client, "1", "cats in a small project");
        assert_eq!(search(client, "storage cats", 10).len(), 1);
    });
}

#[test]
fn no_query_is_an_error_for_an_engine() {
    each_engine(|_, _, client, name| {
        client.batch_execute("select memento.enable_bm25()").unwrap();
        survives_hostile_queries(client);
        let found = search(client, "storage", 1);
        assert!(found[0].2.starts_with(name), "it was not turned off: {found:?}");
    });
}

/// An engine whose index cannot be read fails; the search does not, and says what ranked instead. (pg_search reads its index
/// while any query of the table is planned, so there nothing can be done but to drop it.)
#[test]
fn an_engine_that_fails_is_left_alone() {
    let Some((cluster, database)) = with_engine("pg_textsearch") else { return };
    let mut client = cluster.connect(&database);
    client.batch_execute("select memento.enable_bm25(); checkpoint").unwrap();
    assert!(search(&mut client, "storage", 1)[0].2.starts_with("pg_textsearch"));
    let file: String =
        client.query_one("select pg_relation_filepath('memento.chunk_bm25_idx')", &[]).unwrap().get(0);
    cluster.stop("fast");
    let file = cluster.directory().join(file);
    std::fs::write(&file, vec![0x5a; std::fs::metadata(&file).unwrap().len() as usize]).unwrap();
    cluster.boot();
    let mut client = cluster.connect(&database);
    for _ in 0..2 {
        let found = search(&mut client, "storage cats", 5);
        assert_eq!(found.len(), 5);
        assert!(found.iter().all(|hit| hit.2 == "full-text search"), "{found:?}");
    }
    client.batch_execute("select memento.enable_bm25(rebuild => true)").unwrap();
    assert!(search(&mut client, "storage", 1)[0].2.starts_with("pg_textsearch"));
}

#[test]
fn without_an_engine_or_the_right_there_is_nothing_to_enable() {
    let cluster = Cluster::start();
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    assert_failure(client.query("select memento.enable_bm25()", &[]), "55000", "BM25_ENGINE_MISSING");
    let said: String = client.query_one("select memento.disable_bm25()", &[]).unwrap().get(0);
    assert!(said.contains("no index"), "{said}");
    cluster.connect_as("somebody", &database);
    client
        .batch_execute(
            "grant usage on schema memento to somebody;
             grant execute on function memento.enable_bm25(boolean), memento.disable_bm25() to somebody",
        )
        .unwrap();
    let mut somebody = cluster.connect_as("somebody", &database);
    assert_failure(somebody.query("select memento.enable_bm25()", &[]), "42501", "FORBIDDEN");
    assert_failure(somebody.query("select memento.disable_bm25()", &[]), "42501", "FORBIDDEN");
}

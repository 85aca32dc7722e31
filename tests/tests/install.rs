//! Installing the extension, also where it is not welcome.

use memento_tests::failure::{assert_failure, failure};
use memento_tests::{Cluster, Server, Settings};

const INSTALL: &str = "create extension pg_memento cascade";

#[test]
fn three_lines_are_enough() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.empty_database());
    client.batch_execute(INSTALL).unwrap();
    client
        .execute(
            "select memento.remember('Decision: we will use Postgres for event storage starting Monday.')",
            &[],
        )
        .unwrap();
    let found =
        client.query("select excerpt from memento.recall('what did we decide about storage?')", &[]).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(
        found[0].get::<_, &str>(0),
        "Decision: we will use Postgres for event storage starting Monday."
    );
}

#[test]
fn installing_twice_is_refused_and_changes_nothing() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    client.execute("select memento.remember('kept')", &[]).unwrap();
    assert_eq!(failure(client.batch_execute(INSTALL)).code().code(), "42710");
    client.batch_execute("create extension if not exists pg_memento cascade").unwrap();
    let items: i64 = client.query_one("select count(*) from memento.item", &[]).unwrap().get(0);
    assert_eq!(items, 1);
}

#[test]
fn without_cascade_the_missing_requirement_is_named() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.empty_database());
    let error = failure(client.batch_execute("create extension pg_memento"));
    assert_eq!(error.message(), "required extension \"vector\" is not installed");
    assert!(error.hint().is_some_and(|hint| hint.contains("CASCADE")), "{error:?}");
}

#[test]
fn a_server_without_pgvector_says_so() {
    let Some(server) = Server::from_environment().private_copy("without-pgvector") else {
        eprintln!("skipped: the server of PG_CONFIG cannot be copied");
        return;
    };
    let control = std::path::Path::new(&server.config("--sharedir")).join("extension/vector.control");
    std::fs::remove_file(control).unwrap();
    let copy = server.pg_config.clone();
    {
        let cluster = Cluster::start_with(server, Settings::default());
        let mut client = cluster.connect(&cluster.empty_database());
        let error = failure(client.batch_execute(INSTALL));
        assert!(error.message().contains("\"vector\""), "{error:?}");
        assert_nothing_is_left(&mut client);
        client.batch_execute("select 1").unwrap();
    }
    let root = copy
        .ancestors()
        .find(|path| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("without-pgvector"))
        })
        .unwrap();
    std::fs::remove_dir_all(root).unwrap();
}

#[test]
fn another_encoding_is_refused() {
    let cluster = Cluster::start();
    let mut admin = cluster.connect("postgres");
    for (name, encoding) in [("ascii", "SQL_ASCII"), ("latin", "LATIN1")] {
        admin
            .batch_execute(&format!(
                "create database {name} template template0 encoding '{encoding}' lc_collate 'C' lc_ctype 'C'"
            ))
            .unwrap();
        let mut client = cluster.connect(name);
        let error = assert_failure(client.batch_execute(INSTALL), "0A000", "ENCODING_NOT_SUPPORTED");
        assert!(error.message().contains(encoding), "{error:?}");
        assert!(error.hint().is_some_and(|hint| hint.contains("template0")), "{error:?}");
        assert_nothing_is_left(&mut client);
    }
}

#[test]
fn only_a_superuser_can_install() {
    let cluster = Cluster::start();
    let database = cluster.empty_database();
    cluster.connect_as("ordinary", &database);
    cluster
        .connect("postgres")
        .batch_execute(&format!("grant all on database {database} to ordinary"))
        .unwrap();
    let mut client = cluster.connect_as("ordinary", &database);
    let error = failure(client.batch_execute(INSTALL));
    assert_eq!(error.code().code(), "42501", "{error:?}");
    assert_nothing_is_left(&mut client);
}

#[test]
fn a_schema_prepared_by_somebody_else_is_refused() {
    let cluster = Cluster::start();
    let database = cluster.empty_database();
    cluster.connect_as("planter", &database);
    let mut admin = cluster.connect(&database);
    admin.batch_execute("create schema memento authorization planter").unwrap();
    assert_failure(admin.batch_execute(INSTALL), "42501", "SCHEMA_NOT_TRUSTED");

    admin.batch_execute("alter schema memento owner to postgres; create table memento.item (x int)").unwrap();
    let error = assert_failure(admin.batch_execute(INSTALL), "55000", "SCHEMA_NOT_EMPTY");
    assert!(error.message().ends_with("table item"), "{error:?}");

    admin.batch_execute("drop table memento.item").unwrap();
    admin.batch_execute(INSTALL).unwrap();
}

/// Functions, operators and tables with the names that the extension uses, in a schema that is searched first, must
/// not be called by anyone who installs or uses it.
#[test]
fn objects_planted_in_the_search_path_are_not_used() {
    let cluster = Cluster::start();
    let database = cluster.empty_database();
    let mut admin = cluster.connect(&database);
    admin.batch_execute(PLANTED).unwrap();
    admin.batch_execute("set search_path = public, pg_catalog").unwrap();
    admin.batch_execute(INSTALL).unwrap();
    admin.batch_execute("select memento.remember('identifiers are never lost', tags => array['a'], source_system => 's', source_id => '1')").unwrap();
    admin
        .batch_execute(
            "select memento.remember('identifiers are never lost', source_system => 's', source_id => '1')",
        )
        .unwrap();
    let found = admin
        .query("select 1 from memento.search('identifiers', filters => '{\"tags_any\": [\"a\"]}')", &[])
        .unwrap();
    assert_eq!(found.len(), 1);
    admin
        .batch_execute(
            "create role victim_member; select memento.grant_access('victim_member', 'default', 'admin')",
        )
        .unwrap();
    admin.batch_execute("select memento.create_project('p'); select memento.use_project('p'); select count(*) from memento.doctor()").unwrap();
    admin
        .batch_execute("set role victim_member; select pg_catalog.count(*) from memento.item; reset role")
        .unwrap();
    admin.batch_execute("select memento.revoke_access('victim_member', 'default')").unwrap();
}

/// Better matches than the server's own for the types we use; each would raise an error if it were called.
const PLANTED: &str = "
create function public.trap() returns boolean language plpgsql as $$ begin raise exception 'a planted object was called'; end $$;
create function public.trap2(a name, b text) returns boolean language sql as $$ select public.trap() $$;
create function public.trap3(a text, b text) returns boolean language sql as $$ select public.trap() $$;
create function public.trap4(a uuid, b uuid) returns boolean language sql as $$ select public.trap() $$;
create function public.trap5(a bytea, b bytea) returns boolean language sql as $$ select public.trap() $$;
create function public.trap6(a name, b name) returns boolean language sql as $$ select public.trap() $$;
create operator public.= (leftarg = name, rightarg = text, function = public.trap2);
create operator public.<> (leftarg = name, rightarg = text, function = public.trap2);
create operator public.!~ (leftarg = name, rightarg = text, function = public.trap2);
create operator public.= (leftarg = text, rightarg = text, function = public.trap3);
create operator public.~ (leftarg = text, rightarg = text, function = public.trap3);
create operator public.= (leftarg = uuid, rightarg = uuid, function = public.trap4);
create operator public.= (leftarg = bytea, rightarg = bytea, function = public.trap5);
create operator public.= (leftarg = name, rightarg = name, function = public.trap6);
create function public.getdatabaseencoding() returns name language sql as $$ select 'x'::name from public.trap() $$;
create function public.gen_random_uuid() returns uuid language sql as $$ select null::uuid from public.trap() $$;
create function public.sha256(text) returns bytea language sql as $$ select null::bytea from public.trap() $$;
create function public.to_tsvector(regconfig, varchar) returns tsvector language sql as $$ select null::tsvector from public.trap() $$;
create function public.readable_projects() returns setof uuid language sql as $$ select null::uuid from public.trap() $$;
create function public.search(text, int, jsonb, timestamptz) returns int language sql as $$ select 1 from public.trap() $$;
create function public.format(text, name) returns text language sql as $$ select 'x' from public.trap() $$;
create function public.format(text, text, name) returns text language sql as $$ select 'x' from public.trap() $$;
create table public.item (x int);
create table public.project_member (x int);
create type public.access_level as enum ('none');
";

#[test]
fn it_works_without_preload() {
    let cluster =
        Cluster::start_with(Server::from_environment(), Settings { preload: false, ..Settings::default() });
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    client.execute("select memento.remember('no preload needed')", &[]).unwrap();
    assert_eq!(client.query("select from memento.recall('preload')", &[]).unwrap().len(), 1);
    let row = client
        .query_one("select status, hint from memento.doctor() where check_name = 'preload'", &[])
        .unwrap();
    assert_eq!(row.get::<_, &str>(0), "warn");
    assert!(row.get::<_, &str>(1).contains("shared_preload_libraries"));
}

#[test]
fn two_databases_have_nothing_to_do_with_each_other() {
    let cluster = Cluster::start();
    let (one, two) = (cluster.database(), cluster.database());
    cluster.connect(&one).execute("select memento.remember('only in one')", &[]).unwrap();
    assert!(cluster.connect(&two).query("select from memento.recall('only')", &[]).unwrap().is_empty());
    // The library is preloaded; it must not keep a database from being dropped.
    cluster.connect("postgres").batch_execute(&format!("drop database {one}")).unwrap();
    cluster.connect(&two).execute("select memento.remember('still here')", &[]).unwrap();
}

#[test]
fn a_crash_in_the_middle_leaves_nothing_behind() {
    let cluster = Cluster::start();
    let database = cluster.empty_database();
    let mut client = cluster.connect(&database);
    client.batch_execute("begin").unwrap();
    client.batch_execute(INSTALL).unwrap();
    client.batch_execute("select memento.remember('never committed'); checkpoint").unwrap();
    cluster.stop("immediate");
    cluster.boot();
    let mut client = cluster.connect(&database);
    assert_nothing_is_left(&mut client);
    client.batch_execute(INSTALL).unwrap();
    let items: i64 = client.query_one("select count(*) from memento.item", &[]).unwrap().get(0);
    assert_eq!(items, 0);
}

#[test]
fn a_mistyped_setting_is_an_error() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    client.batch_execute("select memento.version()").unwrap();
    let error = failure(client.batch_execute("set memento.projekt = 'x'"));
    assert_eq!(error.code().code(), "42602", "{error:?}");
}

fn assert_nothing_is_left(client: &mut postgres::Client) {
    let left: i64 = client
        .query_one(
            "select (select count(*) from pg_namespace where nspname = 'memento')
                  + (select count(*) from pg_extension where extname = 'pg_memento')
                  + (select count(*) from pg_event_trigger)",
            &[],
        )
        .unwrap()
        .get(0);
    assert_eq!(left, 0, "something of the extension is left");
}

//! Indexes that take long are built beside the queue, and are in nobody's way.

use memento_tests::external::ExternalWorker;
use memento_tests::{Cluster, eventually};
use postgres::Client;

use super::scene::{Endpoint, cluster, remember, states};

/// Above this many vectors an index is built concurrently: it waits for transactions that are older than itself.
const MANY: i32 = 10_010;

const BUILDER: &str = "select pid from pg_stat_activity where backend_type = 'pg_memento index builder' and datname = current_database()";

/// Vectors that nobody has asked a model for, and no index.
fn fill(client: &mut Client) {
    remember(client, "first", 1);
    eventually("it has a vector and an index", || {
        let open = client.query_one("select count(*) from memento.job where claimable_at is not null", &[]);
        (open.unwrap().get::<_, i64>(0) == 0 && index_state(client) == "ready").then_some(())
    });
    client
        .batch_execute(&format!(
            "insert into memento.chunk (project_id, version_id, ordinal, start_char, end_char, token_count, block_kind, chunk_text,
                                        tech_tokens, rules_version, terms_version)
             select c.project_id, c.version_id, n, 0, 1, 1, c.block_kind, 'text ' || n, '{{}}', c.rules_version, c.terms_version
               from memento.chunk c cross join generate_series(1, {MANY}) n;
             insert into memento.chunk_embedding (project_id, chunk_id, profile_id, embedding)
             select c.project_id, c.chunk_id, e.profile_id, e.embedding
               from memento.chunk c cross join (select * from memento.chunk_embedding limit 1) e
                 on conflict do nothing;
             do $$ begin
               execute (select format('drop index memento.%I', memento._index_name(profile_id)) from memento.embedding_profile where name = 'double');
             end $$"
        ))
        .unwrap();
}

fn ask_for_index(client: &mut Client) {
    client
        .batch_execute(
            "select memento._enqueue_index(profile_id) from memento.embedding_profile where name = 'double'",
        )
        .unwrap();
}

fn builder(client: &mut Client) -> Option<i32> {
    client.query_opt(BUILDER, &[]).unwrap().map(|row| row.get(0))
}

fn index_state(client: &mut Client) -> String {
    client
        .query_one(
            "select memento._index_state(profile_id) from memento.embedding_profile where name = 'double'",
            &[],
        )
        .unwrap()
        .get(0)
}

fn index_job(client: &mut Client) -> (String, i32, i32) {
    let row = client
        .query_one(
            "select state, attempt, failures::int from memento.job where kind = 'build_index' order by created_at desc limit 1",
            &[],
        )
        .unwrap();
    (row.get(0), row.get(1), row.get(2))
}

/// A cluster whose worker builds an index that waits for a transaction which `holder` has open.
fn building(cluster: &Cluster, endpoint: &Endpoint, holder: &mut Client) -> Client {
    let mut client = cluster.connect(&cluster.database());
    endpoint.activate(&mut client);
    fill(&mut client);
    holder.batch_execute("begin isolation level repeatable read; select 1").unwrap();
    ask_for_index(&mut client);
    eventually("it is being built", || builder(&mut client));
    eventually("it waits for the transaction", || (index_state(&mut client) == "invalid").then_some(()));
    client
}

#[test]
fn a_queue_goes_on_while_an_index_is_built() {
    let cluster = cluster(&["memento.job_lease = '1s'"]);
    let endpoint = Endpoint::start();
    let mut holder = cluster.connect(&cluster.database());
    let mut client = building(&cluster, &endpoint, &mut holder);
    let done = states(&mut client)["done"];
    remember(&mut client, "meanwhile", 5);
    eventually("others are done", || (states(&mut client)["done"] == done + 5).then_some(()));
    let lease = "select lease_until::text from memento.job where kind = 'build_index' and state = 'running'";
    let before: String = client.query_one(lease, &[]).unwrap().get(0);
    eventually("the lease is kept", || {
        let now: String = client.query_one(lease, &[]).unwrap().get(0);
        (now != before).then_some(())
    });
    assert!(builder(&mut client).is_some(), "it still waits");
    holder.batch_execute("rollback").unwrap();
    eventually("the job is done", || (index_job(&mut client) == ("done".into(), 1, 0)).then_some(()));
    assert_eq!(index_state(&mut client), "ready");
    eventually("the process has gone", || builder(&mut client).is_none().then_some(()));
}

#[test]
fn an_index_builder_may_be_terminated() {
    let cluster = cluster(&[]);
    let endpoint = Endpoint::start();
    let mut holder = cluster.connect(&cluster.database());
    let mut client = building(&cluster, &endpoint, &mut holder);
    let pid = builder(&mut client).unwrap();
    client.execute("select pg_terminate_backend($1)", &[&pid]).unwrap();
    eventually("the failure is recorded", || {
        (index_job(&mut client) == ("pending".into(), 1, 1)).then_some(())
    });
    let errors: String = client
        .query_one(
            "select errors::text from memento.job where kind = 'build_index' and state = 'pending'",
            &[],
        )
        .unwrap()
        .get(0);
    assert!(errors.contains("58000"), "{errors}");
    holder.batch_execute("rollback").unwrap();
    client
        .batch_execute("update memento.job set claimable_at = now() where state = 'pending'; select memento._wake_worker()")
        .unwrap();
    eventually("what was left is replaced", || (index_state(&mut client) == "ready").then_some(()));
}

/// The transaction that the index waits for goes on; who drops the extension does not wait for both.
#[test]
fn an_index_builder_makes_way_for_drop_extension() {
    let cluster = cluster(&["memento.job_lease = '1s'"]);
    let endpoint = Endpoint::start();
    let mut holder = cluster.connect(&cluster.database());
    let mut client = building(&cluster, &endpoint, &mut holder);
    client
        .batch_execute("set memento.allow_drop = on; set lock_timeout = '30s'; drop extension pg_memento")
        .unwrap();
    eventually("the process has gone", || builder(&mut client).is_none().then_some(()));
}

#[test]
fn an_index_builder_does_not_block_drop_database() {
    let cluster = cluster(&[]);
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    let endpoint = Endpoint::start();
    endpoint.activate(&mut client);
    fill(&mut client);
    client
        .batch_execute(
            "create function public.slow() returns event_trigger language plpgsql as $$ begin perform pg_catalog.pg_sleep(600); end $$;
             create event trigger slow on ddl_command_start when tag in ('CREATE INDEX') execute function public.slow()",
        )
        .unwrap();
    ask_for_index(&mut client);
    eventually("it is in the middle of it", || {
        client.query_opt(&format!("{BUILDER} and wait_event = 'PgSleep'"), &[]).unwrap()
    });
    drop(client);
    cluster.connect("postgres").batch_execute(&format!("drop database {database}")).unwrap();
}

/// The same over a connection: the loop of a worker elsewhere goes on as well.
#[test]
fn a_worker_elsewhere_builds_beside_its_queue() {
    let cluster = cluster(&["memento.worker = off"]);
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    let endpoint = Endpoint::start();
    endpoint.activate(&mut client);
    let worker = ExternalWorker::start(&cluster, &database, &["--lease", "1"]);
    // Only who owns a table can index it.
    client.batch_execute("grant postgres to queue_worker").unwrap();
    fill(&mut client);
    let mut holder = cluster.connect(&database);
    holder.batch_execute("begin isolation level repeatable read; select 1").unwrap();
    ask_for_index(&mut client);
    eventually("it waits for the transaction", || (index_state(&mut client) == "invalid").then_some(()));
    let done = states(&mut client)["done"];
    remember(&mut client, "meanwhile", 5);
    eventually("others are done", || (states(&mut client)["done"] == done + 5).then_some(()));
    assert_eq!(index_job(&mut client), ("running".into(), 1, 0));
    holder.batch_execute("rollback").unwrap();
    eventually("the job is done", || (index_job(&mut client) == ("done".into(), 1, 0)).then_some(()));
    assert_eq!(index_state(&mut client), "ready");
    worker.stop();
}

/// The table has the vectors of all profiles: a plain CREATE INDEX for a few of one reads it all, and all writers wait.
#[test]
fn the_size_of_the_table_decides_how_an_index_is_built() {
    let cluster = cluster(&[]);
    let mut client = cluster.connect(&cluster.database());
    let endpoint = Endpoint::start();
    endpoint.activate(&mut client);
    client.batch_execute("select memento.embedding_profiles_upsert('words', 'hash', 'words', 8)").unwrap();
    let command = |client: &mut Client| -> String {
        eventually("nothing is being built", || {
            let open =
                client.query_one("select count(*) from memento.job where claimable_at is not null", &[]);
            (open.unwrap().get::<_, i64>(0) == 0).then_some(())
        });
        client
            .batch_execute(
                "do $$ begin
                   execute (select format('drop index if exists memento.%I', memento._index_name(profile_id)) from memento.embedding_profile where name = 'words');
                 end $$",
            )
            .unwrap();
        client
            .query_one(
                "select string_agg(c, '; ') from memento.embedding_profile p, memento._index_commands(p.profile_id, true) c where p.name = 'words'",
                &[],
            )
            .unwrap()
            .get(0)
    };
    let small = command(&mut client);
    assert!(small.starts_with("create index if not exists"), "{small}");
    fill(&mut client);
    let large = command(&mut client);
    assert!(large.starts_with("create index concurrently"), "{large}");
}

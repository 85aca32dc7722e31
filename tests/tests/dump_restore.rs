//! A dump and a restore keep every row, every privilege and every search result.

use memento_tests::cluster::run;
use memento_tests::{Cluster, Server, Settings, catalogue};
use postgres::Client;

const QUERIES: [&str; 6] =
    ["storage", "payments delayed", "PAY-4012", "ünïcode", "version three", "nothing at all"];

/// Nobody works the queue meanwhile: what is compared stays as it is.
fn without_worker() -> Cluster {
    let lines = vec!["memento.worker = off".to_owned()];
    Cluster::start_with(Server::from_environment(), Settings { preload: true, lines })
}

/// Memories with many updates, several projects and members, and a default project that was renamed.
fn fill(cluster: &Cluster, database: &str) {
    let mut client = cluster.connect(database);
    client
        .batch_execute(
            "select memento.embedding_profiles_upsert('words', 'hash', 'words', 8);
             select memento.embedding_profiles_activate('words');
             select memento.remember('embedded before the dump');
             select memento.set_budget(1000000), memento.retrieve('embedded');
             select memento.save_eval_set('own', '[{\"query\": \"embedded\", \"relevant\": [1]}]'); select * from memento.run_eval_set('own');
             select memento.artifact_ingest('doc', 'minutes', E'# Plan\n\nDecision: Bob Müller will use Postgres.\n\nRisk: Two quotes may be “torn”.\n', 'm1',
                                            participants => array['Bob Müller']);
             select memento.chat_profiles_upsert('chat', 'openai', 'm', '{\"base_url\": \"https://api.openai.com\"}');
             select memento.set_extraction_prompt('extract', 'Look for events in: {{document}}');",
        )
        .unwrap();
    // By itself: it commits.
    client.batch_execute("call memento.drain()").unwrap();
    client
        .batch_execute(
            "select memento.save_eval_set('own', (select jsonb_agg(jsonb_build_object('query', 'embedded', 'relevant', jsonb_build_array(item_id))) from memento.item));
             select count(*) from memento.run_eval_set('own')",
        )
        .unwrap();
    client
        .batch_execute(
            "select memento.pause_queue('embed');
             update memento.workspace set name = 'renamed workspace' where name = 'default';
             update memento.project set name = 'renamed' where name = 'default';
             select memento.create_project('second', 'elsewhere');
             select memento.add_domain_terms(array['blue harbour']), memento.remove_domain_terms(array['vs']);
             create role dump_reader; create role dump_writer;
             select memento.grant_access('dump_reader', 'second', 'read');
             select memento.grant_access('dump_writer', 'renamed', 'write');",
        )
        .unwrap();
    for file in ["design-note.md", "runbook.md", "incident.md", "meeting-notes.md"] {
        let content = std::fs::read_to_string(memento_tests::checkout().join("samples").join(file)).unwrap();
        for version in ["one", "two", "three"] {
            client
                .execute(
                    "select memento.remember($1 || ' version ' || $2, title => $3, source_system => 's', source_id => $3)",
                    &[&content, &version, &file],
                )
                .unwrap();
        }
    }
    client
        .batch_execute(
            r#"select memento.use_project('second');
               select memento.memory_link((memento.remember('a') ->> 'item_id')::uuid, (memento.remember('b') ->> 'item_id')::uuid, 'r');
               select memento.memory_commit('[{"content": "with a key"}]', 'key', (memento.sessions_start('s') ->> 'session_id')::uuid);
               -- A chain that was moved, and so stands in the table with its children first.
               insert into memento.event_store (project_id, event_id, parent_uuid, event_type)
               select memento.current_project(), md5(n::text)::uuid, md5((nullif(n, 1) - 1)::text)::uuid, 'step' from generate_series(1, 20) n;
               update memento.event_store set parent_uuid = (memento.emit_event('new root', '{"n": 1e400}')).event_id where depth = 7;
               update memento.event_store set event_data = '{"again": true}' where depth < 3;
               -- Its event must not be recorded once more by the restore.
               set memento.record_events = on; select memento.remember('with a job that is recorded'); reset memento.record_events;
               select memento.artifact_ingest('doc', 'wiki', content, source_id => 'page', participants => array['Ana', 'Tom'], retention_policy => '1y')
                 from unnest(array['first', 'second', 'first']) content;
               select memento.history_append('chat', 'user', 'hello');
               select memento.set_rate_limit('recall', 1000000);
               select memento.save_eval_set('own', '[{"query": "hello", "relevant": [1]}]');
               select memento.run_eval_set('own');
               select memento.forget((memento.remember('not for long') ->> 'item_id')::uuid);
               select memento.remember(E'ünïcode \t \\ \x01 "quotes" ''single'' \n\n 日本語 👩‍👩‍👧', tags => array['a,b', '{"c"}', 'd e'],
                                       metadata => '{"big": 123456789012345678901234567890.5, "nested": [null, {}]}');
            "#,
        )
        .unwrap();
}

/// Every row of every data table, and every search result in every project.
fn contents(client: &mut Client) -> Vec<String> {
    let mut lines = Vec::new();
    for table in catalogue::data_tables(client) {
        // Jobs that the worker asks for itself are not dumped.
        let dumped = if table == "job" { "where job_id > 0" } else { "" };
        let rows =
            client.query(&format!("select t::text from memento.{table} t {dumped} order by 1"), &[]).unwrap();
        assert!(!rows.is_empty(), "{table} is empty: the test would not see a loss");
        lines.extend(rows.iter().map(|row| format!("{table} {}", row.get::<_, &str>(0))));
    }
    let projects = client.query("select project_id::text from memento.project order by 1", &[]).unwrap();
    for project in &projects {
        client.execute("select memento.use_project($1)", &[&project.get::<_, &str>(0)]).unwrap();
        for query in QUERIES {
            let rows = client.query("select s::text from memento.search($1) s", &[&query]).unwrap();
            lines.extend(rows.iter().map(|row| format!("{query}: {}", row.get::<_, &str>(0))));
        }
    }
    lines
}

fn privileges(client: &mut Client) -> Vec<String> {
    client
        .query(
            "select c.oid::regclass::text || ' ' || a.grantee::regrole || ' ' || a.privilege_type
               from pg_class c, aclexplode(c.relacl) a where c.relnamespace = 'memento'::regnamespace and a.grantee <> c.relowner
             union all
             select p.oid::regprocedure::text || ' ' || a.grantee::regrole || ' ' || a.privilege_type
               from pg_proc p, aclexplode(p.proacl) a where p.pronamespace = 'memento'::regnamespace and a.grantee <> p.proowner
             union all
             select 'schema ' || a.grantee::regrole || ' ' || a.privilege_type
               from pg_namespace n, aclexplode(n.nspacl) a where n.nspname = 'memento' and a.grantee <> n.nspowner
             order by 1",
            &[],
        )
        .unwrap()
        .iter()
        .map(|row| row.get(0))
        .collect()
}

#[test]
fn everything_comes_back_in_plain_and_custom_format() {
    let cluster = without_worker();
    let source = cluster.database();
    fill(&cluster, &source);
    let mut original = cluster.connect(&source);
    let (rows, grants, objects) =
        (contents(&mut original), privileges(&mut original), catalogue::listing(&mut original));
    assert!(rows.iter().any(|line| line.starts_with("ünïcode: ")), "the searches find something");
    assert!(grants.iter().any(|line| line.contains("dump_writer")));

    for format in ["plain", "custom"] {
        let file = cluster.server.scratch.join(format!("dump-{}.{format}", std::process::id()));
        run(cluster.client("pg_dump").args(["--format", format, "--file"]).arg(&file).arg(&source));
        let target = cluster.empty_database();
        if format == "plain" {
            run(cluster
                .client("psql")
                .args(["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", &target, "-f"])
                .arg(&file));
        } else {
            run(cluster.client("pg_restore").args(["--exit-on-error", "--dbname", &target]).arg(&file));
        }
        std::fs::remove_file(&file).unwrap();

        let mut restored = cluster.connect(&target);
        assert_eq!(catalogue::difference(&rows, &contents(&mut restored)), Vec::<String>::new(), "{format}");
        assert_eq!(privileges(&mut restored), grants, "{format}");
        // Indexes of vectors are not dumped; the worker makes them anew.
        restored.batch_execute("call memento.drain()").unwrap();
        assert_eq!(
            catalogue::difference(&objects, &catalogue::listing(&mut restored)),
            Vec::<String>::new(),
            "{format}"
        );
        goes_on(&mut restored);
        // A second generation: what was restored can be dumped again.
        run(cluster.client("pg_dump").args(["--format=plain", "--file=/dev/null"]).arg(&target));
    }
}

/// Keys go on where they were, versions too.
fn goes_on(client: &mut Client) {
    let before: i64 = client.query_one("select max(chunk_id) from memento.chunk", &[]).unwrap().get(0);
    client.batch_execute("select memento.use_project('renamed workspace/renamed')").unwrap();
    let version: i32 = client
        .query_one("select (memento.remember('new text', source_system => 's', source_id => 'runbook.md') -> 'version_num')::int", &[])
        .unwrap()
        .get(0);
    assert_eq!(version, 4);
    let after: i64 = client.query_one("select max(chunk_id) from memento.chunk", &[]).unwrap().get(0);
    assert!(after > before, "the sequence was restored");
    let number = "select max(sequence_num) from memento.event_store";
    let before: i64 = client.query_one(number, &[]).unwrap().get(0);
    client.batch_execute("select memento.emit_event('after the restore')").unwrap();
    let after: i64 = client.query_one(number, &[]).unwrap().get(0);
    assert!(after > before, "the sequence of events was restored");
    let latest: i64 = client
        .query_one("select max(n) from (select count(*) filter (where is_latest) n from memento.version group by item_id) x", &[])
        .unwrap()
        .get(0);
    assert_eq!(latest, 1);
}

/// `pg_restore --clean` drops the extension first; that is refused unless asked for.
#[test]
fn a_clean_restore_over_memories_needs_the_setting() {
    let cluster = without_worker();
    let database = cluster.database();
    fill(&cluster, &database);
    let file = cluster.server.scratch.join(format!("clean-{}.dump", std::process::id()));
    run(cluster.client("pg_dump").args(["--format=custom", "--file"]).arg(&file).arg(&database));
    let rows = contents(&mut cluster.connect(&database));
    let clean = || {
        let mut command = cluster.client("pg_restore");
        command
            .args([
                "--clean",
                "--if-exists",
                "--exit-on-error",
                "--single-transaction",
                "--dbname",
                &database,
            ])
            .arg(&file);
        command
    };
    let refused = clean().output().unwrap();
    assert!(!refused.status.success());
    assert!(String::from_utf8_lossy(&refused.stderr).contains("set memento.allow_drop = on"));
    run(clean().env("PGOPTIONS", "-c memento.allow_drop=on"));
    std::fs::remove_file(&file).unwrap();
    assert_eq!(contents(&mut cluster.connect(&database)), rows);
}

/// pg_restore --jobs does not keep the order of an extension's tables, which their foreign keys need. docs/backup.md
/// gives this recipe: everything else in parallel, then the memories.
#[test]
fn a_parallel_restore_works_in_two_steps() {
    let cluster = without_worker();
    let source = cluster.database();
    fill(&cluster, &source);
    let file = cluster.server.scratch.join(format!("parallel-{}.dump", std::process::id()));
    run(cluster.client("pg_dump").args(["--format=custom", "--file"]).arg(&file).arg(&source));
    let list = run(cluster.client("pg_restore").arg("--list").arg(&file));
    let is_memory = |line: &&str| line.contains("TABLE DATA memento ");
    let target = cluster.empty_database();
    for (lines, jobs) in [
        (list.lines().filter(|line| !is_memory(line)).collect::<Vec<_>>(), "2"),
        (list.lines().filter(is_memory).collect::<Vec<_>>(), "1"),
    ] {
        let part = file.with_extension("list");
        std::fs::write(&part, lines.join("\n")).unwrap();
        run(cluster
            .client("pg_restore")
            .args(["--exit-on-error", "--jobs", jobs, "--dbname", &target, "--use-list"])
            .arg(&part)
            .arg(&file));
        std::fs::remove_file(&part).unwrap();
    }
    std::fs::remove_file(&file).unwrap();
    assert_eq!(contents(&mut cluster.connect(&target)), contents(&mut cluster.connect(&source)));
}

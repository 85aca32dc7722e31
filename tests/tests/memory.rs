//! Remembering and searching: together, at the same time, and with input of every kind.

use std::sync::Barrier;

use memento_tests::Cluster;
use memento_tests::failure::{assert_failure, failure};

#[test]
fn writers_of_one_source_take_turns() {
    const WRITERS: usize = 8;
    const ROUNDS: usize = 10;
    let cluster = Cluster::start();
    let database = cluster.database();
    let barrier = Barrier::new(WRITERS);
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (cluster, database, barrier) = (&cluster, &database, &barrier);
            scope.spawn(move || {
                let mut client = cluster.connect(database);
                for round in 0..ROUNDS {
                    barrier.wait();
                    let content = format!("round {round} of writer {writer}");
                    client
                        .execute(
                            "select memento.remember($1, source_system => 's', source_id => 'one')",
                            &[&content],
                        )
                        .unwrap();
                }
            });
        }
    });
    let row = cluster
        .connect(&database)
        .query_one(
            "select count(distinct item_id), count(*), max(version_num), count(*) filter (where is_latest),
                    max(version_num) filter (where is_latest)
               from memento.version",
            &[],
        )
        .unwrap();
    let versions = (WRITERS * ROUNDS) as i64;
    assert_eq!((row.get(0), row.get(1), row.get(2)), (1_i64, versions, versions as i32), "gapless");
    assert_eq!((row.get(3), row.get(4)), (1_i64, versions as i32), "exactly one latest, the last");
}

/// Whatever function writes the next version of an item: numbers have no gaps, and one version is the latest.
#[test]
fn restoring_and_remembering_take_turns() {
    const ROUNDS: usize = 15;
    let cluster = Cluster::start();
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    let item: String = client
        .query_one(
            "select memento.remember('the beginning', source_system => 's', source_id => 'one') ->> 'item_id'",
            &[],
        )
        .unwrap()
        .get(0);
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let (cluster, database, item) = (&cluster, &database, &item);
            scope.spawn(move || {
                let mut client = cluster.connect(database);
                for round in 0..ROUNDS {
                    if writer % 2 == 0 {
                        let content = format!("round {round} of writer {writer}");
                        client
                            .execute(
                                "select memento.remember($1, source_system => 's', source_id => 'one')",
                                &[&content],
                            )
                            .unwrap();
                    } else {
                        client.execute("select memento.memory_restore($1::text::uuid, 1)", &[item]).unwrap();
                    }
                }
            });
        }
    });
    let row = client
        .query_one(
            "select count(*), max(version_num)::bigint, count(*) filter (where is_latest),
                    max(version_num) filter (where is_latest)::bigint
               from memento.version",
            &[],
        )
        .unwrap();
    let (versions, last): (i64, i64) = (row.get(0), row.get(1));
    assert!(versions > 2 * ROUNDS as i64);
    assert_eq!((last, row.get(2), row.get(3)), (versions, 1_i64, versions), "gapless, one latest");
}

#[test]
fn the_same_project_is_made_once() {
    let cluster = Cluster::start();
    let database = cluster.database();
    let barrier = Barrier::new(8);
    let made: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    let mut client = cluster.connect(&database);
                    barrier.wait();
                    match client.execute("select memento.create_project('p', 'new workspace')", &[]) {
                        Ok(_) => 1,
                        Err(error) => {
                            assert_eq!(error.code().unwrap().code(), "23505");
                            0
                        }
                    }
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(made, 1);
}

/// Texts that have broken other programs.
const HOSTILE: [&str; 16] = [
    "'; drop extension pg_memento; --",
    "$1 %s %I {0} \\x \\",
    "a | b & !c <-> (d",
    "<script>alert(1)</script>",
    "\u{202e}right to left\u{202c} مرحبا שלום",
    "👩‍👩‍👧‍👦🇩🇪e\u{301}\u{301}\u{301}",
    "\u{feff}bom",
    "\u{1}\u{7f}\u{85}\u{2028}\u{fffd}",
    "ﬁ ß ı İ ſ",
    "()[]{}<>«»",
    "the of and to a in",
    "𝓾𝓷𝓲𝓬𝓸𝓭𝓮",
    "\u{10ffff}",
    "\"quoted\" 'single' `back`",
    "-- comment /* unclosed",
    "CON PRN AUX NUL ../../etc/passwd",
];

#[test]
fn any_text_can_be_remembered_and_searched_for() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    for text in HOSTILE {
        client
            .execute("select memento.remember($1, title => $1, kind => $1, tags => array[$1], source_system => $1, source_id => $1)", &[&text])
            .unwrap();
        client.query("select from memento.search($1)", &[&text]).unwrap();
        let filter = serde_json::json!({"kinds": [text], "tags_any": [text], "tags_all": [text]}).to_string();
        client
            .query("select from memento.search($1, filters => $2::text::jsonb)", &[&text, &filter])
            .unwrap();
    }
    let inexact: i64 = client
        .query_one(
            "select count(*) from memento.chunk c join memento.version v using (project_id, version_id)
              where substr(v.content, c.start_char + 1, c.end_char - c.start_char) <> c.chunk_text",
            &[],
        )
        .unwrap()
        .get(0);
    assert_eq!(inexact, 0);
    let stored: i64 = client
        .query_one("select count(*) from memento.version where content = any ($1)", &[&HOSTILE.to_vec()])
        .unwrap()
        .get(0);
    assert_eq!(stored, HOSTILE.len() as i64);
}

#[test]
fn metadata_comes_back_as_it_was() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    let deep = format!("{{\"a\": {}{}}}", "[".repeat(3000), "]".repeat(3000));
    for metadata in [
        r#"{"n": 123456789012345678901234567890.123456789, "e": 1e400, "k": {"\u00e4": null}}"#,
        deep.as_str(),
    ] {
        client.execute("select memento.remember('x', metadata => $1::text::jsonb)", &[&metadata]).unwrap();
        let same: bool = client
            .query_one("select bool_or(metadata = $1::text::jsonb) from memento.item", &[&metadata])
            .unwrap()
            .get(0);
        assert!(same);
        client
            .execute(
                "select memento.memory_commit(jsonb_build_array(jsonb_build_object('content', 'c', 'title', 'c', 'metadata', $1::text::jsonb)))",
                &[&metadata],
            )
            .unwrap();
        let same: bool = client
            .query_one(
                "select bool_or(metadata = $1::text::jsonb) from memento.item where title = 'c'",
                &[&metadata],
            )
            .unwrap()
            .get(0);
        assert!(same, "by a commit too");
    }
}

#[test]
fn bad_arguments_are_refused_with_code_and_hint() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    for statement in [
        "select memento.remember(null)",
        "select memento.remember('')",
        "select memento.remember(E' \\n\\t')",
        "select memento.remember('x', title => ' ')",
        "select memento.remember('x', kind => '')",
        "select memento.remember('x', tags => array['a', null])",
        "select memento.remember('x', tags => array[''])",
        "select memento.remember('x', source_system => 's')",
        "select memento.remember('x', source_id => '1')",
        "select memento.remember('x', source_system => '', source_id => '')",
        "select memento.remember('x', metadata => '[]')",
        "select memento.remember('x', metadata => '1')",
        "select memento.search('x', 0)",
        "select memento.search('x', -1)",
        "select memento.search('x', 1000000)",
        "select memento.search('x', 1, '[]')",
        "select memento.search('x', 1, '{\"kind\": [\"a\"]}')",
        "select memento.search('x', 1, '{\"kinds\": \"a\"}')",
        "select memento.search('x', 1, '{\"kinds\": [1]}')",
        "select memento.search('x', 1, ('{\"kinds\": ' || repeat('[', 5000) || repeat(']', 5000) || '}')::jsonb)",
        "select memento.use_project('')",
        "select memento.use_project('a/b/c')",
        "select memento.use_project(repeat('x', 1000000))",
        "select memento.create_project('a/b')",
        "select memento.create_project('00000000-0000-0000-0000-00000000000a')",
        "select memento.create_project(E'a\\nb')",
        "select memento.grant_access('postgres', 'default', 'owner')",
    ] {
        let error = assert_failure(client.batch_execute(statement), "22023", "VALIDATION_ERROR");
        assert!(error.hint().is_some(), "{statement}: {error:?}");
        assert!(error.message().len() < 300, "{statement}: a message is not the place for a megabyte");
    }
    for statement in [
        "select memento.use_project(null)",
        "select memento.create_project(null)",
        "select memento.grant_access(null, 'default', 'read')",
        "select memento.grant_access('postgres', null, 'read')",
        "select memento.grant_access('postgres', 'default', null)",
        "select memento.revoke_access(null, 'default')",
    ] {
        assert_failure(client.batch_execute(statement), "22023", "VALIDATION_ERROR");
    }
    assert_failure(
        client.batch_execute("select memento.use_project('nowhere')"),
        "P0002",
        "PROJECT_NOT_FOUND",
    );
    assert_failure(
        client.batch_execute("set memento.project = 'nowhere'; select memento.remember('x')"),
        "P0002",
        "PROJECT_NOT_FOUND",
    );
    client.batch_execute("reset memento.project").unwrap();
    assert_failure(
        client.batch_execute("select memento.grant_access('nobody there', 'default', 'read')"),
        "P0002",
        "ROLE_NOT_FOUND",
    );
    assert_failure(
        client.batch_execute("select memento.create_project('default')"),
        "23505",
        "PROJECT_EXISTS",
    );
    client
        .batch_execute(
            "select memento.create_project('twice', 'a'); select memento.create_project('twice', 'b')",
        )
        .unwrap();
    assert_failure(client.batch_execute("select memento.use_project('twice')"), "22023", "VALIDATION_ERROR");
    let items: i64 = client.query_one("select count(*) from memento.item", &[]).unwrap().get(0);
    assert_eq!(items, 0, "nothing was written");
}

#[test]
fn null_and_empty_queries_find_nothing() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    client.batch_execute("select memento.remember('something')").unwrap();
    for query in ["null", "''", "' '", "'the of and'", "'!!! ???'"] {
        assert!(
            client.query(&format!("select from memento.search({query})"), &[]).unwrap().is_empty(),
            "{query}"
        );
    }
    // null for the others: their defaults
    assert_eq!(
        client.query("select from memento.search('something', null, null, null)", &[]).unwrap().len(),
        1
    );
}

#[test]
fn content_has_a_limit_and_long_work_can_be_stopped() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    let error = assert_failure(
        client.batch_execute("select memento.remember(repeat('word ', 20 * 1024 * 1024))"),
        "54000",
        "CONTENT_TOO_LARGE",
    );
    assert!(error.hint().is_some_and(|hint| hint.contains("memento.max_content_size")));
    client.batch_execute("set memento.max_inline_size = '32MB'; set statement_timeout = '100ms'").unwrap();
    let error = failure(
        client.batch_execute("select memento.remember(repeat('some words of a book. ', 1024 * 1024))"),
    );
    assert_eq!(error.code().code(), "57014", "{error:?}");
    client.batch_execute("reset statement_timeout").unwrap();
    let items: i64 = client.query_one("select count(*) from memento.item", &[]).unwrap().get(0);
    assert_eq!(items, 0, "nothing is half written");
    // One line of 10 MB without a space.
    client.batch_execute("select memento.remember(repeat('x', 10 * 1024 * 1024))").unwrap();
}

#[test]
fn searching_works_where_nothing_can_be_written() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    client
        .batch_execute("select memento.remember('readable'); set default_transaction_read_only = on")
        .unwrap();
    assert_eq!(client.query("select from memento.recall('readable')", &[]).unwrap().len(), 1);
    client.batch_execute("select * from memento.doctor(); select memento.capabilities(); select memento.use_project('default')").unwrap();
    assert_eq!(failure(client.batch_execute("select memento.remember('x')")).code().code(), "25006");
}

#[test]
fn as_of_gives_what_was_live_then() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    let mut moments: Vec<std::time::SystemTime> = Vec::new();
    for content in ["the colour is red", "the colour is blue"] {
        client
            .execute("select memento.remember($1, source_system => 's', source_id => '1')", &[&content])
            .unwrap();
        moments.push(client.query_one("select clock_timestamp()", &[]).unwrap().get(0));
    }
    let mut at = |moment: Option<std::time::SystemTime>| -> Vec<String> {
        client
            .query("select excerpt from memento.search('colour', as_of => $1)", &[&moment])
            .unwrap()
            .iter()
            .map(|row| row.get(0))
            .collect()
    };
    assert_eq!(at(None), ["the colour is blue"]);
    assert_eq!(at(Some(moments[0])), ["the colour is red"]);
    assert_eq!(at(Some(moments[1])), ["the colour is blue"]);
    assert!(at(Some(std::time::SystemTime::UNIX_EPOCH)).is_empty());
}

/// Row-level security forbids the GIN index to ordinary roles; the functions must use it all the same.
#[test]
fn a_member_searches_with_the_index() {
    let cluster = Cluster::start();
    let database = cluster.database();
    let mut admin = cluster.connect(&database);
    admin
        .batch_execute(
            "create role searcher; select memento.grant_access('searcher', 'default', 'read');
             select memento.remember('filler number ' || n) from generate_series(1, 3000) n;
             select memento.remember('a needle in it')",
        )
        .unwrap();
    // New entries of a GIN index wait in a list that makes the planner shy of it.
    admin.batch_execute("vacuum analyze memento.chunk").unwrap();
    let mut scans = |statement: &str| -> (i64, i64) {
        admin.batch_execute(statement).unwrap();
        admin.batch_execute("select pg_stat_force_next_flush()").unwrap();
        let row = admin
            .query_one(
                "select (select idx_scan from pg_stat_user_indexes where indexrelname = 'chunk_tsv_idx'),
                        (select seq_scan from pg_stat_user_tables where schemaname = 'memento' and relname = 'chunk')",
                &[],
            )
            .unwrap();
        (row.get(0), row.get(1))
    };
    let (index_before, sequential_before) = scans("select 1");
    let (index_after, sequential_after) =
        scans("set role searcher; select count(*) from memento.recall('needle'); reset role");
    // Once to find them; and before that to know how many there are, while nobody has counted.
    assert!(index_after > index_before);
    assert_eq!(sequential_after, sequential_before);
}

/// A list is counted up to a limit, and says so; its pages go on to the end.
#[test]
fn a_long_list_is_not_counted_to_its_end() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    client
        .batch_execute(
            "insert into memento.commit (project_id, commit_id, created_by, operation)
             values ('00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000001', current_user, 'remember');
             insert into memento.item (project_id, item_id)
             select '00000000-0000-0000-0000-000000000001', md5(n::text)::uuid from generate_series(1, 10001) n;
             insert into memento.version (project_id, item_id, version_num, commit_id, content, content_hash)
             select '00000000-0000-0000-0000-000000000001', md5(n::text)::uuid, 1, '00000000-0000-0000-0000-000000000001', 'x', sha256('x')
               from generate_series(1, 10001) n;
             set default_transaction_read_only = on",
        )
        .unwrap();
    let mut total = |call: &str| -> (i64, bool) {
        let row = client
            .query_one(
                &format!(
                    "select (l ->> 'total')::bigint, (l ->> 'total_is_exact')::boolean from memento.{call} l"
                ),
                &[],
            )
            .unwrap();
        (row.get(0), row.get(1))
    };
    assert_eq!(total("memory_list()"), (10_000, false));
    let one = r#"memory_list(jsonb_build_object('exclude_item_ids', jsonb_build_array(md5('1')::uuid)))"#;
    assert_eq!(total(one), (10_000, true));
    let (mut seen, mut after) = (0, None::<String>);
    loop {
        let row = client
            .query_one(
                "select jsonb_array_length(l -> 'items')::bigint, l ->> 'next_after' from memento.memory_list('{}', 1000, $1) l",
                &[&after],
            )
            .unwrap();
        seen += row.get::<_, i64>(0);
        after = row.get(1);
        if after.is_none() {
            break;
        }
    }
    assert_eq!(seen, 10_001);
}

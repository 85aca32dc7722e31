//! The quality report, secrets outside of contents, and links in circles.

use std::sync::Barrier;

use memento_tests::failure::assert_failure;
use memento_tests::{Cluster, Server, Settings};
use postgres::Client;
use serde_json::{Value, json};

/// A cluster on which nobody does what is left for later, so that it can be looked at.
fn without_workers() -> Cluster {
    Cluster::start_with(Server::from_environment(), Settings { preload: false, lines: Vec::new() })
}

fn value(client: &mut Client, statement: &str) -> Value {
    let text: String = client
        .query_one(&format!("select ({statement})::text"), &[])
        .unwrap_or_else(|e| panic!("{statement}: {e}"))
        .get(0);
    serde_json::from_str(&text).unwrap()
}

fn remember(client: &mut Client, content: &str) -> String {
    client
        .query_one("select memento.remember($1, title => left($1, 20)) ->> 'item_id'", &[&content])
        .unwrap()
        .get(0)
}

/// Put together here, so that no scanner takes this file for a leak.
fn token() -> String {
    ["ghp_", "q7Zk2WmX9bTf4RvLc8NhJ5dGsY3pKe6a1B2c"].concat()
}

#[test]
fn what_nobody_has_recalled_is_found_once_retrievals_leave_a_trace() {
    let cluster = without_workers();
    let mut client = cluster.connect(&cluster.database());
    let [packed, searched, forgotten] =
        ["alpha in a pack", "beta in a search", "gamma nowhere"].map(|text| remember(&mut client, text));
    // Not a trace of ours, and no reason to fail.
    client
        .batch_execute("select memento.emit_event('search', '{\"item_ids\": {\"odd\": [1, null]}}')")
        .unwrap();
    value(&mut client, "memento.retrieve('alpha')");
    client.batch_execute("set memento.record_events = on; select * from memento.search('beta')").unwrap();
    let report = value(&mut client, "memento.memory_audit()");
    let never = &report["problems"]["never_recalled"];
    assert_eq!(
        (&never["count"], &never["findings"][0]["item_id"]),
        (&json!(1), &json!(forgotten)),
        "{report}"
    );
    assert_ne!(packed, searched);
    assert_eq!(report["not_checked"], json!({}));
}

#[test]
fn every_problem_is_found_and_nothing_else() {
    let cluster = without_workers();
    let mut client = cluster.connect(&cluster.database());
    let clean = value(&mut client, "memento.memory_audit()");
    for (problem, found) in clean["problems"].as_object().unwrap() {
        assert_eq!(found, &json!({"count": 0, "findings": []}), "{problem}");
    }
    assert_eq!(clean["all_contents_read"], true);
    let page = (0..200).map(|n| format!("Word{n}")).collect::<Vec<_>>().join(" ");
    let first = remember(&mut client, &page);
    let copy = remember(&mut client, &page);
    let changed = remember(&mut client, &page.replace("Word100", "another"));
    let key = remember(&mut client, &format!("The key is {}.", token()));
    client.batch_execute("set memento.max_inline_size = '10kB'").unwrap();
    let large = remember(&mut client, &"Large, larger, largest. ".repeat(60_000));
    let archived = remember(&mut client, &page);
    value(&mut client, &format!("memento.memory_archive('{archived}')"));
    client.batch_execute("insert into memento.item (project_id, title) values ('00000000-0000-0000-0000-000000000001', 'empty')").unwrap();

    let report = value(&mut client, "memento.memory_audit()");
    let problems = &report["problems"];
    let items = |problem: &str| -> Vec<String> {
        let findings = problems[problem]["findings"].as_array().unwrap();
        findings.iter().map(|finding| finding["item_id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(problems["duplicates"]["findings"][0]["item_ids"], json!([first, copy]));
    assert_eq!(problems["duplicates"]["count"], 1);
    let near = problems["near_duplicates"]["findings"].as_array().unwrap();
    assert_eq!(near.len(), 2, "the changed one with each copy: {near:?}");
    assert!(near.iter().all(|pair| pair["item_ids"].as_array().unwrap().contains(&json!(changed))));
    assert_eq!(items("secrets"), [key]);
    assert_eq!(problems["secrets"]["findings"][0]["secrets"], json!({"github_token": 1}));
    assert!(!report.to_string().contains(&token()));
    assert_eq!((items("oversized"), items("unchunked")), (vec![large.clone()], vec![large]));
    assert_eq!(problems["unchunked"]["findings"][0]["job"], "pending");
    assert_eq!(problems["unembedded"]["count"], 4, "no worker has run");
    assert_eq!(problems["orphaned"]["findings"][0]["title"], "empty");
    assert!(report["not_checked"]["never_recalled"].is_string());
    assert_eq!(problems["never_recalled"]["count"], 0);

    let few = value(&mut client, "memento.memory_audit(max_items => 2, max_findings => 1)");
    assert_eq!((&few["contents_read"], &few["all_contents_read"]), (&json!(2), &json!(false)));
    assert_eq!(few["problems"]["unembedded"]["count"], 4, "counted, not listed");
    assert_eq!(few["problems"]["unembedded"]["findings"].as_array().unwrap().len(), 1);
    for statement in ["select memento.memory_audit(0)", "select memento.memory_audit(1, 0)"] {
        assert_failure(client.batch_execute(statement), "22023", "VALIDATION_ERROR");
    }
}

#[test]
fn secrets_are_looked_for_in_all_that_is_free_text() {
    let cluster = without_workers();
    let mut client = cluster.connect(&cluster.database());
    let token = token();
    let statements = [
        format!("select memento.remember('x', title => 'use {token}')"),
        format!("select memento.remember('x', metadata => '{{\"deep\": [{{\"api_key\": \"{token}\"}}]}}')"),
        format!("select memento.memory_commit('[{{\"content\": \"x\"}}]', message => 'with {token}')"),
        format!("select memento.memory_commit('[{{\"content\": \"x\", \"title\": \"{token}\"}}]')"),
        format!("select memento.sessions_start('{token}')"),
        format!("select memento.sessions_start('x', '{{\"{token}\": 1}}')"),
        format!("select memento.sessions_end((select session_id from memento.session limit 1), '{token}')"),
        format!("select memento.artifact_ingest('doc', 's', 'x', title => '{token}')"),
        format!("select memento.canonical_upsert('k', 'x', title => '{token}')"),
        format!("select memento.history_append('c', 'user', '{token}')"),
        format!(
            "select memento.memory_link(a.item_id, b.item_id, 'r', '{{\"k\": \"{token}\"}}') from memento.item a, memento.item b
              where a.item_id <> b.item_id limit 1"
        ),
    ];
    client
        .batch_execute(
            "select memento.sessions_start(); select memento.remember('a'); select memento.remember('b')",
        )
        .unwrap();
    client.batch_execute("select memento.set_secret_policy('refuse')").unwrap();
    for statement in &statements {
        assert_failure(client.batch_execute(statement), "22023", "SECRET_FOUND");
    }
    client.batch_execute("select memento.set_secret_policy('redact')").unwrap();
    for statement in &statements {
        client.batch_execute(statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
    }
    let tables = client
        .query("select c.oid::regclass::text from pg_class c where c.relnamespace = 'memento'::regnamespace and c.relkind = 'r'", &[])
        .unwrap();
    for table in tables {
        let table: String = table.get(0);
        let query = format!("select count(*) from {table} t where to_jsonb(t)::text like '%' || $1 || '%'");
        let left: i64 = client.query_one(&query, &[&token]).unwrap().get(0);
        assert_eq!(left, 0, "{table}");
    }
    let metadata = value(&mut client, "select metadata from memento.item where metadata ? 'deep'");
    assert_eq!(metadata, json!({"deep": [{"api_key": "[REDACTED:github_token]"}]}));
}

#[test]
fn links_that_order_items_do_not_go_in_circles() {
    let cluster = without_workers();
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    let items: Vec<String> = ["a", "b", "c"].map(|content| remember(&mut client, content)).into();
    let link = |from: usize, to: usize, relation: &str| {
        format!("select memento.memory_link('{}', '{}', '{relation}')", items[from], items[to])
    };
    client.batch_execute(&format!("{}; {}", link(0, 1, "supersedes"), link(1, 2, "supersedes"))).unwrap();
    assert_failure(client.batch_execute(&link(2, 0, "supersedes")), "22023", "CYCLE_DETECTED");
    assert_failure(client.batch_execute(&link(1, 0, "supersedes")), "22023", "CYCLE_DETECTED");
    client.batch_execute(&link(0, 2, "supersedes")).unwrap();
    client.batch_execute(&format!("{}; {}", link(2, 0, "blocked_by"), link(0, 1, "related_to"))).unwrap();
    client.batch_execute(&link(1, 0, "related_to")).unwrap();

    // Three clients, each with one side of a circle, at the same moment.
    let barrier = Barrier::new(3);
    let made: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..3)
            .map(|side| {
                let (barrier, cluster, database, link) = (&barrier, &cluster, &database, &link);
                scope.spawn(move || {
                    let mut client = cluster.connect(database);
                    let statement = link(side, (side + 1) % 3, "depends_on");
                    barrier.wait();
                    match client.batch_execute(&statement) {
                        Ok(()) => 1,
                        result => {
                            assert_failure(result, "22023", "CYCLE_DETECTED");
                            0
                        }
                    }
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(made, 2);
}

//! Conversations and projects of clients.

use std::sync::Barrier;

use memento_tests::Cluster;
use memento_tests::failure::assert_failure;
use postgres::Client;
use serde_json::{Value, json};

fn value(client: &mut Client, statement: &str) -> Value {
    let text: String = client
        .query_one(&format!("select ({statement})::text"), &[])
        .unwrap_or_else(|e| panic!("{statement}: {e}"))
        .get(0);
    serde_json::from_str(&text).unwrap()
}

#[test]
fn turns_are_added_once_and_read_page_by_page() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    for turn in 0..5 {
        let added = value(&mut client, &format!("memento.history_append('c', 'user', 'turn {turn}')"));
        assert_eq!(added, json!({"conversation_id": "c", "turn_index": turn, "status": "appended"}));
    }
    let again = value(&mut client, "memento.history_append('c', 'user', 'turn 3', 3)");
    assert_eq!(again["status"], "unchanged");
    assert_failure(
        client.batch_execute("select memento.history_append('c', 'user', 'something else', 3)"),
        "23505",
        "TURN_EXISTS",
    );
    let contents = |page: &Value| -> Vec<String> {
        page["turns"]
            .as_array()
            .unwrap()
            .iter()
            .map(|turn| turn["content"].as_str().unwrap().to_owned())
            .collect()
    };
    let last = value(&mut client, "memento.history_get('c', 2)");
    assert_eq!(
        (&last["total"], contents(&last)),
        (&json!(5), vec!["turn 3".to_owned(), "turn 4".to_owned()])
    );
    let before = value(&mut client, &format!("memento.history_get('c', 10, {})", last["next_before"]));
    assert_eq!((contents(&before).len(), &before["next_before"]), (3, &Value::Null));
    assert_eq!(value(&mut client, "memento.history_get('nobody')")["total"], 0);
}

#[test]
fn writers_of_one_conversation_take_the_next_place_each() {
    const WRITERS: usize = 6;
    const TURNS: usize = 10;
    let cluster = Cluster::start();
    let database = cluster.database();
    let barrier = Barrier::new(WRITERS);
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (cluster, database, barrier) = (&cluster, &database, &barrier);
            scope.spawn(move || {
                let mut client = cluster.connect(database);
                barrier.wait();
                for turn in 0..TURNS {
                    value(&mut client, &format!("memento.history_append('c', 'tool', '{writer} {turn}')"));
                }
            });
        }
    });
    let row = cluster
        .connect(&database)
        .query_one(
            "select count(*), max(turn_index)::bigint, count(distinct content) from memento.history_turn",
            &[],
        )
        .unwrap();
    let all = (WRITERS * TURNS) as i64;
    assert_eq!((row.get(0), row.get(1), row.get(2)), (all, all - 1, all), "gapless, and none lost");
}

#[test]
fn a_conversation_is_screened_and_can_be_forgotten() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    client.batch_execute("select memento.set_secret_policy('redact')").unwrap();
    let secret = ["ghp_", "q7Zk2WmX9bTf4RvLc8NhJ5dGsY3pKe6a1B2c"].concat();
    let added = value(
        &mut client,
        &format!(
            "memento.history_append('c', 'user', 'use {secret}', metadata => '{{\"token\": \"{secret}\"}}')"
        ),
    );
    assert_eq!(added["secrets"]["github_token"], 2);
    let stored = value(&mut client, "memento.history_get('c')").to_string();
    assert!(!stored.contains(&secret) && stored.contains("[REDACTED:github_token]"), "{stored}");
    client.batch_execute("select memento.history_append('d', 'user', 'stays')").unwrap();
    let receipt = value(&mut client, "memento.forget(conversation_id => 'c')");
    assert_eq!(receipt["counts"]["history_turn"], 1);
    let verify = format!("memento.verify_forgotten('{}')", receipt["receipt_id"].as_str().unwrap());
    assert_eq!(value(&mut client, &verify)["verified"], true);
    assert_eq!(value(&mut client, "memento.history_get('d')")["total"], 1);
    assert_eq!(value(&mut client, "memento.forget(whole_project => true)")["counts"]["history_turn"], 1);
}

#[test]
fn bad_turns_are_refused() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    for statement in [
        "select memento.history_append('', 'user', 'x')",
        "select memento.history_append(repeat('c', 201), 'user', 'x')",
        "select memento.history_append(null, 'user', 'x')",
        "select memento.history_append('c', 'nobody', 'x')",
        "select memento.history_append('c', 'user', ' ')",
        "select memento.history_append('c', 'user', 'x', -1)",
        "select memento.history_append('c', 'user', 'x', metadata => '[]')",
        "select memento.history_get('c', 0)",
        "select memento.memory_store('x', confidence => 1.5)",
        "select memento.memory_store('x', confidence => 'NaN')",
        "select memento.memory_store('x', metadata => '[]')",
        "select memento.memory_store(' ')",
        "select memento.projects_resolve()",
        "select memento.projects_resolve(repo_url => 'nothing')",
        "select memento.projects_resolve(cwd => 'relative')",
        "select memento.projects_list(max_projects => 0)",
        "select memento.projects_list(after => 'x')",
    ] {
        assert_failure(client.batch_execute(statement), "22023", "VALIDATION_ERROR");
    }
    assert_failure(
        client.batch_execute("select memento.history_append('c', 'user', repeat('x', 2000000))"),
        "54000",
        "CONTENT_TOO_LARGE",
    );
}

#[test]
fn short_memories_are_stored_found_and_deleted() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    let stored =
        value(&mut client, "memento.memory_store('prefers dark mode', 'preference', 0.9, tags => '{ui}')");
    assert_eq!(
        (&stored["type"], &stored["confidence"], &stored["status"]),
        (&json!("preference"), &json!(0.9), &json!("created"))
    );
    let id = stored["memory_id"].as_str().unwrap();
    let got = value(&mut client, &format!("memento.memory_get('{id}')"));
    assert_eq!((&got["kind"], &got["metadata"]["confidence"]), (&json!("preference"), &json!(0.9)));
    let gone = value(&mut client, &format!("memento.memory_delete('{id}')"));
    assert_eq!((&gone["deleted"], &gone["memory_id"], &gone["items"]), (&json!(true), &json!(id), &json!(1)));
    assert_failure(
        client.batch_execute(&format!("select memento.memory_delete('{id}')")),
        "P0002",
        "ITEM_NOT_FOUND",
    );
}

#[test]
fn a_project_is_found_by_repository_directory_or_name() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    let url = "https://ana:word@git.example.com/acme/shop.git";
    assert_failure(
        client.batch_execute(&format!("select memento.projects_resolve(repo_url => '{url}')")),
        "P0002",
        "PROJECT_NOT_FOUND",
    );
    let made = value(
        &mut client,
        &format!("memento.projects_resolve(repo_url => '{url}', create_if_missing => true)"),
    );
    assert_eq!((&made["created"], &made["display_name"]), (&json!(true), &json!("shop")));
    assert_eq!(made["project_key"], "git.example.com/acme/shop", "without user and password");
    let current: String = client.query_one("select memento.current_project()::text", &[]).unwrap().get(0);
    assert_eq!(made["project_id"], current.as_str());
    let same = value(
        &mut client,
        "memento.projects_resolve(cwd => '/elsewhere', repo_url => 'git@git.example.com:acme/shop', create_if_missing => true)",
    );
    assert_eq!((&same["project_id"], &same["created"]), (&made["project_id"], &json!(false)));
    // The same last part of another directory is another project, with a longer name.
    let other =
        value(&mut client, "memento.projects_resolve(cwd => '/home/ana/shop/', create_if_missing => true)");
    assert_eq!(
        (&other["display_name"], &other["project_key"]),
        (&json!("home-ana-shop"), &json!("/home/ana/shop"))
    );
    let named = value(&mut client, "memento.projects_resolve(display_name => 'shop')");
    assert_eq!(named["project_id"], made["project_id"]);
    let list = value(&mut client, "memento.projects_list(max_projects => 2)");
    assert_eq!((&list["total"], list["projects"].as_array().unwrap().len()), (&json!(3), 2));
    let rest = value(
        &mut client,
        &format!("memento.projects_list(after => '{}')", list["next_after"].as_str().unwrap()),
    );
    assert_eq!(
        (&rest["next_after"], &rest["projects"][0]["project_id"]),
        (&Value::Null, &made["project_id"])
    );
}

#[test]
fn nobody_resolves_a_project_of_somebody_else() {
    let cluster = Cluster::start();
    let database = cluster.database();
    let mut admin = cluster.connect(&database);
    value(
        &mut admin,
        "memento.projects_resolve('team', repo_url => 'git@h:acme/shop', create_if_missing => true)",
    );
    admin.batch_execute("select memento.create_project('own', 'team')").unwrap();
    cluster.connect_as("other", &database);
    admin.batch_execute("select memento.grant_access('other', 'own', 'admin')").unwrap();
    let mut other = cluster.connect_as("other", &database);
    assert_failure(
        other.batch_execute("select memento.projects_resolve('team', repo_url => 'git@h:acme/shop', create_if_missing => true)"),
        "42501",
        "FORBIDDEN",
    );
    assert_eq!(value(&mut other, "memento.projects_list()")["total"], 1);
    let made =
        value(&mut other, "memento.projects_resolve('team', cwd => '/w/mine', create_if_missing => true)");
    assert_eq!((&made["created"], &made["level"]), (&json!(true), &json!("admin")));
}

//! The shim under good and bad conditions, over stdio.

use memento_tests::{Cluster, eventually};
use serde_json::json;

use super::scene::{Shim, command};

#[test]
fn tools_are_listed_in_pages_under_the_names_asked_for() {
    let cluster = Cluster::start();
    let url = cluster.url("postgres", &cluster.database());
    let mut shim = Shim::start(&url, &["--toolset", "all", "--page-size", "7", "--tool-names", "plain"]);
    let (mut names, mut cursor) = (Vec::new(), json!(null));
    loop {
        let params = if cursor.is_null() { json!({}) } else { json!({"cursor": cursor}) };
        let page = shim.request("tools/list", params);
        let tools = page["result"]["tools"].as_array().unwrap();
        assert!(tools.len() <= 7);
        names.extend(tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()));
        cursor = page["result"]["nextCursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert!(names.len() > 50 && names.iter().all(|name| !name.contains('.')), "{names:?}");
    assert!(names.contains(&"memory_search".to_owned()));
    shim.call("memory_search", json!({"query": "x"}));
    shim.call("memory.search", json!({"query": "x"}));
    assert_eq!(shim.request("tools/list", json!({"cursor": "nonsense"}))["error"]["code"], -32602);

    let mut reader = Shim::start(&url, &["--toolset", "all", "--read-only"]);
    let listed = reader.request("tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap();
    assert!(tools.iter().all(|tool| tool["annotations"]["readOnlyHint"] == true) && tools.len() > 20);
    assert_eq!(reader.refused("remember", json!({"content": "x"}))["code"], "READ_ONLY");
}

#[test]
fn bad_requests_are_answered_and_do_no_harm() {
    let cluster = Cluster::start();
    let url = cluster.url("postgres", &cluster.database());
    let mut shim = Shim::start(&url, &[]);
    for line in ["garbage{", "", "[]", "{}", "\u{0}", r#"{"jsonrpc": "2.0", "id": {}, "method": 5}"#] {
        shim.write(line);
    }
    assert_eq!(shim.request("no/such", json!({}))["error"]["code"], -32601);
    // What was no request is answered without an id, and not in its turn; an empty line is nothing.
    eventually("all are answered", || {
        shim.request("ping", json!({}));
        (shim.notifications.len() >= 5).then_some(())
    });
    let mut codes: Vec<i64> =
        shim.notifications.drain(..).map(|answer| answer["error"]["code"].as_i64().unwrap()).collect();
    codes.sort_unstable();
    assert_eq!(codes, [-32700, -32700, -32600, -32600, -32600]);
    assert!(shim.request("tools/call", json!({"arguments": {}}))["error"].is_object());
    assert_eq!(shim.request("tools/call", json!({"name": "nope"}))["error"]["code"], -32602);
    let refused = shim.refused("recall", json!({"query": 5}));
    assert_eq!(refused["code"], "VALIDATION_ERROR");
    assert!(refused["details"]["hint"].as_str().unwrap().contains("filters"), "{refused}");
    // Not in this toolset.
    assert_eq!(shim.request("tools/call", json!({"name": "doctor"}))["error"]["code"], -32602);
    let huge = shim.refused("remember", json!({"content": "x".repeat(50 << 20)}));
    assert_eq!(huge["code"], "CONTENT_TOO_LARGE");
    let mut nested = json!(1);
    for _ in 0..100 {
        nested = json!([nested]);
    }
    assert_eq!(
        shim.refused("recall", json!({"query": "x", "filters": {"kinds": nested}}))["code"],
        "VALIDATION_ERROR"
    );
    assert_eq!(shim.request("resources/read", json!({"uri": "file:///etc/passwd"}))["error"]["code"], -32002);
    assert_eq!(shim.refused("recall", json!({"query": "a\u{0}b"}))["code"], "VALIDATION_ERROR");
    shim.call("recall", json!({"query": "still there"}));
}

#[test]
fn lines_that_are_no_json_are_told() {
    let cluster = Cluster::start();
    let mut shim = Shim::start(&cluster.url("postgres", &cluster.database()), &["--max-bytes", "100000"]);
    let deep = format!("{}{}", "[".repeat(1000), "]".repeat(1000));
    for line in ["{\"jsonrpc\": \"2.0\", \"id\": 7", "'single'", "{} {}", &deep] {
        shim.write(line);
        let answer = shim.next();
        assert_eq!(answer["error"]["code"], -32700, "{line}: {answer}");
        assert!(answer.get("id").is_none(), "{answer}");
        assert!(!answer.to_string().contains("single"), "what came is not repeated: {answer}");
    }
    shim.write_bytes(b"\"\xff\"\n");
    assert_eq!(shim.next()["error"]["code"], -32700);
    // Many at once, and a request between them.
    for _ in 0..100 {
        shim.write("no");
    }
    shim.call("recall", json!({"query": "x"}));
    for _ in shim.notifications.len()..100 {
        let answer = shim.next();
        shim.notifications.push(answer);
    }
    assert!(shim.notifications.iter().all(|answer| answer["error"]["code"] == -32700));
    // A line that is longer than any that is read ends where it ends, and not in the middle of the next one.
    shim.write(&"x".repeat(1_000_000));
    shim.call("recall", json!({"query": "x"}));
    // The last line of all is answered too.
    shim.write("nonsense");
    assert_eq!(shim.next()["error"]["code"], -32700);
    assert_eq!(shim.end(), "");
}

#[test]
fn a_cancelled_call_is_cancelled_in_the_database() {
    let cluster = Cluster::start();
    let database = cluster.database();
    let mut admin = cluster.connect(&database);
    let mut holder = cluster.connect(&database);
    // Calls about items wait for this.
    let mut held = holder.transaction().unwrap();
    held.batch_execute("lock table memento.item").unwrap();
    let url = cluster.url("postgres", &database);
    let mut shim = Shim::start(&url, &["--toolset", "all", "--statement-timeout", "3000"]);
    let running =
        "select count(*) from pg_stat_activity where application_name = 'memento-mcp' and state = 'active'";
    let mut active = || -> i64 { admin.query_one(running, &[]).unwrap().get(0) };
    let id = shim
        .send("tools/call", json!({"name": "memory.list", "arguments": {}, "_meta": {"progressToken": "p"}}));
    eventually("the call runs", || (active() == 1).then_some(()));
    // It says that it is still running.
    let progress = shim.next();
    assert_eq!(progress["method"], "notifications/progress", "{progress}");
    assert_eq!(progress["params"]["progressToken"], "p");
    shim.notify("notifications/cancelled", json!({"requestId": id}));
    eventually("the statement ends", || (active() == 0).then_some(()));
    shim.call("health.check", json!({}));

    let mut hasty = Shim::start(&url, &["--statement-timeout", "1"]);
    assert_eq!(hasty.refused("memory.list", json!({}))["code"], "TIMEOUT");
    held.rollback().unwrap();
    hasty.call("memory.list", json!({}));
}

#[test]
fn the_database_may_go_away_and_come_back() {
    let cluster = Cluster::start();
    let database = cluster.database();
    let url = cluster.url("postgres", &database);
    let mut shim = Shim::start(&url, &[]);
    shim.call("remember", json!({"content": "Postgres it is"}));
    cluster.stop("immediate");
    let refused = shim.refused("recall", json!({"query": "Postgres"}));
    assert_eq!(refused["code"], "SERVICE_UNAVAILABLE");
    assert!(!refused.to_string().contains("127.0.0.1"), "{refused}");
    // Also from the start.
    let mut early = Shim::start(&url, &[]);
    assert_eq!(early.refused("recall", json!({"query": "Postgres"}))["code"], "SERVICE_UNAVAILABLE");
    cluster.boot();
    for shim in [&mut shim, &mut early] {
        let found = shim.call("recall", json!({"query": "Postgres"}));
        assert_eq!(found["rows"].as_array().unwrap().len(), 1);
    }
}

#[test]
fn the_project_of_the_configuration_cannot_be_left() {
    let cluster = Cluster::start();
    let database = cluster.database();
    let mut admin = cluster.connect(&database);
    admin
        .batch_execute(
            "select memento.create_project('mine'); select memento.create_project('other');
             select memento.use_project('other'); select memento.remember('other secret')",
        )
        .unwrap();
    let url = cluster.url("postgres", &database);
    let mut pinned = Shim::start(&url, &["--project", "mine", "--toolset", "memory"]);
    pinned.call("projects.resolve", json!({"display_name": "other"}));
    assert_eq!(pinned.call("recall", json!({"query": "secret"}))["rows"], json!([]));
    // Sessions that choose do not disturb each other, though they share connections.
    let mut free = Shim::start(&url, &["--toolset", "memory", "--connections", "1"]);
    free.call("projects.resolve", json!({"display_name": "other"}));
    assert_eq!(free.call("recall", json!({"query": "secret"}))["rows"].as_array().unwrap().len(), 1);

    let mut stranger = Shim::start(&cluster.url("postgres", &database), &["--project", "no such project"]);
    assert_eq!(stranger.refused("recall", json!({"query": "x"}))["code"], "PROJECT_NOT_FOUND");
    drop(cluster.connect_as("weak", &database));
    let mut weak = Shim::start(&url, &["--role", "weak"]);
    let listed = weak.request("tools/list", json!({}));
    assert_eq!(listed["error"]["data"]["error"]["code"], "FORBIDDEN", "{listed}");
}

#[test]
fn subscribers_hear_of_changes() {
    let cluster = Cluster::start();
    let database = cluster.database();
    let mut admin = cluster.connect(&database);
    let store = "select memento.remember($1, source_system => 's', source_id => '1')";
    admin.query(store, &[&"one"]).unwrap();
    let mut shim = Shim::start(&cluster.url("postgres", &database), &[]);
    let listed = shim.request("resources/list", json!({}));
    let uri = listed["result"]["resources"][0]["uri"].clone();
    assert_eq!(shim.request("resources/subscribe", json!({"uri": uri}))["result"], json!({}));
    admin.query(store, &[&"two"]).unwrap();
    let told = shim.next();
    assert_eq!(
        (told["method"].as_str(), &told["params"]["uri"]),
        (Some("notifications/resources/updated"), &uri)
    );
    assert_eq!(shim.request("resources/unsubscribe", json!({"uri": uri}))["result"], json!({}));
}

#[test]
fn newer_clients_begin_without_a_handshake() {
    let cluster = Cluster::start();
    let database = cluster.database();
    let mut admin = cluster.connect(&database);
    let store = "select memento.remember($1, source_system => 's', source_id => '1')";
    admin.query(store, &[&"one"]).unwrap();
    let uri: String =
        admin.query_one("select memento.mcp_resources() #>> '{resources,0,uri}'", &[]).unwrap().get(0);
    let mut shim = Shim::spawn(&cluster.url("postgres", &database), &[]);
    let about = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let found = shim.request("server/discover", json!({"_meta": about}));
    assert!(found["result"]["capabilities"]["tools"].is_object(), "{found}");
    let called = shim.request("tools/call", json!({"_meta": about, "name": "memory.list", "arguments": {}}));
    assert_eq!(called["result"]["structuredContent"]["total"], 1, "{called}");
    shim.send(
        "subscriptions/listen",
        json!({"_meta": about, "notifications": {"resourceSubscriptions": [uri]}}),
    );
    let accepted = shim.next();
    assert_eq!(accepted["method"], "notifications/subscriptions/acknowledged", "{accepted}");
    // It looks for the first time after it has answered; a change before that is none.
    let told = eventually("the change is told", || {
        admin.query(store, &[&format!("{:?}", std::time::Instant::now())]).unwrap();
        shim.next_within(std::time::Duration::from_secs(3))
    });
    assert_eq!(
        (told["method"].as_str(), told["params"]["uri"].as_str()),
        (Some("notifications/resources/updated"), Some(&*uri))
    );
}

#[test]
fn a_client_that_does_not_read_holds_up_nobody_else() {
    let cluster = Cluster::start();
    let database = cluster.database();
    let url = cluster.url("postgres", &database);
    let mut admin = cluster.connect(&database);
    admin.query("select memento.remember($1)", &[&"Postgres ".repeat(20_000)]).unwrap();
    let item: String = admin.query_one("select item_id::text from memento.item", &[]).unwrap().get(0);
    let mut deaf = command(&url, &["--connections", "2"]).spawn().unwrap();
    let mut input = deaf.stdin.take().unwrap();
    let writer = std::thread::spawn(move || {
        use std::io::Write;
        let hello = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"d","version":"1"}}}"#;
        let ready = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        let _ = writeln!(input, "{hello}\n{ready}");
        for id in 1..500 {
            let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "memory.get", "arguments": {"item_id": item}}});
            if writeln!(input, "{call}").is_err() {
                return;
            }
        }
    });
    let busy =
        "select count(*) from pg_stat_activity where application_name = 'memento-mcp' and state <> 'idle'";
    eventually("it has asked", || {
        let row = admin
            .query_one("select count(*) from pg_stat_activity where application_name = 'memento-mcp'", &[]);
        (row.unwrap().get::<_, i64>(0) > 0).then_some(())
    });
    eventually("nothing of it runs in the database", || {
        (admin.query_one(busy, &[]).unwrap().get::<_, i64>(0) == 0).then_some(())
    });
    Shim::start(&url, &[]).call("recall", json!({"query": "Postgres"}));
    deaf.kill().unwrap();
    deaf.wait().unwrap();
    writer.join().unwrap();
}

#[test]
fn it_ends_with_its_client_and_tells_mistakes() {
    let cluster = Cluster::start();
    // doctor() fails a server that may lose what it has stored, as those for tests may.
    cluster.append_settings(&["fsync = on".into(), "full_page_writes = on".into()]);
    cluster.stop("fast");
    cluster.boot();
    let url = cluster.url("postgres", &cluster.database());
    let mut shim = Shim::start(&url, &[]);
    assert!(shim.is_running());
    assert_eq!(shim.end(), "");
    let output = command(&url, &["--nonsense"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let doctor = command(&url, &["doctor"]).output().unwrap();
    assert!(doctor.status.success(), "{doctor:?}");
    let home = std::env::temp_dir().join(format!("memento-mcp-home-{}", std::process::id()));
    let install = |write: &[&str]| {
        let arguments = [&["install", "cursor", "--project", "p"], write].concat();
        command(&url, &arguments).env("HOME", &home).output().unwrap()
    };
    let printed = install(&[]);
    let settings: serde_json::Value = serde_json::from_slice(&printed.stdout).unwrap();
    assert_eq!(settings["mcpServers"]["memento"]["env"]["DATABASE_URL"], *url);
    assert!(install(&["--write"]).status.success());
    let written = std::fs::read(home.join(".cursor/mcp.json")).unwrap();
    assert_eq!(serde_json::from_slice::<serde_json::Value>(&written).unwrap(), settings);
    std::fs::remove_dir_all(home).unwrap();
    // Nothing is set up for a database that does not answer.
    let nowhere = command("postgresql://u@127.0.0.1:1/d", &["install", "cursor"]).output().unwrap();
    assert!(!nowhere.status.success() && nowhere.stdout.is_empty());
}

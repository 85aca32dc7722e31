//! A key by reference goes to the endpoint and nowhere else, even if the endpoint says it to everybody.

use std::os::unix::fs::PermissionsExt;

use memento_tests::eventually;
use memento_tests::failure::failure;
use serde_json::json;

use super::scene::{activate, cluster, embed, endpoints_allowed, number};
use crate::fake_endpoint::protocol::{self, Api, DIMS, Fault};
use crate::fake_endpoint::{FakeEndpoint, Reply, Request};

const KEY: &str = "sk-live-0123456789abcdefghij";

/// Says the key in the body and in headers, as proxies in debug mode do.
fn echo(request: &Request, status: u16) -> Reply {
    let key = request.header("authorization").unwrap_or_default().to_owned();
    let body = json!({"error": {"message": format!("bad request with {key}")}}).to_string();
    Reply::Full {
        status,
        headers: vec![("x-debug", key.clone()), ("location", format!("http://h/{key}"))],
        body,
    }
}

#[test]
fn a_key_is_nowhere_but_with_the_endpoint() {
    let keys = std::env::temp_dir().join(format!("memento-keys-{}", std::process::id()));
    std::fs::create_dir_all(&keys).unwrap();
    std::fs::write(keys.join("model"), format!("{KEY}\n")).unwrap();
    std::fs::set_permissions(keys.join("model"), std::fs::Permissions::from_mode(0o644)).unwrap();
    let endpoint = FakeEndpoint::start(|request| {
        let texts = request.body["input"].to_string();
        let status =
            [401, 400, 404, 429, 500, 302].into_iter().find(|status| texts.contains(&status.to_string()));
        match status {
            Some(status) => echo(request, status),
            None if texts.contains("garbage") => Reply::json(echo_text(request)),
            None => protocol::vectors(Api::OpenAi, request, Fault::None),
        }
    });
    let lines = [
        endpoints_allowed(),
        vec![
            format!("memento.key_dir = '{}'", keys.display()),
            "log_min_messages = debug1".into(),
            "log_statement = 'all'".into(),
        ],
    ]
    .concat();
    let cluster = cluster(&lines);
    let mut client = cluster.connect(&cluster.database());
    let config = json!({"base_url": endpoint.url(), "api_key": {"file": "model"}, "max_batch_texts": 1});
    activate(&mut client, "keyed", "openai", "m", DIMS as i32, &config);
    let mut said = Vec::new();
    for case in ["401", "400", "404", "429", "500", "302", "garbage", "fine"] {
        client.execute("select memento.remember($1)", &[&format!("the ledger of case {case}")]).unwrap();
        eventually(case, || {
            let open = "select count(*) from memento.job where kind = 'embed' and (state = 'running' or (state = 'pending' and errors = '[]'))";
            (number(&mut client, open) == 0).then_some(())
        });
        client.batch_execute("delete from memento.endpoint_pause").unwrap();
        // By a query, in a session that has not seen it fail yet.
        let mut other = cluster
            .connect(&client.query_one("select current_database()::text", &[]).unwrap().get::<_, String>(0));
        let text = format!("query {case}");
        if case == "fine" {
            assert!(embed(&mut other, &[&text], "query").is_ok());
        } else {
            said.push(format!("{:?}", failure(embed(&mut other, &[&text], "query"))));
        }
        other.execute("select * from memento.search($1)", &[&text]).unwrap();
    }
    let sent = endpoint.requests();
    assert!(
        sent.len() >= 16
            && sent.iter().all(|request| request.header("authorization") == Some(&format!("Bearer {KEY}")))
    );
    assert_eq!(
        number(
            &mut client,
            "select count(distinct errors -> -1 ->> 'code') from memento.job where errors <> '[]'"
        ),
        7
    );
    for table in [
        "memento.job",
        "memento.usage_ledger",
        "memento.endpoint_pause",
        "memento.worker_status",
        "memento.failed_jobs",
        "memento.job_blockers",
        "memento.embedding_profile",
        "memento.event_store",
        "pg_stat_activity",
        "pg_settings",
    ] {
        let rows = client.query(&format!("select t::text from {table} t"), &[]).unwrap();
        said.extend(rows.iter().filter_map(|row| row.get::<_, Option<String>>(0)));
    }
    said.push(cluster.log());
    for text in &said {
        assert!(!text.contains("0123456789abcdefghij"), "{text}");
    }
    std::fs::remove_dir_all(keys).unwrap();
}

fn echo_text(request: &Request) -> String {
    format!("{{\"data\": \"{}\"", request.header("authorization").unwrap_or_default())
}

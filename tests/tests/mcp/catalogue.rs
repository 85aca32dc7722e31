//! What mcp_tools() says is what mcp_call() does.

use memento_tests::Cluster;
use memento_tests::failure::{assert_failure, failure};
use postgres::Client;
use serde_json::{Value, json};

fn call(client: &mut Client, name: &str, arguments: &Value) -> Result<Value, postgres::Error> {
    client.query_one("select memento.mcp_call($1, $2)", &[&name, arguments]).map(|row| row.get(0))
}

#[test]
fn the_tools_are_described_by_the_database() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    core_is_small(&mut client);
    schemas_are_those_of_the_functions(&mut client);
    words_that_are_allowed_are_those_of_the_functions(&mut client);
    unknown_toolsets_are_told(&mut client);
}

fn core_is_small(client: &mut Client) {
    let row = client
        .query_one(
            "select count(*), sum(memento.count_tokens(jsonb_build_object('name', t.name, 'description', t.description,
                    'inputSchema', t.input_schema, 'annotations', t.annotations)::text)), bool_or(t.name = 'remember')
               from memento.mcp_tools() t",
            &[],
        )
        .unwrap();
    let (tools, tokens, has_remember): (i64, i64, bool) = (row.get(0), row.get(1), row.get(2));
    assert!((5..=10).contains(&tools) && has_remember, "{tools} tools");
    assert!(tokens < 2500, "{tokens} tokens");
}

fn schemas_are_those_of_the_functions(client: &mut Client) {
    let tools = client
        .query("select name, description, input_schema, annotations from memento.mcp_tools('all')", &[])
        .unwrap();
    assert!(tools.len() > 50, "{}", tools.len());
    for tool in &tools {
        let (name, description): (String, String) = (tool.get(0), tool.get(1));
        let (schema, annotations): (Value, Value) = (tool.get(2), tool.get(3));
        assert!(
            !description.is_empty() && schema["type"] == "object" && annotations["openWorldHint"] == false,
            "{name}"
        );
        // One tool, one function: names with dots and without must not collide, nor functions be overloaded.
        let rows = client
            .query(
                "select p.proname::text, p.proargnames[1 : p.pronargs], (p.pronargs - p.pronargdefaults)::int, p.provolatile::text
                   from memento.mcp_tool t join pg_proc p on p.oid = t.function
                  where replace(t.tool_name, '.', '_') = replace($1, '.', '_')",
                &[&name],
            )
            .unwrap();
        let [row] = &rows[..] else { panic!("{name} names {} functions", rows.len()) };
        let (function, volatility): (String, String) = (row.get(0), row.get(3));
        let mut arguments: Vec<String> = row.get::<_, Option<_>>(1).unwrap_or_default();
        let required = arguments[..row.get::<_, i32>(2) as usize].to_vec();
        assert_eq!(schema.get("required").unwrap_or(&json!([])), &json!(required), "{name}");
        arguments.sort();
        let mut described: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
        described.sort();
        assert_eq!(described, arguments.iter().collect::<Vec<_>>(), "{name}");
        // What writes must not be called a reader. These note what was asked for, wait, or look at the server.
        let may_note = ["retrieve", "wait_until_idle", "health_check", "doctor"].contains(&function.as_str());
        if annotations["readOnlyHint"] == true && !may_note {
            assert_ne!(volatility, "v", "{name} is said to read only");
        }
    }
}

fn words_that_are_allowed_are_those_of_the_functions(client: &mut Client) {
    for (tool, argument, others) in [
        ("remember", "scope", json!({"content": "x"})),
        ("remember", "sensitivity", json!({"content": "x"})),
        ("remember", "visibility", json!({"content": "x"})),
        ("artifact_ingest", "artifact_type", json!({"content": "x", "source_system": "s"})),
        (
            "artifact_ingest",
            "visibility_scope",
            json!({"content": "x", "source_system": "s", "artifact_type": "doc"}),
        ),
        ("history_append", "role", json!({"conversation_id": "c", "content": "x"})),
        ("retrieve", "return_style", json!({"query": "x"})),
    ] {
        let allowed: Value = client
            .query_one(
                "select input_schema #> array['properties', $2, 'enum'] from memento.mcp_tools('all') where name = $1",
                &[&tool, &argument],
            )
            .unwrap()
            .get(0);
        for word in allowed.as_array().unwrap() {
            let mut arguments = others.clone();
            arguments[argument] = word.clone();
            call(client, tool, &arguments)
                .unwrap_or_else(|error| panic!("{tool} {argument} {word}: {error}"));
        }
        let mut arguments = others.clone();
        arguments[argument] = json!("nonsense");
        let refused = assert_failure(call(client, tool, &arguments), "22023", "VALIDATION_ERROR");
        assert!(refused.message().contains("must be one of"), "{refused}");
    }
}

fn unknown_toolsets_are_told(client: &mut Client) {
    for toolset in ["nonsense", "", "core,nonsense", "core;drop"] {
        let refused = assert_failure(
            client.query("select memento.mcp_tools($1)", &[&toolset]),
            "22023",
            "VALIDATION_ERROR",
        );
        assert!(refused.hint().unwrap().contains("lineage"), "{refused}");
    }
    let both: i64 =
        client.query_one("select count(*) from memento.mcp_tools('core, lineage')", &[]).unwrap().get(0);
    assert!(both > 15);
}

#[test]
fn arguments_are_checked_and_named() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    for (tool, arguments, said) in [
        ("recall", json!({}), "\"query\" is missing"),
        ("recall", json!({"query": null}), "\"query\" is missing"),
        ("recall", json!({"query": 5}), "must be of type string"),
        ("recall", json!({"query": ["x"]}), "must be of type string"),
        ("recall", json!({"query": "x", "k": "2"}), "must be an integer"),
        ("recall", json!({"query": "x", "k": 2.5}), "must be an integer"),
        ("recall", json!({"query": "x", "k": 3_000_000_000_i64}), "not of the type integer"),
        ("recall", json!({"query": "x", "filters": []}), "must be of type object"),
        ("recall", json!({"query": "x", "limit": 3}), "unknown argument \"limit\""),
        ("recall", json!({"query": "x", "k); drop table memento.item; --": 3}), "unknown argument"),
        ("remember", json!({"content": "x", "tags": "a"}), "must be of type array"),
        ("remember", json!({"content": "x", "tags": [1]}), "must be an array of strings"),
        ("memory.get", json!({"item_id": "x"}), "not of the type uuid"),
        ("memory.get", json!({"item_id": "x".repeat(1_000_000)}), "not of the type uuid"),
        ("retrieve", json!({"query": "x", "as_of": "soon"}), "not of the type timestamp"),
        (
            "memory.archive",
            json!({"item_id": "00000000-0000-0000-0000-000000000001", "archived": "yes"}),
            "must be of type boolean",
        ),
        ("health.check", json!({"x": 1}), "unknown argument"),
        ("recall", json!([]), "must be a JSON object"),
        ("recall", json!("query"), "must be a JSON object"),
    ] {
        let refused = assert_failure(call(&mut client, tool, &arguments), "22023", "VALIDATION_ERROR");
        assert!(refused.message().contains(said) && refused.message().len() < 200, "{refused}");
        assert!(refused.hint().is_some_and(|hint| hint.len() < 400), "{refused}");
    }
    for name in
        ["nonsense", "", "memento.recall", "drain", "_claim_jobs", "pg_catalog.pg_sleep", "forget; drop"]
    {
        assert_failure(call(&mut client, name, &json!({})), "P0002", "TOOL_NOT_FOUND");
    }
    let elsewhere = client.query("select memento.mcp_call('doctor', '{}', 'core')", &[]);
    assert_failure(elsewhere, "P0002", "TOOL_NOT_FOUND");
    // Rows and plain values are wrapped, so that every result is an object.
    let stored =
        call(&mut client, "remember", &json!({"content": "Postgres", "tags": ["a"], "title": null})).unwrap();
    assert_eq!(stored["status"], "created");
    assert_eq!(
        call(&mut client, "recall", &json!({"query": "Postgres"})).unwrap()["rows"][0]["item_id"],
        stored["item_id"]
    );
    let root = call(&mut client, "emit_event", &json!({"event_type": "t"})).unwrap();
    let found = call(&mut client, "calculate_root_uuid", &json!({"parent_uuid": root["event_id"]})).unwrap();
    assert_eq!(found["result"], root["event_id"]);
}

#[test]
fn sql_in_a_string_is_a_string() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    let hostile = [
        "'; drop table memento.item cascade; --",
        "$1",
        "\") from pg_shadow --",
        "%I %L %s",
        "\\'; select 1",
    ];
    let tools = client.query("select name, input_schema from memento.mcp_tools('all')", &[]).unwrap();
    for tool in tools {
        let (name, schema): (String, Value) = (tool.get(0), tool.get(1));
        for text in hostile {
            let texts: serde_json::Map<String, Value> = schema["properties"]
                .as_object()
                .unwrap()
                .iter()
                .filter(|(_, property)| property["type"] == "string" && property.get("enum").is_none())
                .map(|(argument, _)| (argument.clone(), json!(text)))
                .collect();
            if let Err(error) = call(&mut client, &name, &Value::Object(texts)) {
                let error = failure::<()>(Err(error));
                assert!(
                    !error.code().code().starts_with("42") && error.code().code() != "XX000",
                    "{name}: {error:?}"
                );
            }
        }
    }
    let kept: i64 = client.query_one("select count(*) from memento.item", &[]).unwrap().get(0);
    assert!(kept > 0, "what was remembered is there");
}

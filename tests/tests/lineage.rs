//! Recording events, walking them, and what records itself.

use memento_tests::failure::{assert_failure, failure};
use memento_tests::{Cluster, Server, Settings};
use postgres::Client;

/// Ids that can be written down.
const REQUEST: &str = "00000000-0000-0000-0000-0000000000e0";
const STEPS: [(&str, &str); 3] = [
    ("spawn_decision", "00000000-0000-0000-0000-0000000000e1"),
    ("tool_use", "00000000-0000-0000-0000-0000000000e2"),
    ("error", "00000000-0000-0000-0000-0000000000e3"),
];
const SESSION: &str = "00000000-0000-0000-0000-00000000005e";
const ERROR: &str = STEPS[2].1;

/// The example of the seed: a request that led to an error in three steps.
fn request_with_an_error(client: &mut Client) {
    client
        .batch_execute(&format!(
            "select memento.emit_event('user_message', '{{\"text\": \"deploy it\"}}', session_id => '{SESSION}', event_id => '{REQUEST}')"
        ))
        .unwrap();
    let mut parent = REQUEST;
    for (event_type, id) in STEPS {
        client
            .batch_execute(&format!(
                "select memento.emit_event('{event_type}', parent_uuid => '{parent}', event_id => '{id}')"
            ))
            .unwrap();
        parent = id;
    }
}

fn texts(client: &mut Client, query: &str) -> Vec<String> {
    client.query(query, &[]).unwrap().iter().map(|row| row.get(0)).collect()
}

fn json(client: &mut Client, query: &str) -> serde_json::Value {
    let text: String = client.query_one(&format!("select ({query})::text"), &[]).unwrap().get(0);
    serde_json::from_str(&text).unwrap()
}

#[test]
fn an_error_is_walked_back_to_the_request_that_caused_it() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    request_with_an_error(&mut client);
    assert_eq!(
        texts(
            &mut client,
            &format!(
                "select concat_ws(' ', event_type, depth, truncated) from memento.get_parent_chain('{ERROR}')"
            )
        ),
        ["user_message 3 f", "spawn_decision 2 f", "tool_use 1 f", "error 0 f"]
    );
    assert_eq!(
        texts(
            &mut client,
            &format!(
                "select concat_ws(' ', event_type, depth, truncated) from memento.get_parent_chain('{ERROR}', 1)"
            )
        ),
        ["tool_use 1 t", "error 0 t"]
    );
    assert_eq!(
        texts(
            &mut client,
            &format!("select uuid || ' ' || event_type || ' ' || depth from memento.root_cause('{ERROR}')")
        ),
        [format!("{REQUEST} user_message 3")]
    );
    assert_eq!(
        texts(&mut client, &format!("select memento.calculate_root_uuid('{ERROR}')::text")),
        [REQUEST]
    );
    assert_eq!(
        texts(&mut client, "select coalesce(memento.calculate_root_uuid(null)::text, 'null')"),
        ["null"]
    );
    // Events without a session of their own belong to that of their parent.
    assert_eq!(
        texts(&mut client, &format!("select event_type from memento.session_timeline('{SESSION}')")),
        ["user_message", "spawn_decision", "tool_use", "error"]
    );
}

/// Statements are kept for the session; the tables that they are about may be others by then.
#[test]
fn a_session_outlives_the_extension() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    for _ in 0..2 {
        // Often enough that the server keeps a plan too.
        for round in 0..8 {
            client.batch_execute("delete from memento.event_store").unwrap();
            request_with_an_error(&mut client);
            let chain =
                client.query(&format!("select from memento.get_parent_chain('{ERROR}')"), &[]).unwrap();
            assert_eq!(chain.len(), 4, "round {round}");
        }
        client
            .batch_execute(
                "set memento.allow_drop = on; drop extension pg_memento; create extension pg_memento",
            )
            .unwrap();
        let error = client.batch_execute(&format!("select memento.get_parent_chain('{ERROR}')"));
        assert_failure(error, "P0002", "EVENT_NOT_FOUND");
    }
}

#[test]
fn limits_cut_and_say_so() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    request_with_an_error(&mut client);
    let parent = STEPS[0].1;
    client
        .batch_execute(&format!(
            "select memento.emit_event('sibling ' || n, parent_uuid => '{parent}', happened_at => now() - n * interval '1 hour') from generate_series(1, 3) n"
        ))
        .unwrap();
    let mut shown = |call: &str| {
        texts(
            &mut client,
            &format!("select event_type || case when truncated then ' ...' else '' end from memento.{call}"),
        )
    };
    assert_eq!(
        shown(&format!("get_child_events('{parent}')")),
        ["sibling 3", "sibling 2", "sibling 1", "tool_use"],
        "in the order of time"
    );
    assert_eq!(shown(&format!("get_child_events('{parent}', 2)")), ["sibling 3 ...", "sibling 2 ..."]);
    assert_eq!(shown(&format!("get_child_events('{ERROR}')")), Vec::<String>::new());
    let whole =
        ["user_message", "spawn_decision", "sibling 3", "sibling 2", "sibling 1", "tool_use", "error"];
    assert_eq!(shown(&format!("get_event_tree('{REQUEST}')")), whole);
    assert_eq!(shown(&format!("get_event_tree('{parent}')")), whole[1..]);
    for (depth, cut) in [(0, 1), (1, 2), (2, 6)] {
        let with_mark: Vec<String> = whole[..cut].iter().map(|name| format!("{name} ...")).collect();
        assert_eq!(shown(&format!("get_event_tree('{REQUEST}', {depth})")), with_mark);
    }
    assert_eq!(shown(&format!("get_event_tree('{parent}', 0)")), ["spawn_decision ..."]);
    assert_eq!(shown(&format!("get_event_tree('{parent}', 2)")), whole[1..]);
    assert_eq!(shown(&format!("get_event_tree('{REQUEST}', 3)")), whole);
    assert_eq!(shown(&format!("get_event_tree('{parent}', 9, 2)")), ["spawn_decision ...", "sibling 3 ..."]);
    assert_eq!(
        shown(&format!("session_timeline('{SESSION}', 3)")),
        ["sibling 3 ...", "sibling 2 ...", "sibling 1 ..."]
    );
    assert_eq!(
        shown(&format!("session_timeline('{SESSION}', after_event => '{parent}')")),
        ["tool_use", "error"]
    );
}

#[test]
fn bad_arguments_are_refused_with_code_and_hint() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    client.batch_execute("create table old (event_id uuid, x int)").unwrap();
    let unknown = "11111111-1111-1111-1111-111111111111";
    for call in [
        "emit_event('')",
        "emit_event(' ')",
        "emit_event(repeat('x', 65))",
        "get_parent_chain(gen_random_uuid(), -1)",
        "get_event_tree(gen_random_uuid(), -1)",
        "get_event_tree(gen_random_uuid(), 1, 0)",
        "get_child_events(gen_random_uuid(), 2000000)",
        "session_timeline(gen_random_uuid(), -5)",
        "resume_context(gen_random_uuid(), 0)",
        "resume_context(gen_random_uuid(), 2000000000)",
        "adopt_event_store('old', '[]')",
        "adopt_event_store('old', '{\"parent\": \"x\"}')",
        "adopt_event_store('old', '{\"event_type\": 7}')",
        "adopt_event_store('old', '{\"event_type\": \"nothing; drop table old\"}')",
        "adopt_event_store('old', max_rows => 0)",
        "adopt_event_store('pg_catalog.pg_class')",
        "adopt_event_store(0::oid::regclass)",
        "adopt_event_store(4000000000::oid::regclass)",
    ] {
        let error = assert_failure(
            client.batch_execute(&format!("select memento.{call}")),
            "22023",
            "VALIDATION_ERROR",
        );
        assert!(error.hint().is_some(), "{call}: {error:?}");
    }
    for call in [
        "emit_event(null)",
        "get_parent_chain(null)",
        "get_child_events(null)",
        "get_event_tree(null)",
        "root_cause(null)",
        "session_timeline(null)",
        "resume_context(null)",
        "adopt_event_store(null)",
    ] {
        assert_failure(client.batch_execute(&format!("select memento.{call}")), "22023", "VALIDATION_ERROR");
    }
    for call in [
        "get_parent_chain",
        "get_child_events",
        "get_event_tree",
        "root_cause",
        "resume_context",
        "calculate_root_uuid",
    ] {
        assert_failure(
            client.batch_execute(&format!("select memento.{call}('{unknown}')")),
            "P0002",
            "EVENT_NOT_FOUND",
        );
    }
    assert_failure(
        client.batch_execute(&format!("select memento.emit_event('x', parent_uuid => '{unknown}')")),
        "P0002",
        "PARENT_NOT_FOUND",
    );
    assert_failure(
        client.batch_execute(&format!(
            "select memento.emit_event('x', parent_uuid => '{unknown}', event_id => '{unknown}')"
        )),
        "23514",
        "CYCLE_DETECTED",
    );
    client.batch_execute(&format!("select memento.emit_event('x', event_id => '{unknown}')")).unwrap();
    assert_failure(
        client.batch_execute(&format!("select memento.emit_event('x', event_id => '{unknown}')")),
        "23505",
        "EVENT_EXISTS",
    );
    client.batch_execute("set memento.max_content_size = '1kB'").unwrap();
    assert_failure(
        client.batch_execute("select memento.emit_event('x', to_jsonb(repeat('x', 2000)))"),
        "54000",
        "CONTENT_TOO_LARGE",
    );
    // A parent in another project is not there.
    client
        .batch_execute("select memento.create_project('other'); select memento.use_project('other')")
        .unwrap();
    assert_failure(
        client.batch_execute(&format!("select memento.emit_event('x', parent_uuid => '{unknown}')")),
        "P0002",
        "PARENT_NOT_FOUND",
    );
}

#[test]
fn any_data_comes_back_as_it_was() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    let deep = format!("{}{}", "[".repeat(3000), "]".repeat(3000));
    for data in [
        "null",
        "7",
        "\"text\"",
        "[]",
        r#"{"n": 123456789012345678901234567890.123456789, "e": 1e400, "": {"\u00e4": null}}"#,
        r#"{"item_id": 7, "item_ids": [null, {}, "'; drop table memento.event_store; --"], "pack_id": []}"#,
        deep.as_str(),
    ] {
        let id: String = client
            .query_one("select event_id::text from memento.emit_event('x', $1::text::jsonb)", &[&data])
            .unwrap()
            .get(0);
        let row = client
            .query_one(
                "select event_data = $1::text::jsonb,
                        memento.resume_context($2::text::uuid, 100000) -> 'events' -> 0 -> 'event_data' = $1::text::jsonb
                   from memento.get_parent_chain($2::text::uuid)",
                &[&data, &id],
            )
            .unwrap();
        assert_eq!((row.get(0), row.get(1)), (true, true), "{}", &data[..data.len().min(80)]);
    }
}

#[test]
fn searches_and_memories_record_themselves_where_that_is_asked_for() {
    let cluster = Cluster::start();
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    client
        .batch_execute(
            "select memento.remember('nothing is recorded'); select * from memento.search('recorded')",
        )
        .unwrap();
    let count = || -> i64 {
        cluster.connect(&database).query_one("select count(*) from memento.event_store", &[]).unwrap().get(0)
    };
    assert_eq!(count(), 0);

    request_with_an_error(&mut client);
    client
        .batch_execute(&format!(
            "set memento.record_events = on; set memento.parent_event = '{ERROR}';
             select memento.remember('the settlement batch failed', title => 'Incident');
             select * from memento.recall('settlement')"
        ))
        .unwrap();
    let item = texts(&mut client, "select item_id::text from memento.item where title = 'Incident'").concat();
    assert_eq!(
        texts(
            &mut client,
            &format!(
                "select event_type || ' ' || coalesce(event_data ->> 'item_id', event_data -> 'item_ids' ->> 0) from memento.get_child_events('{ERROR}')"
            )
        ),
        [format!("job {item}"), format!("remember {item}"), format!("search {item}")]
    );
    let context = json(
        &mut client,
        "select memento.resume_context(uuid) from memento.session_timeline('00000000-0000-0000-0000-00000000005e') where event_type = 'search'",
    );
    assert_eq!(context["memories"][0]["item_id"], item.as_str());
    assert_eq!(context["memories"][0]["title"], "Incident");
    assert_eq!(context["root_uuid"], REQUEST);

    // A parent that is not there does not stop the search, and is named.
    for parent in ["no uuid", "11111111-1111-1111-1111-111111111111"] {
        client
            .batch_execute(&format!(
                "set memento.parent_event = '{parent}'; select * from memento.search('settlement')"
            ))
            .unwrap();
        assert_eq!(
            texts(
                &mut client,
                "select event_data ->> 'parent_missing' from memento.event_store where parent_uuid is null order by sequence_num desc limit 1"
            ),
            [parent]
        );
    }

    // Where nothing can be written, nothing is.
    let before = count();
    client.batch_execute("begin read only; select * from memento.search('settlement'); commit").unwrap();
    let mode = if cluster.server.major() >= 16 { "debug_parallel_query" } else { "force_parallel_mode" };
    client
        .batch_execute(&format!("set {mode} = on; set parallel_setup_cost = 0; set min_parallel_table_scan_size = 0; select count(*) from pg_class, memento.search('settlement')"))
        .unwrap();
    let reading = count() - before;
    cluster.connect_as("reader", &database);
    client.batch_execute("select memento.grant_access('reader', 'default', 'read')").unwrap();
    let mut reader = cluster.connect_as("reader", &database);
    reader.batch_execute("set memento.record_events = on").unwrap();
    assert_eq!(reader.query("select from memento.search('settlement')", &[]).unwrap().len(), 1);
    assert_eq!(count() - before, reading, "a reader writes nothing");
    assert!(reading <= 1, "a read-only transaction writes nothing");
}

#[test]
fn a_context_keeps_to_its_budget_nearest_first() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    client
        .batch_execute(
            "do $$
             declare parent uuid; item uuid;
             begin
               for n in 1..40 loop
                 item := (memento.remember('memory ' || n, title => 'Memory ' || n) ->> 'item_id')::uuid;
                 -- What is forgotten later takes the event's data along; this one is named when it is gone already.
                 if n = 39 then perform memento.forget(item_id => item); end if;
                 select event_id into parent
                   from memento.emit_event('step ' || n, jsonb_build_object('item_id', item, 'pack_id', item, 'text', repeat('word ', 20)), parent);
               end loop;
             end $$",
        )
        .unwrap();
    let last = "(select event_id from memento.event_store where event_type = 'step 40')";
    for budget in [1, 50, 300, 1000, 3000, 100_000] {
        let context = json(&mut client, &format!("select memento.resume_context({last}, {budget})"));
        let (events, tokens) = (context["events"].as_array().unwrap(), context["tokens"].as_u64().unwrap());
        assert!(tokens <= budget, "{budget}: {tokens}");
        assert_eq!(context["left_out"]["events"], 40 - events.len());
        let depths: Vec<u64> = events.iter().map(|event| event["depth"].as_u64().unwrap()).collect();
        assert!(depths.is_sorted(), "nearest first");
        for (event, depth) in events.iter().zip(&depths) {
            assert_eq!(event["event_type"], format!("step {}", 40 - depth));
        }
        let memories = context["memories"].as_array().unwrap().len();
        let missing = context["missing_memories"].as_array().unwrap().len();
        assert_eq!(missing, usize::from(depths.contains(&1)), "the memory of one was forgotten");
        assert_eq!(context["left_out"]["memories"], events.len() - memories - missing);
        assert_eq!(context["packs"].as_array().unwrap().len(), events.len());
        assert_eq!(context["missing_packs"], context["packs"], "they name no pack that there is");
    }
    let whole = json(&mut client, &format!("select memento.resume_context({last}, 100000)"));
    assert_eq!(
        (whole["events"].as_array().unwrap().len(), whole["memories"].as_array().unwrap().len()),
        (40, 39)
    );
    // One that is too large for the budget does not hide the smaller ones behind it.
    client
        .batch_execute(&format!(
            "select memento.emit_event('large', to_jsonb(repeat('word ', 500000)), {last})"
        ))
        .unwrap();
    let context = json(
        &mut client,
        "select memento.resume_context((select event_id from memento.event_store where event_type = 'large'), 1000)",
    );
    assert!(context["tokens"].as_u64().unwrap() <= 1000);
    assert_eq!(context["left_out"]["events"], 41 - context["events"].as_array().unwrap().len());
}

#[test]
fn an_old_event_table_is_adopted_in_batches_while_it_is_in_use() {
    let cluster = Cluster::start();
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    client
        .batch_execute(
            "create table old_events (event_id varchar(36) primary key, \"instance \"\" id\" text, sequence_num bigint, event_type varchar(64),
                                      \"timestamp\" timestamptz, event_data jsonb);
             insert into old_events select gen_random_uuid(), 'instance ' || n % 7, n, 'tool_use', now() - n * interval '1 minute', to_jsonb(n)
               from generate_series(1, 12000) n;
             insert into old_events values ('not a uuid', null, null, null, null, null)",
        )
        .unwrap();
    let mapping = r#"{"session_id": "instance \" id"}"#;
    let (mut after, mut calls): (Option<String>, i32) = (None, 0);
    loop {
        let row = client
            .query_one("select r ->> 'next_after', (r -> 'read')::int from memento.adopt_event_store('old_events', $1::text::jsonb, 5000, $2) r", &[&mapping, &after])
            .unwrap();
        assert!(row.get::<_, i32>(1) <= 5000);
        after = row.get(0);
        calls += 1;
        client
            .batch_execute("insert into old_events select gen_random_uuid(), 'late', 0, 'late', now(), '{}'")
            .unwrap();
        if after.is_none() {
            break;
        }
    }
    assert_eq!(calls, 3);
    // Again, for what came meanwhile; what is there stays.
    let again = json(&mut client, &format!("select memento.adopt_event_store('old_events', '{mapping}')"));
    assert_eq!((again["read"].as_i64(), again["next_after"].is_null()), (Some(12_004), true));
    assert!(again["adopted"].as_i64().unwrap() >= 1);
    let row = client
        .query_one(
            "select count(*), count(*) filter (where e.parent_uuid is null and e.depth = 0 and e.root_uuid = e.event_id),
                    count(*) filter (where o.event_data = e.event_data and o.timestamp = e.timestamp and o.event_type = e.event_type and o.sequence_num = e.sequence_num),
                    count(distinct session_id)
               from memento.event_store e left join old_events o on o.event_id = e.event_id::text",
            &[],
        )
        .unwrap();
    assert_eq!((row.get(0), row.get(1), row.get(2), row.get(3)), (12_004_i64, 12_004_i64, 12_003_i64, 8_i64));

    // The table is read as the caller, not as the owner of the extension.
    cluster.connect_as("writer", &database);
    client.batch_execute("select memento.grant_access('writer', 'default', 'write')").unwrap();
    let mut writer = cluster.connect_as("writer", &database);
    assert_eq!(
        failure(writer.batch_execute("select memento.adopt_event_store('old_events')")).code().code(),
        "42501"
    );
    client.batch_execute("grant select on old_events to writer").unwrap();
    writer.batch_execute("select memento.adopt_event_store('old_events')").unwrap();
}

/// The session keeps its statements; those about tables that are gone are made for the new ones.
#[test]
fn a_session_goes_on_after_the_extension_was_made_anew() {
    let cluster = Cluster::start_with(
        Server::from_environment(),
        Settings { preload: true, lines: vec!["memento.worker = off".to_owned()] },
    );
    let mut client = cluster.connect(&cluster.database());
    let types = format!("select event_type from memento.get_parent_chain('{ERROR}')");
    for _ in 0..2 {
        // More often than it takes to keep a plan for any arguments.
        for _ in 0..7 {
            request_with_an_error(&mut client);
            assert_eq!(texts(&mut client, &types), ["user_message", "spawn_decision", "tool_use", "error"]);
            client.batch_execute("select memento.forget(whole_project => true)").unwrap();
        }
        client
            .batch_execute(
                "set memento.allow_drop = on; drop extension pg_memento; create extension pg_memento",
            )
            .unwrap();
    }
}

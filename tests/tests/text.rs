//! Functions of text with input that no document should be, by SQL.

use memento_tests::Cluster;
use memento_tests::failure::{assert_failure, failure};
use postgres::Client;

/// What can be asked of any text; each gives a number.
const QUESTIONS: [&str; 8] = [
    "select count(*) from memento.chunk_markdown($1)",
    "select count(*) from memento.chunk_markdown($1, 50, 60, 20, 'action_items')",
    "select count(*) from memento.outline($1)",
    "select memento.count_tokens($1)::bigint",
    "select count(*) from memento.tech_token_spans($1)",
    "select count(*) from memento.locate_quote($1, right($1, 40))",
    "select count(*) from memento.check_citations(left($1, 1000000), '{Q-1}')",
    "select length(memento.analyze_query($1)::text)::bigint",
];

fn ask_everything(client: &mut Client, text: &str) {
    for question in QUESTIONS {
        let row = client.query_one(question, &[&text]);
        let answer: i64 = row.unwrap_or_else(|error| panic!("{question}: {error}")).get(0);
        assert!(answer >= 0);
    }
}

/// The slices are the chunks, and leave nothing out but blanks and a byte order mark.
fn assert_exact(client: &mut Client, text: &str) {
    let row = client
        .query_one(
            "select coalesce(bool_and(substr($1, start_char + 1, end_char - start_char) = chunk_text), true),
                    coalesce(sum(length(regexp_replace(chunk_text, '\\s', '', 'g'))), 0)
                      = length(regexp_replace($1, '\\s|\\ufeff', '', 'g'))
               from memento.chunk_markdown($1)",
            &[&text],
        )
        .unwrap();
    assert_eq!((row.get(0), row.get(1)), (true, true), "{:?}", text.chars().take(60).collect::<String>());
}

#[test]
fn small_texts_of_every_kind() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    let texts = [
        String::new(),
        " \t\r\n ".into(),
        "```".into(),
        "~~~~ sql\nselect 1;\n~~~".into(),
        "- ```\n  code\n".into(),
        "مرحبا بالعالم\n\n# שלום\n\nטקסט".into(),
        "👩‍👩‍👧‍👦🇩🇪".repeat(2000),
        format!("a{}", "\u{301}".repeat(5000)),
        "\u{feff}# Title\r\n\r\ntext\rmore".into(),
        "|a|b|\n|-|-|\n".to_owned() + &"|1|2|\n".repeat(2000),
        "a \u{301} b".repeat(500),
    ];
    for text in &texts {
        ask_everything(&mut client, text);
        assert_exact(&mut client, text);
    }
}

#[test]
fn deep_and_large_texts() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    let nested_list: String = (0..10_000).map(|depth| format!("{}- x\n", "  ".repeat(depth % 200))).collect();
    for text in [
        format!("{}x", ">".repeat(10_000)),
        format!("{}x", "> ".repeat(10_000)),
        format!("{}x", "- ".repeat(10_000)),
        nested_list,
        "[".repeat(200_000),
        "*a ".repeat(100_000),
        "`".repeat(200_000),
        "<a ".repeat(100_000),
    ] {
        ask_everything(&mut client, &text);
    }
    // One line of 50 MB.
    ask_everything(&mut client, &"word ".repeat(10_000_000));
}

#[test]
fn a_long_call_can_be_cancelled() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    client
        .batch_execute(
            "create temp table conversation as
                select jsonb_build_array(jsonb_build_object('text', repeat('word. ', 20000000))) as turns;
             set statement_timeout = '500ms'",
        )
        .unwrap();
    for call in [
        "select count(*) from memento.chunk_markdown(repeat('word. ', 60000000))",
        "select count(*) from memento.outline(repeat(E'# a\n', 60000000))",
        "select count(*) from memento.outline(repeat(E'no heading\n\n', 30000000))",
        "select count(*) from conversation, memento.chunk_transcript(turns)",
        "select memento.count_tokens(repeat('word. ', 60000000))",
        "select count(*) from memento.tech_token_spans(repeat('a_b ', 60000000))",
    ] {
        assert_eq!(failure(client.batch_execute(call)).code().code(), "57014", "{call}");
    }
}

#[test]
fn odd_turns_are_read_or_refused() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    let deep = format!("{}{}", "[".repeat(2000), "]".repeat(2000));
    let deep = format!(r#"[{{"text": "x", "more": {deep}}}]"#);
    for turns in [
        r#"[{"text": "x", "start_ts_ms": 9, "end_ts_ms": 20}, {"text": "y", "start_ts_ms": 5, "end_ts_ms": 15}]"#,
        r#"[{"text": "x", "speaker": " ", "start_ts_ms": null, "end_ts_ms": 3, "unknown": {"a": [1e400]}}]"#,
        r#"[{"text": ""}, {"text": "\u00e9\n\\ \"x\""}]"#,
        &deep,
    ] {
        let row = client
            .query_one("select count(*) from memento.chunk_transcript($1::text::jsonb)", &[&turns])
            .unwrap_or_else(|error| panic!("{turns}: {error}"));
        assert_eq!(row.get::<_, i64>(0), 1, "{turns}");
    }
    for turns in [
        r#""text""#,
        "[null]",
        "[[]]",
        r#"[{"text": null}]"#,
        r#"[{"text": 5}]"#,
        r#"[{"text": ["x"]}]"#,
        r#"[{"text": "x", "speaker": 7}]"#,
        r#"[{"text": "x", "start_ts_ms": 1.5}]"#,
        r#"[{"text": "x", "start_ts_ms": 1e30}]"#,
        r#"[{"text": "x", "start_ts_ms": true}]"#,
        r#"[{"text": "x", "end_ts_ms": -1}]"#,
        r#"[{"text": "x"}, {"text": "y", "start_ts_ms": 2, "end_ts_ms": 1}]"#,
    ] {
        let refused = client.query("select memento.chunk_transcript($1::text::jsonb)", &[&turns]);
        assert!(assert_failure(refused, "22023", "VALIDATION_ERROR").hint().is_some(), "{turns}");
    }
    let nothing = client.query(r#"select memento.chunk_transcript('[{"text": "\u0000"}]')"#, &[]);
    assert_eq!(failure(nothing).code().code(), "22P05");
    let nothing = client.query("select memento.chunk_markdown($1)", &[&"a\0b"]);
    assert_eq!(failure(nothing).code().code(), "22021");
}

#[test]
fn sizes_that_make_no_sense_are_refused() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    for sizes in
        ["0", "-1", "2147483647", "10, 9", "10, -10", "10, 2147483647", "10, 20, -1", "10, 20, 2147483647"]
    {
        for call in [
            format!("select memento.chunk_markdown('x', {sizes})"),
            format!(r#"select memento.chunk_transcript('[{{"text": "x"}}]', {sizes})"#),
        ] {
            let refused = client.batch_execute(&call);
            assert!(assert_failure(refused, "22023", "VALIDATION_ERROR").hint().is_some(), "{call}");
        }
    }
    // More overlap than target is cut down to what leaves room.
    client.batch_execute("select memento.chunk_markdown(repeat('word. ', 100), 10, 20, 1000)").unwrap();
}

/// Rows that a function stores itself: as a table, in a list of columns, cut off, and larger than its first buffer.
#[test]
fn stored_rows_are_those_of_any_function() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    let row = client
        .query_one(
            "select (select array_agg(token || ' ' || kind || ' ' || start_char || ' ' || end_char)
                       from memento.tech_token_spans('ä PAY-4012 on V2.8.1')),
                    array(select (memento.tech_token_spans('ä PAY-4012 on V2.8.1')).token),
                    (select count(*) from (select memento.tech_token_spans(repeat('a_b ', 1000)) limit 3) few),
                    (select count(*) from unnest(array['a_b', null, '', 'c_d']) as t(x), memento.tech_token_spans(x))",
            &[],
        )
        .unwrap();
    let found: Vec<String> = row.get(0);
    assert_eq!(found, ["pay-4012 ticket 2 10", "2.8.1 version 14 20"]);
    assert_eq!(row.get::<_, Vec<String>>(1), ["pay-4012", "2.8.1"]);
    assert_eq!((row.get::<_, i64>(2), row.get::<_, i64>(3)), (3, 2));
    let row = client
        .query_one(
            "with said as (select repeat('Some words. ', 100000) || 'The end.' as text)
             select bool_and(chunk_text = 'UNKNOWN: ' || text), count(*), bool_and(start_ts_ms is null)
               from said, memento.chunk_transcript(jsonb_build_array(jsonb_build_object('text', text)), 1000000, 1000000)",
            &[],
        )
        .unwrap();
    assert_eq!((row.get::<_, bool>(0), row.get::<_, i64>(1), row.get::<_, bool>(2)), (true, 1, true));
}

#[test]
fn terms_changed_at_the_same_time_are_all_kept() {
    let cluster = Cluster::start();
    let database = cluster.database();
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let (cluster, database) = (&cluster, &database);
            scope.spawn(move || {
                let mut client = cluster.connect(database);
                for round in 0..10 {
                    let term = format!("term {writer} {round}");
                    client.execute("select memento.add_domain_terms(array[$1])", &[&term]).unwrap();
                }
            });
        }
    });
    let mut client = cluster.connect(&database);
    let kept: i64 = client
        .query_one("select count(*) from memento.domain_terms() t where t like 'term %'", &[])
        .unwrap()
        .get(0);
    assert_eq!(kept, 80);
}

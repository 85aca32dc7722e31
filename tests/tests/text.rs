//! Functions of text with input that no document should be, by SQL.

use memento_tests::Cluster;
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
    let chunks: i64 = client
        .query_one("select count(*) from memento.chunk_markdown(repeat('word ', 10000000))", &[])
        .unwrap()
        .get(0);
    assert!(chunks > 10_000);
}

#[test]
fn a_long_call_can_be_cancelled() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    client.batch_execute("set statement_timeout = '300ms'").unwrap();
    for call in [
        "select count(*) from memento.chunk_markdown(repeat('word. ', 60000000))",
        "select memento.count_tokens(repeat('word. ', 60000000))",
        "select count(*) from memento.tech_token_spans(repeat('a_b ', 60000000))",
    ] {
        let error = client.batch_execute(call).unwrap_err();
        assert_eq!(error.code().unwrap().code(), "57014", "{call}: {error}");
    }
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

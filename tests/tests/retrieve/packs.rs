//! Packs of evidence: made again, and made of documents first.

use memento_tests::failure::assert_failure;
use postgres::Client;
use serde_json::Value;

use super::scene::{cluster, database, embed_all, parsed, remember, replay, retrieve, titles};

fn fill(client: &mut Client) {
    for number in 0..12 {
        let text =
            format!("The ledger of branch {number} was closed {} times by job PAY-40{number}.", number % 5);
        remember(
            client,
            &format!("ledger {number}"),
            if number % 4 == 0 { "decision" } else { "note" },
            &text,
        );
    }
    remember(client, "lunch", "note", "Lunch is at noon, also when the ledger is open.");
    embed_all(client);
}

#[test]
fn the_same_rows_give_the_same_pack_byte_for_byte() {
    let cluster = cluster();
    let (database, mut client) = database(&cluster);
    fill(&mut client);
    let calls = [
        "'who closed the ledger yesterday?'",
        "'ledger PAY-403', debug => true, max_evidence_items => 3, max_total_chars => 120",
        "'ledger', return_style => 'ids_only'",
        "'ledger noon', filters => '{\"kinds\": [\"note\"]}', max_total_tokens => 60, intent => 'status'",
        "'ledger', as_of => now()",
        "'ledger of branch 7', strategy => 'hierarchical', debug => true",
        "''",
    ];
    client.batch_execute("set memento.max_per_item = 2").unwrap();
    let packs: Vec<String> = calls.iter().map(|call| retrieve(&mut client, call)).collect();
    // Another session, with other settings, on another day's statistics, that may not write.
    client.batch_execute("analyze").unwrap();
    let mut other = cluster.connect(&database);
    other
        .batch_execute("set memento.max_per_item = 1; set timezone = 'Pacific/Kiritimati'; set default_transaction_read_only = on")
        .unwrap();
    for (call, pack) in calls.iter().zip(&packs) {
        let (same, changes, again) = replay(&mut other, pack);
        assert_eq!(&again, pack, "{call}");
        assert!(same && changes == serde_json::json!([]), "{call}: {changes}");
    }
    let stored: i64 = client.query_one("select count(*) from memento.evidence_pack", &[]).unwrap().get(0);
    assert_eq!(stored, calls.len() as i64, "a replay keeps nothing");
}

/// The kinds of changes of each piece of evidence, by title.
fn changes_of(client: &mut Client, changes: &Value) -> Vec<(String, String)> {
    let named = |change: &Value| {
        let item = change["item_id"].as_str().unwrap();
        let title = client
            .query_one("select title from memento.item where item_id = $1::text::uuid", &[&item])
            .unwrap()
            .get(0);
        (title, change["change"].as_str().unwrap().to_owned())
    };
    changes.as_array().unwrap().iter().map(named).collect()
}

#[test]
fn a_budget_of_tokens_shortens_snippets_and_is_never_exceeded() {
    let cluster = cluster();
    let (_, mut client) = database(&cluster);
    let filler = "Nothing of interest happened on that day at all. ".repeat(8);
    for number in 0..4 {
        let text = format!("{filler}The ledger number {number} was closed by Ana. {filler}");
        remember(&mut client, &format!("long{number}"), "note", &text);
    }
    for budget in [16, 20, 33, 100, 1000] {
        let pack = parsed(&retrieve(
            &mut client,
            &format!("'who closed the ledger?', max_total_tokens => {budget}"),
        ));
        let quotes = pack["quotes"].as_array().unwrap();
        let snippets: Vec<&str> = quotes.iter().map(|quote| quote["snippet"].as_str().unwrap()).collect();
        let mut tokens = 0;
        for snippet in &snippets {
            let row = client.query_one("select memento.count_tokens($1)", &[snippet]).unwrap();
            tokens += row.get::<_, i32>(0);
        }
        assert!(tokens <= budget, "{tokens} of {budget}: {snippets:?}");
        assert!(!snippets.is_empty() && snippets[0].contains("ledger"), "{budget}: {snippets:?}");
    }
}

#[test]
fn artifacts_leave_room_for_quotes_unless_they_are_asked_for() {
    let cluster = cluster();
    let (_, mut client) = database(&cluster);
    for number in 0..6 {
        remember(&mut client, &format!("a{number}"), "decision", &format!("Ledger freeze {number}."));
        let quote = format!(
            "Somebody said in passing that the ledger freeze number {number} went well, all things considered."
        );
        remember(&mut client, &format!("q{number}"), "note", &quote);
    }
    let mut counts = |arguments: &str| {
        let pack = parsed(&retrieve(&mut client, &format!("'ledger freeze', {arguments}")));
        ["artifacts", "quotes"].map(|part| pack[part].as_array().unwrap().len())
    };
    assert_eq!(counts("max_evidence_items => 8"), [2, 6]);
    assert_eq!(counts("max_evidence_items => 2"), [1, 1]);
    assert_eq!(counts("max_evidence_items => 12"), [6, 6], "what is left is filled");
    assert_eq!(counts("max_evidence_items => 6, intent => 'decision'"), [6, 0]);
    assert_eq!(counts("max_evidence_items => 8, filters => '{\"kinds\": [\"decision\"]}'"), [6, 0]);
}

#[test]
fn a_replay_says_what_has_changed() {
    let cluster = cluster();
    let (_, mut client) = database(&cluster);
    remember(&mut client, "old", "note", "The ledger ledger is closed at midnight.");
    let archived =
        remember(&mut client, "archived", "note", "The ledger ledger ledger may be closed at noon.");
    remember(&mut client, "kept", "note", "A ledger that nobody closed.");
    embed_all(&mut client);
    let pack = retrieve(&mut client, "'ledger closed', max_evidence_items => 3");
    assert_eq!(titles(&parsed(&pack)).len(), 3);
    assert!(replay(&mut client, &pack).0);

    remember(&mut client, "old", "note", "Something else was written here, of rivers.");
    client.execute("select memento.memory_archive($1::text::uuid)", &[&archived]).unwrap();
    remember(&mut client, "new", "note", "The ledger is closed by hand.");
    embed_all(&mut client);
    let (same, changes, again) = replay(&mut client, &pack);
    assert!(!same);
    assert!(titles(&parsed(&again)).contains(&"new".to_owned()), "the pack is as it is now: {again}");
    let changes = changes_of(&mut client, &changes);
    for expected in [("old", "version_superseded"), ("archived", "item_archived"), ("new", "chunk_new")] {
        assert!(changes.contains(&(expected.0.into(), expected.1.into())), "{expected:?}: {changes:?}");
    }
    assert!(
        !changes
            .iter()
            .any(|(title, change)| title == "kept" && change != "moved" && change != "scored_differently")
    );

    // What was live then is what it was, whatever became of it.
    let before: String = client.query_one("select clock_timestamp()::text", &[]).unwrap().get(0);
    let pack = retrieve(&mut client, &format!("'ledger closed', as_of => '{before}'"));
    remember(&mut client, "new", "note", "Other words, of mountains.");
    embed_all(&mut client);
    let (_, changes, again) = replay(&mut client, &pack);
    assert_eq!(titles(&parsed(&again)), titles(&parsed(&pack)), "{changes}");
}

#[test]
fn a_replay_says_that_an_item_is_gone_or_named_otherwise_or_a_lane_off() {
    let cluster = cluster();
    let (_, mut client) = database(&cluster);
    let gone = remember(&mut client, "gone", "note", "The ledger is closed at midnight.");
    remember(&mut client, "named", "note", "The ledger is open at noon.");
    embed_all(&mut client);
    let pack = retrieve(&mut client, "'ledger'");
    client.batch_execute("update memento.item set title = 'renamed' where title = 'named'").unwrap();
    let (same, changes, _) = replay(&mut client, &pack);
    assert!(!same && changes[0]["change"] == "described_differently", "{changes}");
    client.batch_execute("update memento.item set title = 'named' where title = 'renamed'").unwrap();
    assert!(replay(&mut client, &pack).0, "and back again");

    client.batch_execute("delete from memento.chunk_embedding").unwrap();
    let (_, changes, _) = replay(&mut client, &pack);
    let lane = changes.as_array().unwrap().iter().find(|change| change["change"] == "lane").unwrap();
    assert_eq!((&lane["lane"], &lane["was"]), (&"dense".into(), &"exact".into()), "{changes}");

    client.execute("delete from memento.item where item_id = $1::text::uuid", &[&gone]).unwrap();
    let (_, changes, _) = replay(&mut client, &pack);
    assert!(
        changes.as_array().unwrap().iter().any(|change| change["change"] == "item_gone"),
        "past forget(), which takes packs with it: {changes}"
    );
    client.query_one("select memento.forget(item_id) from memento.item", &[]).unwrap();
    let id = parsed(&pack)["query_id"].as_str().unwrap().to_owned();
    let refused = client.query("select memento.replay_pack($1::text::uuid)", &[&id]);
    assert_failure(refused, "P0002", "PACK_NOT_FOUND");
    assert_failure(client.query("select memento.replay_pack(null)", &[]), "22023", "VALIDATION_ERROR");
}

/// A long document with one passage in it that answers, between others, and a summary of the document that is linked with it.
fn an_outage(client: &mut Client) {
    let talk = |n: i32| {
        format!("## Part {n}\n\n{}\n\n", format!("We talked about the menu of week {n}. ").repeat(60))
    };
    let menu = "Somebody read out what there was to eat. ".repeat(20);
    let answer =
        format!("## Part 99\n\n{menu}The reason was a certificate that nobody had renewed. {menu}\n\n");
    let call = [talk(1), talk(2), answer, talk(3), talk(4)].concat();
    let call = remember(client, "call", "transcript", &call);
    let summary = remember(client, "summary", "summary", "Postmortem of the billing outage in March.");
    client
        .execute(
            "select memento.memory_link($1::text::uuid, $2::text::uuid, 'derived_from')",
            &[&summary, &call],
        )
        .unwrap();
    for number in 0..30 {
        let text = format!("The reason of outage {number} was {}.", "found again and ".repeat(number));
        remember(client, &format!("ticket {number}"), "note", &text);
    }
    embed_all(client);
}

#[test]
fn the_best_documents_are_looked_into_and_nothing_else_is_lost() {
    const QUERY: &str = "'reason of the billing outage postmortem', max_evidence_items => 40, max_total_chars => 80000, max_per_item => 10";
    let cluster = cluster();
    let (_, mut client) = database(&cluster);
    an_outage(&mut client);
    let global = parsed(&retrieve(&mut client, QUERY));
    let deep = parsed(&retrieve(&mut client, &format!("{QUERY}, strategy => 'hierarchical', debug => true")));
    let notes = &deep["notes"]["retrieval"];
    let call: String =
        client.query_one("select item_id::text from memento.item where title = 'call'", &[]).unwrap().get(0);
    let documents = notes["hierarchy"]["documents"].as_array().unwrap();
    assert!(documents.contains(&call.as_str().into()), "the summary brings its call: {notes}");
    assert!(documents.len() <= 8 && notes["hierarchy"]["fallback"].is_null(), "{notes}");
    assert_eq!(notes["artifact_chunk_lex_topk"], 10);
    for lane in ["fts_artifacts", "fts_documents", "dense_documents"] {
        assert_eq!(notes["lane_details"][lane]["ran"], true, "{lane}: {notes}");
    }
    let place = |pack: &Value| {
        let quotes = pack["quotes"].as_array().unwrap();
        quotes
            .iter()
            .position(|one| one["snippet"].as_str().unwrap().contains("certificate"))
            .unwrap_or(usize::MAX)
    };
    assert!(place(&deep) < place(&global), "{} and {}", place(&deep), place(&global));
    assert_eq!(titles(&deep)[0], "summary");
    assert!(titles(&deep).iter().any(|title| title.starts_with("ticket")), "others are still found");
    assert!(global["notes"]["retrieval"]["hierarchy"].is_null());
}

#[test]
fn what_only_the_lanes_that_look_everywhere_find_is_found_all_the_same() {
    let cluster = cluster();
    let (_, mut client) = database(&cluster);
    an_outage(&mut client);
    remember(&mut client, "code", "note", "BIL-7007 is a code.");
    embed_all(&mut client);
    let query = "'billing outage postmortem BIL-7007', max_evidence_items => 2, strategy => 'hierarchical'";
    assert!(titles(&parsed(&retrieve(&mut client, query))).contains(&"code".to_owned()));
    // Filters hold for every stage.
    let query =
        "'reason of the billing outage', strategy => 'hierarchical', filters => '{\"kinds\": [\"note\"]}'";
    let found = titles(&parsed(&retrieve(&mut client, query)));
    assert!(found.iter().any(|title| title.starts_with("ticket")), "{found:?}");
    assert!(!found.iter().any(|title| title == "call" || title == "summary"), "{found:?}");
}

#[test]
fn a_query_that_tells_no_documents_apart_is_answered_from_everywhere() {
    let cluster = cluster();
    let (_, mut client) = database(&cluster);
    for number in 0..30 {
        remember(&mut client, &format!("same {number}"), "note", "the same words in each of them");
    }
    embed_all(&mut client);
    let global = parsed(&retrieve(&mut client, "'same words'"));
    let deep = parsed(&retrieve(&mut client, "'same words', strategy => 'hierarchical'"));
    assert_eq!(deep["quotes"], global["quotes"]);
    assert_eq!(deep["notes"]["retrieval"]["hierarchy"]["fallback"], "no lane tells the documents apart");
    let refused = client.query("select memento.retrieve('x', strategy => 'deep')", &[]);
    assert_failure(refused, "22023", "VALIDATION_ERROR");
}

#[test]
fn what_lanes_add_to_a_place_is_its_score() {
    let cluster = cluster();
    let (_, mut client) = database(&cluster);
    fill(&mut client);
    remember(
        &mut client,
        "chat",
        "chat",
        "user: which job closes the ledger?\nassistant: The ledger is closed by PAY-403.\nuser: and who opens the ledger?",
    );
    client
        .batch_execute("select memento.memory_pin(item_id) from memento.item where title = 'ledger 3'")
        .unwrap();
    embed_all(&mut client);
    for arguments in
        ["'who closed the ledger with PAY-403?'", "'who closed the ledger?', strategy => 'hierarchical'"]
    {
        let pack = parsed(&retrieve(&mut client, arguments));
        let rows = client
            .query(
                "select place, sum(contribution), min(fused_score), bool_or(lane like '%_people') from memento.explain_pack($1::text::uuid) group by place",
                &[&pack["query_id"].as_str()],
            )
            .unwrap();
        assert!(rows.len() > 3, "{pack}");
        assert!(rows.iter().any(|row| row.get(3)), "what the model did not say counts once more: {pack}");
        for row in rows {
            let (sum, score): (f64, f64) = (row.get(1), row.get(2));
            assert!((sum - score).abs() < 1e-9, "{arguments}: {sum} is not {score}");
        }
    }
}

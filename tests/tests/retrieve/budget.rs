//! Budgets are kept exactly, over all that a pack holds.

use std::collections::BTreeMap;

use postgres::Client;
use serde_json::Value;

use super::scene::{cluster, database, embed_all, parsed, remember, retrieve, snippets};

/// Long and short passages, decisions, and artifacts whose sentences are events.
fn scene(client: &mut Client) {
    let filler = "Nothing of interest happened on that day at all. ".repeat(8);
    for number in 0..6 {
        let text = format!("{filler}The ledger number {number} was closed by Ana. {filler}");
        remember(client, &format!("long {number}"), "note", &text);
        remember(
            client,
            &format!("decision {number}"),
            "decision",
            &format!("The ledger {number} is closed."),
        );
        client
            .execute(
                "select memento.artifact_ingest('note', 'test', $1, source_id => $2)",
                &[&format!("Decision: We will use ledger {number} for storage. Decision: We will close ledger {number} at noon."), &number.to_string()],
            )
            .unwrap();
    }
    embed_all(client);
}

fn texts<'a>(pack: &'a Value, part: &str, fields: &[&str]) -> Vec<&'a str> {
    let all = pack[part].as_array().unwrap();
    all.iter()
        .flat_map(|one| fields.iter().map(|field| one[*field].as_str().unwrap()).collect::<Vec<_>>())
        .collect()
}

#[test]
fn characters_tokens_and_items_are_never_exceeded() {
    let cluster = cluster();
    let (_, mut client) = database(&cluster);
    scene(&mut client);
    let mut events = 0;
    for items in [1, 2, 3, 4, 8, 40] {
        for chars in [1, 39, 60, 150, 700, 6000] {
            for tokens in [None, Some(1), Some(20), Some(90)] {
                let most = tokens.map_or("null".to_owned(), |tokens: usize| tokens.to_string());
                let call = format!(
                    "'ledger storage closed noon', max_evidence_items => {items}, max_total_chars => {chars}, max_total_tokens => {most}"
                );
                let pack = parsed(&retrieve(&mut client, &call));
                let parts =
                    ["artifacts", "quotes", "events"].map(|part| pack[part].as_array().unwrap().len());
                assert!(parts.iter().sum::<usize>() <= items, "{call}: {parts:?}");
                let mut shown = texts(&pack, "artifacts", &["snippet"]);
                shown.extend(texts(&pack, "quotes", &["snippet"]));
                shown.extend(texts(&pack, "events", &["narrative", "quote"]));
                let length: usize = shown.iter().map(|text| text.chars().count()).sum();
                assert!(length <= chars, "{call}: {length}");
                let counted: i64 = client
                    .query_one(
                        "select coalesce(sum(memento.count_tokens(t)), 0)::bigint from unnest($1::text[]) t",
                        &[&shown],
                    )
                    .unwrap()
                    .get(0);
                assert!(tokens.is_none_or(|tokens| counted as usize <= tokens), "{call}: {counted}");
                events += parts[2];
            }
        }
    }
    assert!(events > 0, "some packs have events");
}

#[test]
fn events_take_one_place_in_four_of_a_full_pack() {
    let cluster = cluster();
    let (_, mut client) = database(&cluster);
    scene(&mut client);
    for (items, events) in [(3, 0), (4, 1), (8, 2)] {
        let call = format!(
            "'ledger storage noon', max_evidence_items => {items}, filters => '{{\"source_systems\": [\"test\"]}}'"
        );
        let pack = parsed(&retrieve(&mut client, &call));
        assert_eq!(pack["events"].as_array().unwrap().len(), events, "{pack}");
        assert_eq!(snippets(&pack).len(), items - events, "{pack}");
    }
}

#[test]
fn no_item_has_more_pieces_than_it_may_in_a_pack() {
    let cluster = cluster();
    let (_, mut client) = database(&cluster);
    let section = |n: i32| format!("## Part {n}\n\n{}\n\n", "backup of the archive ".repeat(150));
    for document in ["one", "two"] {
        remember(&mut client, document, "note", &(0..6).map(section).collect::<String>());
    }
    embed_all(&mut client);
    for most in [1, 2, 5] {
        let call = format!(
            "'backup archive', max_evidence_items => 20, max_total_chars => 100000, max_per_item => {most}"
        );
        let pack = parsed(&retrieve(&mut client, &call));
        let mut of_item: BTreeMap<&str, i32> = BTreeMap::new();
        for quote in pack["quotes"].as_array().unwrap() {
            *of_item.entry(quote["item_id"].as_str().unwrap()).or_default() += 1;
        }
        assert_eq!(
            of_item.into_values().collect::<Vec<_>>(),
            [most, most],
            "strictly, also where there is room"
        );
    }
    // In a search it is a preference: the rest follows.
    client.batch_execute("set memento.max_per_item = 1").unwrap();
    let rows = client.query("select item_id::text from memento.search('backup archive', 6)", &[]).unwrap();
    let items: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
    assert_eq!(items.len(), 6);
    assert_ne!(items[0], items[1]);
}

#[test]
fn expand_gives_what_is_around_a_passage_and_no_more_than_asked_for() {
    let cluster = cluster();
    let (_, mut client) = database(&cluster);
    let section = |n: i32| format!("## Part {n}\n\n{}\n\n", format!("part {n} of the archive ").repeat(90));
    let document = (0..5).map(section).collect::<String>();
    remember(&mut client, "one", "note", &document);
    embed_all(&mut client);
    let length = document.trim_end().chars().count();
    let chunk = "select chunk_id, start_char, end_char from memento.chunk where chunk_text like '%Part 2%'";
    let row = client.query_one(chunk, &[]).unwrap();
    let (id, start, end): (i64, i32, i32) = (row.get(0), row.get(1), row.get(2));
    for most in [1, 100, end - start, end - start + 500, 1_000_000] {
        let row =
            client.query_one("select memento.expand('Q-' || $1::bigint, $2)::text", &[&id, &most]).unwrap();
        let shown = parsed(row.get(0));
        let (first, last) = (shown["start_char"].as_i64().unwrap(), shown["end_char"].as_i64().unwrap());
        let text = shown["text"].as_str().unwrap();
        let exact: String = document.chars().skip(first as usize).take((last - first) as usize).collect();
        assert_eq!(text, exact, "{most}");
        assert!(text.chars().count() <= most as usize, "{most}: {first} to {last}");
        let (start, end) = (i64::from(start), i64::from(end));
        if most > (end - start) as i32 {
            assert!(first < start && last > end, "text of both sides: {first} to {last}");
        } else {
            assert_eq!(first, start, "the beginning of the passage");
        }
        assert_eq!(shown["has_more_before"], first > 0);
        assert_eq!(shown["has_more_after"], (last as usize) < length, "{most}: {last} of {length}");
    }
}

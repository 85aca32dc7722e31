//! Where evidence comes from: who says it, and in which conversation.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::scene::{cluster, database, embed_all, parsed, remember, retrieve};

#[test]
fn evidence_has_speakers_and_the_conversation_that_it_is_of() {
    let cluster = cluster();
    let (_, mut client) = database(&cluster);
    let call = remember(
        &mut client,
        "call",
        "transcript",
        "Ana: The ledger is closed at midnight.\nBen: The ledger was open at noon.",
    );
    let alone =
        remember(&mut client, "alone", "chat", "Ana: The ledger has a lock.\nAna: The ledger has a key.");
    let summary = remember(&mut client, "summary", "summary", "They talked about the ledger.");
    remember(&mut client, "note", "note", "The ledger is a book.");
    client
        .execute(
            "select memento.memory_link($1::text::uuid, $2::text::uuid, 'derived_from')",
            &[&summary, &call],
        )
        .unwrap();
    embed_all(&mut client);
    let pack = parsed(&retrieve(&mut client, "'ledger'"));
    let all = [&pack["artifacts"], &pack["quotes"]].map(|part| part.as_array().unwrap().clone()).concat();
    let by_title: BTreeMap<&str, &Value> =
        all.iter().map(|one| (one["title"].as_str().unwrap(), one)).collect();
    assert_eq!(by_title["call"]["call_id"], call);
    assert_eq!(
        (&by_title["call"]["speaker"], &by_title["call"]["speakers"]),
        (&json!("MULTI"), &json!(["ana", "ben"]))
    );
    assert_eq!(by_title["alone"]["call_id"], alone);
    assert_eq!(
        (&by_title["alone"]["speaker"], &by_title["alone"]["speakers"]),
        (&json!("ana"), &json!(["ana"]))
    );
    assert_eq!(by_title["summary"]["call_id"], call, "what it was made from");
    assert_eq!((&by_title["note"]["call_id"], &by_title["note"]["speaker"]), (&Value::Null, &Value::Null));
}

#[test]
fn a_call_has_no_more_quotes_than_it_may_whatever_items_they_are_in() {
    let cluster = cluster();
    let (_, mut client) = database(&cluster);
    let call =
        remember(&mut client, "call", "transcript", "Ana: The ledger is closed.\nBen: The ledger is open.");
    for number in 0..4 {
        let part =
            remember(&mut client, &format!("part {number}"), "note", &format!("The ledger, part {number}."));
        client
            .execute("select memento.memory_link($1::text::uuid, $2::text::uuid, 'part_of')", &[&part, &call])
            .unwrap();
    }
    remember(&mut client, "other", "note", "The ledger is a book.");
    embed_all(&mut client);
    let pack = parsed(&retrieve(&mut client, "'ledger', max_per_item => 2"));
    let quotes = pack["quotes"].as_array().unwrap();
    assert_eq!(quotes.iter().filter(|one| one["call_id"] == call).count(), 2, "{pack}");
    assert_eq!(quotes.len(), 3, "{pack}");
}

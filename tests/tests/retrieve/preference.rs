//! What is preferred among what lanes find: canonical, of the kind that has such answers, of the time that is meant.

use postgres::Client;
use serde_json::Value;

use super::scene::{cluster, database, embed_all, parsed, remember, retrieve};

/// Titles and lanes of a search.
fn search(client: &mut Client, query: &str) -> Vec<(String, Value)> {
    let rows = client.query("select title, lanes::text from memento.search($1)", &[&query]).unwrap();
    rows.iter().map(|row| (row.get(0), parsed(row.get(1)))).collect()
}

#[test]
fn canonical_comes_first_among_equals_and_says_so() {
    let cluster = cluster();
    let (_, mut client) = database(&cluster);
    for name in ["first", "second", "third"] {
        remember(&mut client, name, "note", "The ledger is closed at midnight.");
    }
    embed_all(&mut client);
    assert_eq!(search(&mut client, "ledger midnight")[0].0, "first", "by chunk");
    client.batch_execute("update memento.item set canonical_key = 'ledger' where title = 'third'").unwrap();
    let found = search(&mut client, "ledger midnight");
    assert_eq!((found[0].0.as_str(), &found[0].1["canonical"]["rank"]), ("third", &1.into()), "{found:?}");
    client.batch_execute("update memento.item set canonical_key = null; update memento.item set pinned = true where title = 'second'").unwrap();
    assert_eq!(search(&mut client, "ledger midnight")[0].0, "second");
}

/// The long answer of a model uses all words of what it answers, and more often.
#[test]
fn what_somebody_told_a_model_comes_before_the_answer_to_it() {
    let cluster = cluster();
    let (_, mut client) = database(&cluster);
    let advice = "A dentist in Porto is a good dentist to have in Porto. Ask the dentist in Porto for an appointment. ";
    let chat =
        format!("user: My dentist in Porto is Ruiz, since last spring.\n\nassistant: {}", advice.repeat(4));
    remember(&mut client, "chat", "chat", &chat);
    remember(&mut client, "note", "note", &chat);
    embed_all(&mut client);
    let rows = client
        .query("select excerpt, title, lanes ? 'fts_people' from memento.search('dentist in Porto')", &[])
        .unwrap();
    let found: Vec<(bool, String, bool)> = rows
        .iter()
        .map(|row| (row.get::<_, String>(0).starts_with("user:"), row.get(1), row.get(2)))
        .collect();
    let place = |wanted: &(bool, &str, bool)| {
        found.iter().position(|(is_user, title, people)| (*is_user, title.as_str(), *people) == *wanted)
    };
    let (said, answer) = (place(&(true, "chat", true)), place(&(false, "chat", false)));
    assert!(said.is_some() && answer.is_some() && said < answer, "{found:?}");
    assert!(
        found.iter().any(|(_, title, people)| title == "note" && *people),
        "nobody speaks in a note: {found:?}"
    );
}

#[test]
fn the_intent_prefers_kinds_that_have_such_answers_among_equals() {
    let cluster = cluster();
    let (_, mut client) = database(&cluster);
    let kinds = ["note", "decision", "action_item", "chat", "tech_notes", "summary"];
    for kind in kinds {
        remember(&mut client, kind, kind, "The ledger freeze, and what we decided about it.");
    }
    embed_all(&mut client);
    let mut first = |arguments: &str| {
        let pack =
            parsed(&retrieve(&mut client, &format!("{arguments}, max_evidence_items => 1, debug => true")));
        let all = [&pack["artifacts"], &pack["quotes"]].map(|part| part.as_array().unwrap().clone()).concat();
        (all[0]["title"].as_str().unwrap().to_owned(), all[0]["lanes"].get("intent").is_some())
    };
    for (intent, kind) in [
        ("decision", "decision"),
        ("action_items", "action_item"),
        ("who_said", "chat"),
        ("troubleshooting", "tech_notes"),
        ("status", "summary"),
    ] {
        assert_eq!(first(&format!("'ledger freeze', intent => '{intent}'")), (kind.to_owned(), true));
    }
    assert_eq!(first("'ledger freeze'"), ("note".to_owned(), false));
    assert_eq!(
        first("'what did we decide about the ledger freeze?'"),
        ("decision".to_owned(), true),
        "the query tells"
    );
    assert_eq!(
        first("'what did we decide about the ledger freeze?', intent => 'auto'"),
        ("note".to_owned(), false),
        "unless it is told not to"
    );
}

#[test]
fn a_better_answer_of_another_kind_stays_in_front() {
    let cluster = cluster();
    let (_, mut client) = database(&cluster);
    remember(&mut client, "answer", "note", "We decided that the ledger of Lisbon is frozen in March.");
    remember(&mut client, "other", "decision", "The canteen is closed on Mondays, as was decided.");
    embed_all(&mut client);
    let found = search(&mut client, "what did we decide about the frozen ledger of Lisbon?");
    assert_eq!(found[0].0, "answer", "{found:?}");
}

#[test]
fn the_time_that_is_meant_is_preferred_among_equals() {
    let cluster = cluster();
    let (_, mut client) = database(&cluster);
    for (name, created) in [
        ("now", "now()"),
        ("march", "timestamptz '2024-03-15 12:00Z'"),
        ("april", "timestamptz '2024-04-15 12:00Z'"),
    ] {
        let item = remember(&mut client, name, "note", "The ledger is closed at midnight.");
        client
            .execute(
                &format!("update memento.item set created_at = {created} where item_id = $1::text::uuid"),
                &[&item],
            )
            .unwrap();
    }
    embed_all(&mut client);
    for (query, title) in [
        ("ledger midnight", "now"),
        ("was the ledger closed in March 2024?", "march"),
        ("was the ledger closed in April 2024?", "april"),
        ("was the ledger closed in May 2024?", "now"),
    ] {
        let found = search(&mut client, query);
        assert_eq!(found.len(), 3, "nothing is filtered out: {found:?}");
        assert_eq!(found[0].0, title, "{query}: {found:?}");
    }
    client.batch_execute("select memento.set_search_weights('{\"time\": 0}')").unwrap();
    assert_eq!(search(&mut client, "was the ledger closed in March 2024?")[0].0, "now");
}

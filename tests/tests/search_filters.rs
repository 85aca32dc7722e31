//! Filters that keep parts of what was remembered: who speaks there, and of whom and what. In every lane, and in lists.

use memento_tests::Cluster;
use postgres::Client;

/// Says much of the same subject, so that each speaker fills chunks of her own.
fn turn(name: &str, subject: &str) -> String {
    let said: String = (0..60)
        .map(|number| format!("The {subject} number {number} is closed at midnight by the accounting team. "))
        .collect();
    format!("{name}: {said}\n")
}

fn with_conversation() -> (Cluster, Client) {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    client
        .batch_execute(
            "select memento.embedding_profiles_upsert('words', 'hash', 'words', 64);
             select memento.embedding_profiles_activate('words');",
        )
        .unwrap();
    let call = [turn("Ana Lima", "ledger"), turn("Tom", "ledger"), turn("Ana Lima", "archive")].concat();
    let ingest = "select memento.artifact_ingest('chat', 'calls', $1, 'call-1', title => 'Closing call')";
    client.execute(ingest, &[&call]).unwrap();
    client
        .execute("select memento.remember('Ana Lima: the ledger of a note', title => 'Note')", &[])
        .unwrap();
    let idle: bool = client.query_one("select memento.wait_until_idle('60 s')", &[]).unwrap().get(0);
    assert!(idle);
    (cluster, client)
}

/// Excerpts that a search finds, and the lanes that have found them.
fn found(client: &mut Client, query: &str, filters: &str) -> Vec<(String, String)> {
    client
        .query(
            "select excerpt, lanes::text from memento.search($1, 50, $2::text::jsonb)",
            &[&query, &filters],
        )
        .unwrap()
        .iter()
        .map(|row| (row.get(0), row.get(1)))
        .collect()
}

#[test]
fn parts_in_which_somebody_speaks() {
    let (_cluster, mut client) = with_conversation();
    let all = found(&mut client, "ledger", "{}");
    let (ana, tom) = (
        found(&mut client, "ledger", r#"{"speakers": ["ANA  Lima"]}"#),
        found(&mut client, "ledger", r#"{"speakers": ["@tom"]}"#),
    );
    assert!(ana.len() > 1 && tom.len() > 1, "a long turn has several parts: {} and {}", ana.len(), tom.len());
    assert!(ana.len() < all.len() && tom.len() < all.len());
    // A part that goes on with a turn has no name in it, and is of whoever speaks.
    assert!(tom.iter().any(|(excerpt, _)| !excerpt.contains("Tom:")));
    assert!(tom.iter().all(|(excerpt, _)| !excerpt.contains("Ana Lima: The ledger")), "{tom:?}");
    assert!(
        tom.iter().any(|(_, lanes)| lanes.contains("dense"))
            && tom.iter().any(|(_, lanes)| lanes.contains("fts"))
    );
    let both = found(&mut client, "ledger", r#"{"speakers": ["tom", "ana lima"]}"#);
    assert_eq!(both.len(), all.len() - 1, "a note is no conversation");
    assert!(found(&mut client, "ledger", r#"{"speakers": ["eve"]}"#).is_empty());
    // Together with what is said of the item.
    assert!(found(&mut client, "ledger", r#"{"speakers": ["tom"], "kinds": ["note"]}"#).is_empty());
}

#[test]
fn parts_that_mention_somebody() {
    let (_cluster, mut client) = with_conversation();
    let named = found(&mut client, "ledger", r#"{"entities": ["ana lima"]}"#);
    assert!(!named.is_empty() && named.iter().all(|(excerpt, _)| excerpt.contains("Ana Lima")), "{named:?}");
    let key: String = client
        .query_one("select entity_id from memento.entity where canonical_name = 'Ana Lima'", &[])
        .unwrap()
        .get(0);
    assert_eq!(found(&mut client, "ledger", &format!(r#"{{"entities": ["{key}"]}}"#)), named);
    // By another name that a text has for her.
    client
        .execute(
            "insert into memento.entity_mention (project_id, version_id, entity_id, start_char, end_char, surface)
             select project_id, version_id, $1, 14, 20, 'ledger' from memento.version where content like '%of a note'",
            &[&key],
        )
        .unwrap();
    let found_by_other = found(&mut client, "ledger", r#"{"entities": ["Ledger"]}"#);
    assert_eq!(found_by_other.len(), named.len() + 1);
    assert!(found(&mut client, "ledger", r#"{"entities": ["Nobody"]}"#).is_empty());
}

#[test]
fn lists_have_the_items_of_such_parts() {
    let (_cluster, mut client) = with_conversation();
    let mut titles = |filters: &str| -> Vec<String> {
        client
            .query_one(
                "select array(select i ->> 'title' from jsonb_array_elements(memento.memory_list($1::text::jsonb) -> 'items') i)",
                &[&filters],
            )
            .unwrap()
            .get(0)
    };
    assert_eq!(titles(r#"{"speakers": ["tom"]}"#), ["Closing call"]);
    assert_eq!(titles(r#"{"entities": ["tom"]}"#), ["Closing call"]);
    assert!(titles(r#"{"speakers": ["eve"]}"#).is_empty());
    assert_eq!(titles("{}").len(), 2);
}

//! A pack is made again with what it was made with, whatever session, project and statistics have become.

use postgres::Client;
use serde_json::{Value, json};

use super::scene::{cluster, database, embed_all, parsed, remember, replay, retrieve};

fn fill(client: &mut Client) {
    for number in 0..12 {
        let text = format!("The ledger of branch {number} was closed{}.", " and closed again".repeat(number));
        remember(client, &format!("ledger {number}"), "note", &text);
    }
    embed_all(client);
}

fn assert_same(client: &mut Client, pack: &str, why: &str) {
    let (same, changes, again) = replay(client, pack);
    assert_eq!((again.as_str(), &changes), (pack, &json!([])), "{why}");
    assert!(same, "{why}");
}

#[test]
fn how_full_text_search_ranks_is_kept() {
    let cluster = cluster();
    let (_, mut client) = database(&cluster);
    fill(&mut client);
    client.batch_execute("set memento.bm25_k1 = 0.3; set memento.bm25_b = 0.1").unwrap();
    let pack = retrieve(&mut client, "'who closed the ledger again?', debug => true");
    client.batch_execute("set memento.bm25_k1 = 2.5; set memento.bm25_b = 1").unwrap();
    assert_ne!(
        parsed(&retrieve(&mut client, "'who closed the ledger again?', debug => true"))["quotes"],
        parsed(&pack)["quotes"]
    );
    assert_same(&mut client, &pack, "k1 and b");
    let shown: String = client.query_one("show memento.bm25_b", &[]).unwrap().get(0);
    assert_eq!(shown, "1", "the session's own are as before");
}

#[test]
fn the_embedding_profile_is_kept() {
    let cluster = cluster();
    let (_, mut client) = database(&cluster);
    fill(&mut client);
    let pack = retrieve(&mut client, "'ledger of branch 7', debug => true");
    client
        .batch_execute(
            "select memento.embedding_profiles_upsert('narrow', 'hash', 'narrow', 3);
             select memento.embedding_profiles_activate('narrow', true);",
        )
        .unwrap();
    embed_all(&mut client);
    assert_ne!(
        parsed(&retrieve(&mut client, "'ledger of branch 7', debug => true"))["quotes"],
        parsed(&pack)["quotes"]
    );
    assert_same(&mut client, &pack, "the profile of then");
    client.batch_execute("delete from memento.chunk_embedding e using memento.embedding_profile p where p.profile_id = e.profile_id and p.name = 'words'").unwrap();
    let (same, changes, _) = replay(&mut client, &pack);
    let lane = changes.as_array().unwrap().iter().find(|change| change["change"] == "lane").cloned();
    assert!(!same && lane.is_some_and(|lane| lane["lane"] == "dense"), "{changes}");
}

/// The planner reads few vectors one by one, and asks an index where it takes them for many.
#[test]
fn vectors_that_were_compared_one_by_one_are_again() {
    let cluster = cluster();
    let (_, mut client) = database(&cluster);
    fill(&mut client);
    let pack = retrieve(&mut client, "'ledger of branch 7', debug => true");
    let used = |pack: &Value| pack["notes"]["retrieval"]["lane_details"]["dense"]["used"].clone();
    assert_eq!(used(&parsed(&pack)), "exact");
    // As if ANALYZE had seen a project of millions.
    client
        .batch_execute(
            "update pg_class set reltuples = 5000000, relpages = greatest(relpages, 1)
              where oid = any (array['memento.chunk', 'memento.version', 'memento.item', 'memento.chunk_embedding']::regclass[])",
        )
        .unwrap();
    assert_same(&mut client, &pack, "one by one");
}

#[test]
fn what_else_than_rows_may_have_made_the_difference_is_said() {
    let cluster = cluster();
    let (_, mut client) = database(&cluster);
    fill(&mut client);
    let pack = retrieve(&mut client, "'ledger of branch 7', debug => true");
    // As another version of the extension would have made it.
    client
        .batch_execute(
            "update memento.evidence_pack set digest = sha256('other'), settings = jsonb_set(settings, '{extension}', '\"0.0.1\"')",
        )
        .unwrap();
    let (same, changes, _) = replay(&mut client, &pack);
    assert!(!same);
    let version = json!({"change": "extension", "was": "0.0.1", "is": memento_tests::VERSION});
    assert!(changes.as_array().unwrap().contains(&version), "{changes}");
}

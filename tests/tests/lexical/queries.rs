//! Any query, and what it finds.

use memento_tests::Cluster;
use memento_tests::hostile::HOSTILE;
use postgres::Client;

use super::scene::{count_all, remember, search, without_worker};

/// Every hostile query is answered, and the session goes on.
pub fn survives_hostile_queries(client: &mut Client) {
    for query in HOSTILE.iter() {
        search(client, query, 10);
    }
    assert!(!search(client, "storage", 1).is_empty());
}

#[test]
fn no_query_is_an_error() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    remember(&mut client, "1", "storage of \\ 'quoted' a.b/c-d words");
    survives_hostile_queries(&mut client);
    assert_eq!(search(&mut client, "the of", 10), []);
    assert_eq!(search(&mut client, &"storage ".repeat(100_000), 10).len(), 1);
}

#[test]
fn parts_of_identifiers_are_found() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    remember(&mut client, "1", "at com.example.pay.LedgerService (ledger_main.rs:17) key=PAY-4012");
    for query in
        ["ledgerservice", "ledger_main", "main.rs", "PAY 4012", "com.example.pay.LedgerService", "4012"]
    {
        assert_eq!(search(&mut client, query, 10).len(), 1, "{query}");
    }
}

/// More chunks than are looked at for a frequent word: with the budget of 5,000 and a rare word, and without.
#[test]
fn many_chunks_are_found_never_short() {
    let cluster = without_worker();
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    // One document with a chunk for each paragraph, and one that is the same.
    let document: String = (0..6500)
        .map(|n| {
            format!("# Part {n}\n\nfrequent words here{}\n\n", if n % 1000 == 7 { " rarity" } else { "" })
        })
        .collect();
    remember(&mut client, "1", &document);
    client.execute("select memento.remember('frequent', kind => 'single')", &[]).unwrap();
    count_all(&mut client);
    let chunks: i64 = client.query_one("select count(*) from memento.chunk", &[]).unwrap().get(0);
    let found = search(&mut client, "frequent rarity", 100);
    assert_eq!(found.len(), 100.min(chunks as usize));
    assert!(found.is_sorted_by(|a, b| (-a.1, a.0) <= (-b.1, b.0)), "best first, ties by chunk");
    assert_eq!(search(&mut client, "frequent rarity", 100), found, "the same again");
    let single = client
        .query("select chunk_id from memento.search('frequent rarity', 10, '{\"kinds\": [\"single\"]}')", &[])
        .unwrap();
    assert_eq!(single.len(), 1, "also where the filter keeps one of many");
}

#[test]
fn former_versions_are_found_by_their_words() {
    let cluster = without_worker();
    let mut client = cluster.connect(&cluster.database());
    remember(&mut client, "1", "the harbour is open");
    let then: String = client.query_one("select clock_timestamp()::text", &[]).unwrap().get(0);
    remember(&mut client, "1", "the lantern is lit");
    count_all(&mut client);
    let mut at = |query: &str| {
        client
            .query("select excerpt from memento.search($1, as_of => $2::text::timestamptz)", &[&query, &then])
            .unwrap()
            .len()
    };
    assert_eq!((at("harbour"), at("lantern")), (1, 0));
    assert_eq!((search(&mut client, "harbour", 5).len(), search(&mut client, "lantern", 5).len()), (0, 1));
}

#[test]
fn searches_work_where_nothing_can_be_written() {
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    remember(&mut client, "1", "harbour");
    client.batch_execute("set default_transaction_read_only = on").unwrap();
    assert_eq!(search(&mut client, "harbour", 5).len(), 1);
}

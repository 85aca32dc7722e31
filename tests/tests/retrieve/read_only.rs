//! What reads, reads where nothing can be written: in a transaction that is read-only, and on a standby.

use memento_tests::eventually;
use postgres::Client;

use super::scene::{cluster, database, embed_all, parsed, remember};

fn asked(client: &mut Client) -> Vec<String> {
    const QUERIES: &str = "(select jsonb_agg(jsonb_build_object('query', title, 'relevant', jsonb_build_array(item_id)) order by title) from memento.item)";
    let eval = format!(
        "select string_agg(format('%s %s %s', lane, recall, ndcg), ', ' order by lane) from memento.eval({QUERIES}, 3)"
    );
    let tune = format!("select (memento.tune_weights({QUERIES}) - 'tried')::text");
    let deep = "select (memento.retrieve('ledger three', strategy => 'hierarchical') - 'notes')::text";
    let stored =
        "select memento.retrieve('ledger', strategy => 'hierarchical') #>> '{notes,not_stored_because}'";
    [eval.as_str(), &tune, deep, stored]
        .map(|statement| {
            client.query_one(statement, &[]).unwrap_or_else(|error| panic!("{statement}: {error:?}")).get(0)
        })
        .into()
}

#[test]
fn quality_is_measured_and_documents_are_looked_into_on_a_standby() {
    let cluster = cluster();
    let (database, mut client) = database(&cluster);
    for (number, word) in "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty"
        .split(' ')
        .enumerate()
    {
        remember(&mut client, &format!("ledger {word}"), "note", &format!("The ledger {word} is closed at {number} by hand."));
    }
    embed_all(&mut client);
    let mut here = cluster.connect(&database);
    here.batch_execute("set default_transaction_read_only = on").unwrap();
    let first = asked(&mut here);
    assert!(first[0].contains("fused") && first[1].contains("held_out"), "{first:?}");
    assert_eq!(parsed(&first[2])["quotes"][0]["title"], "ledger three");
    assert_eq!(first[3], "the transaction is read-only");
    let standby = cluster.standby();
    let mut there = standby.connect(&database);
    eventually("the standby has caught up", || {
        let count: i64 = there.query_one("select count(*) from memento.chunk_embedding", &[]).ok()?.get(0);
        (count == 20).then_some(())
    });
    assert_eq!(asked(&mut there), first);
}

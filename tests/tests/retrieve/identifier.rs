//! An exact identifier of the query that is there has a place in the top k that the caller sees, whatever the function.

use postgres::Client;
use serde_json::Value;

use super::scene::{cluster, database, embed_all, parsed, remember, retrieve, snippets};

const QUERY: &str = "payment gateway time-out number payment gateway PAY-4012";

/// One memory and one artifact with an identifier, between many that match the rest of the query better.
fn scene(client: &mut Client) {
    remember(client, "code", "note", "PAY-4012 was seen once.");
    ingest(client, "code", "PAY-4012 was mailed once.");
    for number in 0..30 {
        let text = format!("payment gateway time-out number {number} payment gateway time-out");
        remember(client, &format!("p{number}"), "note", &text);
        ingest(client, &format!("p{number}"), &text);
    }
    embed_all(client);
    // The guarantee is not that its lane outweighs the others.
    client.batch_execute("select memento.set_search_weights('{\"tech_token\": 0}')").unwrap();
}

fn ingest(client: &mut Client, name: &str, text: &str) {
    client
        .execute("select memento.artifact_ingest('email', 'mail', $1, $2, title => $2)", &[&text, &name])
        .unwrap();
}

fn ask(client: &mut Client, call: &str) -> Value {
    let row = client
        .query_one(&format!("select memento.{call}::text"), &[])
        .unwrap_or_else(|e| panic!("{call}: {e:?}"));
    parsed(row.get(0))
}

#[test]
fn packs_have_it_for_any_number_of_items_and_any_budget() {
    let cluster = cluster();
    let (_, mut client) = database(&cluster);
    scene(&mut client);
    for strategy in ["global", "hierarchical"] {
        for k in [1, 2, 3, 10] {
            for budget in ["", ", max_total_chars => 130", ", max_total_tokens => 40", ", max_per_item => 1"]
            {
                let call = format!("'{QUERY}', max_evidence_items => {k}, strategy => '{strategy}'{budget}");
                let shown = snippets(&parsed(&retrieve(&mut client, &call)));
                assert!(shown.len() <= k, "{call}: {shown:?}");
                assert!(shown.iter().any(|one| one.contains("PAY-4012")), "{call}: {shown:?}");
            }
        }
    }
}

#[test]
fn searches_for_items_have_it_for_any_number_of_items() {
    let cluster = cluster();
    let (_, mut client) = database(&cluster);
    scene(&mut client);
    for (function, list) in
        [("memory_search", "results"), ("hybrid_search", "results"), ("artifact_search", "artifacts")]
    {
        for k in [1, 2, 10] {
            let found = ask(&mut client, &format!("{function}('{QUERY}', max_items => {k})"));
            let items = found[list].as_array().unwrap();
            assert_eq!(items.len(), k, "{function}");
            assert!(
                items.iter().any(|item| item.to_string().contains("PAY-4012")),
                "{function} of {k}: {items:?}"
            );
        }
    }
}

#[test]
fn snippets_show_it_wherever_it_is_in_a_passage() {
    let cluster = cluster();
    let (_, mut client) = database(&cluster);
    let filler = "The payment gateway was slow and the payment gateway timed out. ".repeat(12);
    remember(&mut client, "long", "note", &format!("{filler}It was PAY-4012 again. {filler}"));
    embed_all(&mut client);
    let pack =
        parsed(&retrieve(&mut client, "'slow payment gateway timed out PAY-4012', max_total_chars => 80"));
    assert!(snippets(&pack)[0].contains("PAY-4012"), "{pack}");
}

#[test]
fn of_several_as_many_as_there_is_room_for_and_the_rarest_first() {
    let cluster = cluster();
    let (_, mut client) = database(&cluster);
    // Two are in one item, in sections of their own; the third is frequent.
    let section = |code: &str| format!("## {code}\n\n{code} {}\n\n", "and what it is about ".repeat(120));
    let both = [section("AAA-1001"), section("BBB-2002")].concat();
    remember(&mut client, "both", "decision", &both);
    for number in 0..8 {
        remember(
            &mut client,
            &format!("c{number}"),
            "decision",
            &format!("CCC-3003 is about it, too: {number}"),
        );
    }
    embed_all(&mut client);
    let mut codes = |arguments: &str| {
        let call = format!("'what is AAA-1001 BBB-2002 CCC-3003 about', {arguments}");
        let shown = snippets(&parsed(&retrieve(&mut client, &call))).concat();
        ["AAA-1001", "BBB-2002", "CCC-3003"].map(|code| shown.contains(code))
    };
    assert_eq!(codes("max_evidence_items => 1"), [true, false, false]);
    assert_eq!(codes("max_evidence_items => 2"), [true, true, false]);
    assert_eq!(codes("max_evidence_items => 3"), [true, true, true]);
    assert_eq!(codes("max_evidence_items => 3, max_total_chars => 150"), [true, true, true]);
    assert_eq!(
        codes("max_evidence_items => 3, max_per_item => 1"),
        [true, false, true],
        "no more of an item than is asked for"
    );
}

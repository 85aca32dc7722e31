//! Answers of a model at the edge of what is right.

use serde_json::json;

use super::double::{Double, cluster, event, says};
use super::scene::{assert_evidence_holds, drain, events, ingest, status};

/// Who is right is not for the extractor to say: each of two contradicting events has its quote.
#[test]
fn events_that_contradict_each_other_are_both_kept() {
    let cluster = cluster(false);
    let mut client = cluster.connect(&cluster.database());
    let double = Double::start();
    double.use_it(&mut client);
    let quotes = ["Decision: We use Postgres.", "Decision: We do not use Postgres."];
    double.answer(move |_| Some(says(&json!({"entities": [], "events": quotes.map(event)}).to_string())));
    let made = ingest(&mut client, "one", &quotes.join("\n\n"));
    drain(&mut client);
    let mut found: Vec<String> = events(&mut client, &made)
        .iter()
        .map(|event| event["evidence"][0]["quote"].as_str().unwrap().to_owned())
        .collect();
    found.sort();
    assert_eq!(found, ["Decision: We do not use Postgres.", "Decision: We use Postgres."]);
    assert_evidence_holds(&mut client);
}

/// The model is shown one passage: what it quotes of the next it has not seen.
#[test]
fn a_quote_that_spans_passages_is_left_out_and_counted() {
    let cluster = cluster(false);
    let mut client = cluster.connect(&cluster.database());
    let double = Double::start();
    double.use_it(&mut client);
    let filler =
        "This sentence is only here to fill the page with words that say nothing at all. ".repeat(45);
    let text = format!(
        "# Part 1\n\n{filler}\n\nIt ends here.\n\n# Part 2\n\nAnd begins there. {filler}\n\nDecision: We stay calm.\n"
    );
    double.answer(|asked| {
        let mut across = event("Decision: across");
        across["evidence"]["quote"] = json!("It ends here. # Part 2 And begins there.");
        asked.data.contains("It ends here.").then(|| {
            assert!(!asked.data.contains("And begins there."), "the passages are apart");
            says(&json!({"entities": [], "events": [across]}).to_string())
        })
    });
    let made = ingest(&mut client, "one", &text);
    drain(&mut client);
    let status = status(&mut client, &made);
    assert_eq!(
        (&status["status"], &status["result"]["dropped"]["events"]),
        (&"DONE".into(), &1.into()),
        "{status}"
    );
    let found = events(&mut client, &made);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["evidence"][0]["quote"], "Decision: We stay calm.");
    assert_evidence_holds(&mut client);
}

//! Labelled queries that are kept, and profiles compared on them.

use memento_tests::failure::assert_failure;
use memento_tests::{Cluster, Server, Settings};
use postgres::Client;

const TEXTS: [&str; 4] = [
    "The export failed because the disk of the ledger was full.",
    "Invoices are sent on the first Monday of the month.",
    "The mascot of the team is a heron.",
    "Deployments to production need two approvals.",
];

/// A project with vectors by a good profile, and by a candidate that squeezes all words into two dimensions.
fn with_two_profiles() -> (Cluster, Client) {
    let cluster =
        Cluster::start_with(Server::from_environment(), Settings { preload: false, lines: Vec::new() });
    let mut client = cluster.connect(&cluster.database());
    client
        .batch_execute(
            "select memento.embedding_profiles_upsert('fine', 'hash', 'hash', 512),
                    memento.embedding_profiles_upsert('coarse', 'hash', 'hash', 2);
             select memento.embedding_profiles_activate('fine', force => true)",
        )
        .unwrap();
    for text in TEXTS {
        client.execute("select memento.remember($1)", &[&text]).unwrap();
    }
    (cluster, client)
}

fn fill(client: &mut Client) {
    client.batch_execute("select memento.embedding_profiles_fill('coarse')").unwrap();
    client.batch_execute("call memento.drain()").unwrap();
}

fn save(client: &mut Client) -> i32 {
    client
        .query_one(
            "select memento.save_eval_set('own', jsonb_agg(jsonb_build_object('query', content, 'relevant', jsonb_build_array(item_id))))
               from memento.version",
            &[],
        )
        .unwrap()
        .get(0)
}

#[test]
fn a_set_is_kept_and_run_by_each_profile() {
    let (_cluster, mut client) = with_two_profiles();
    fill(&mut client);
    assert_eq!(save(&mut client), 4);
    assert_eq!(save(&mut client), 4, "again, in its place");
    for profile in [None, Some("coarse")] {
        let rows = client.query("select * from memento.run_eval_set('own', 1, $1)", &[&profile]).unwrap();
        let fused = rows.iter().find(|row| row.get::<_, &str>("lane") == "fused").unwrap();
        assert_eq!((fused.get::<_, i64>("queries"), fused.get::<_, f64>("recall")), (4, 1.0));
    }
    let kept = client
        .query(
            "select p.name, r.k, (r.lanes -> 'fused' ->> 'recall')::float8
               from memento.eval_run r join memento.embedding_profile p using (profile_id) order by r.ran_at",
            &[],
        )
        .unwrap();
    let kept: Vec<(&str, i32, f64)> = kept.iter().map(|row| (row.get(0), row.get(1), row.get(2))).collect();
    assert_eq!(kept, [("fine", 1, 1.0), ("coarse", 1, 1.0)]);
}

#[test]
fn profiles_are_compared_query_by_query() {
    let (_cluster, mut client) = with_two_profiles();
    fill(&mut client);
    save(&mut client);
    let rows =
        client.query("select * from memento.compare_profiles('own', 'fine', 'coarse', 1)", &[]).unwrap();
    let dense = rows.iter().find(|row| row.get::<_, &str>("lane") == "dense").unwrap();
    let (recall, other): (f64, f64) = (dense.get("recall"), dense.get("other_recall"));
    assert_eq!(recall, 1.0, "each text is nearest to itself");
    let (better, worse): (i64, i64) = (dense.get("better"), dense.get("worse"));
    assert_eq!((better, worse), (0, ((1.0 - other) * 4.0).round() as i64));
    // The other way round it is the other way round.
    let rows =
        client.query("select * from memento.compare_profiles('own', 'coarse', 'fine', 1)", &[]).unwrap();
    let back = rows.iter().find(|row| row.get::<_, &str>("lane") == "dense").unwrap();
    assert_eq!((back.get::<_, i64>("better"), back.get::<_, i64>("worse")), (worse, 0));
    let words = rows.iter().find(|row| row.get::<_, &str>("lane") == "fts").unwrap();
    assert_eq!(words.get::<_, f64>("ndcg"), words.get::<_, f64>("other_ndcg"), "not of a profile");
}

#[test]
fn what_cannot_be_compared_is_said() {
    let (_cluster, mut client) = with_two_profiles();
    let none = "select * from memento.run_eval_set('own')";
    assert_failure(client.batch_execute(none), "P0002", "EVAL_SET_NOT_FOUND");
    for queries in ["null", "[]", "{}", "[{\"query\": \"q\"}]", "[{\"query\": \"q\", \"relevant\": []}]"] {
        let saved = client.execute("select memento.save_eval_set('own', $1::text::jsonb)", &[&queries]);
        assert_failure(saved, "22023", "VALIDATION_ERROR");
    }
    let unnamed =
        client.execute("select memento.save_eval_set(' ', '[{\"query\": \"q\", \"relevant\": [1]}]')", &[]);
    assert_failure(unnamed, "22023", "VALIDATION_ERROR");
    client.batch_execute("call memento.drain()").unwrap();
    save(&mut client);
    let compare = |other: &str| format!("select * from memento.compare_profiles('own', 'fine', '{other}')");
    assert_failure(client.batch_execute(&compare("unknown")), "P0002", "PROFILE_NOT_FOUND");
    assert_failure(client.batch_execute(&compare("coarse")), "55000", "PROFILE_NOT_FILLED");
    let deep = "select * from memento.run_eval_set('own', 0)";
    assert_failure(client.batch_execute(deep), "22023", "VALIDATION_ERROR");
}

/// Two memories of each animal: a short one that answers, and a longer one that is pinned and does not.
fn with_animals() -> (Cluster, Client) {
    const ANIMALS: &str = "zebra otter heron badger lynx salmon toad falcon weasel bison magpie turtle ferret walrus condor gecko \
                           marten osprey tapir ibex puffin quail raven stoat";
    let cluster =
        Cluster::start_with(Server::from_environment(), Settings { preload: false, lines: Vec::new() });
    let mut client = cluster.connect(&cluster.database());
    for animal in ANIMALS.split_whitespace() {
        client.execute("select memento.remember($1)", &[&format!("Keeper of the {animal}: Ana.")]).unwrap();
        let long = format!("Feeding plan of the {animal}, which Ben has written for the summer months.");
        client
            .execute("select memento.memory_pin((memento.remember($1) ->> 'item_id')::uuid)", &[&long])
            .unwrap();
    }
    client
        .batch_execute(
            "select memento.save_eval_set('keepers', jsonb_agg(jsonb_build_object(
                      'query', 'the ' || split_part(split_part(content, ':', 1), ' ', 4), 'relevant', jsonb_build_array(item_id))))
               from memento.version where content like 'Keeper%'",
        )
        .unwrap();
    (cluster, client)
}

fn json(client: &mut Client, statement: &str) -> serde_json::Value {
    let row = client.query_one(&format!("select ({statement})::text"), &[]).unwrap();
    serde_json::from_str(row.get(0)).unwrap()
}

#[test]
fn weights_are_tuned_on_one_half_and_proved_on_the_other() {
    let (_cluster, mut client) = with_animals();
    let first = |client: &mut Client| -> String {
        client.query_one("select excerpt from memento.search('the otter', 1)", &[]).unwrap().get(0)
    };
    assert!(first(&mut client).starts_with("Feeding"), "the pinned one comes first");
    let tuned = json(&mut client, "memento.tune_weights(eval_set => 'keepers')");
    assert_eq!(tuned["weights"]["lexical"], 2.0, "words against pins: {tuned}");
    assert_eq!(tuned["weights"]["tech_token"], 1.0, "what gains nothing stays: {tuned}");
    assert_eq!(tuned["recommended"], true, "{tuned}");
    let count = |part: &str, key: &str| tuned[part][key].as_u64().unwrap();
    assert_eq!(count("train", "queries") + count("held_out", "queries"), 24);
    for part in ["train", "held_out"] {
        let ndcg = |which: &str| tuned[part][which]["ndcg"].as_f64().unwrap();
        assert!(ndcg("current") < 0.64 && ndcg("tuned") > 0.99, "{part}: {tuned}");
        assert_eq!(ndcg("default"), ndcg("current"), "{part}: {tuned}");
        assert_eq!((count(part, "better"), count(part, "worse")), (count(part, "queries"), 0), "{part}");
    }
    assert_eq!(
        tuned,
        json(&mut client, "memento.tune_weights(eval_set => 'keepers')"),
        "always the same way"
    );
    let by_hand =
        "memento.tune_weights((select queries from memento.eval_set where name = 'keepers'), k => 10)";
    assert_eq!(tuned, json(&mut client, by_hand));
    assert!(first(&mut client).starts_with("Feeding"), "nothing was changed");

    let set = "memento.set_search_weights(memento.tune_weights(eval_set => 'keepers') -> 'weights')";
    assert_eq!(json(&mut client, set), tuned["weights"]);
    assert!(first(&mut client).starts_with("Keeper"));
    let again = json(&mut client, "memento.tune_weights(eval_set => 'keepers')");
    assert_eq!(again["current_weights"], tuned["weights"]);
    assert_eq!(again["recommended"], false, "nothing more to gain: {again}");
    // A pack is made again with the weights of then.
    let pack = json(&mut client, "memento.retrieve('the otter') -> 'query_id'");
    json(&mut client, "memento.set_search_weights(null)");
    assert!(first(&mut client).starts_with("Feeding"));
    let replay = format!("memento.replay_pack('{}') -> 'same'", pack.as_str().unwrap());
    assert_eq!(json(&mut client, &replay), true);
}

#[test]
fn weights_that_make_no_sense_are_refused() {
    let (_cluster, mut client) = with_animals();
    for weights in [
        "[]",
        "1",
        "{\"words\": 1}",
        "{\"lexical\": -1}",
        "{\"lexical\": \"much\"}",
        "{\"lexical\": 1e9}",
        "{\"lexical\": null}",
        "{\"lexical\": 0, \"semantic\": 0}",
    ] {
        let refused = client.execute("select memento.set_search_weights($1::text::jsonb)", &[&weights]);
        assert_failure(refused, "22023", "VALIDATION_ERROR");
    }
    for (arguments, sqlstate, code) in [
        ("", "22023", "VALIDATION_ERROR"),
        ("eval_set => 'nobody'", "P0002", "EVAL_SET_NOT_FOUND"),
        ("'[]', 'keepers'", "22023", "VALIDATION_ERROR"),
        ("'[{\"query\": \"q\", \"relevant\": [1]}]'", "22023", "VALIDATION_ERROR"),
        ("eval_set => 'keepers', k => 0", "22023", "VALIDATION_ERROR"),
    ] {
        let refused = client.batch_execute(&format!("select memento.tune_weights({arguments})"));
        assert_failure(refused, sqlstate, code);
    }
}

#[test]
fn a_lane_and_all_of_them_are_measured_alike() {
    let cluster =
        Cluster::start_with(Server::from_environment(), Settings { preload: false, lines: Vec::new() });
    let mut client = cluster.connect(&cluster.database());
    // By words alone: both parts of the first document come before the second.
    let long = format!(
        "## One\n\nheron heron heron\n\n{0}\n\n## Two\n\nheron heron heron\n\n{0}",
        "and more of it ".repeat(120)
    );
    client.execute("select memento.remember($1, title => 'long', kind => 'doc')", &[&long]).unwrap();
    client
        .execute(
            "select memento.remember($1, title => 'short')",
            &[&format!("one heron {}", "and more of it ".repeat(90))],
        )
        .unwrap();
    let rows = client
        .query(
            "select lane, recall from memento.eval(
               (select jsonb_build_array(jsonb_build_object('query', 'heron', 'relevant', jsonb_build_array(item_id))) from memento.item where title = 'short'), 2)",
            &[],
        )
        .unwrap();
    let recall = |lane: &str| rows.iter().find(|row| row.get::<_, &str>(0) == lane).unwrap().get::<_, f64>(1);
    assert_eq!(
        (recall("fts"), recall("fused")),
        (0.0, 0.0),
        "two passages of one lane are not two documents"
    );
}

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

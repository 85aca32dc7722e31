//! Searches that find more than is counted, ranked or sorted.

use postgres::Client;
use serde_json::Value;

use super::scene::{count, json, without_worker};
use super::tools::write_events;

/// Far more than are counted have the word `storage`.
const EVENTS: i32 = 18_000;

/// The first have one more word, and those are not among the newest.
const OLDER: i32 = 7_000;

fn keys(found: &Value) -> Vec<String> {
    found["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| event["event_id"].as_str().unwrap().to_owned())
        .collect()
}

/// What a sequential scan has, the newest first.
fn newest(client: &mut Client, condition: &str, limit: i32) -> Vec<String> {
    let statement = format!(
        "select event_id::text from memento.semantic_event where {condition} order by event_time desc nulls last, event_id limit {limit}"
    );
    client.query(&statement, &[]).unwrap().iter().map(|row| row.get(0)).collect()
}

#[test]
fn frequent_words_give_the_newest_and_say_that_they_are_not_counted() {
    let cluster = without_worker();
    let mut client = cluster.connect(&cluster.database());
    write_events(&mut client, EVENTS);
    client
        .batch_execute(&format!(
            "update memento.semantic_event set narrative = narrative || ' older' where substring(narrative from '[0-9]+')::int <= {OLDER}"
        ))
        .unwrap();
    // With and without statistics it is the same.
    for statistics in ["select 1", "analyze memento.semantic_event"] {
        client.batch_execute(statistics).unwrap();
        for (arguments, condition) in [
            ("'storage'", "narrative like '%storage%'"),
            ("'older'", "narrative like '%older%'"),
            ("'storage older'", "narrative like '%storage%' and narrative like '%older%'"),
            ("'storage nowhere'", "narrative like '%storage%'"),
            ("actor => 'alice'", "actors_json @> '[{\"ref\": \"Alice Chen\"}]'"),
        ] {
            let found = json(&mut client, &format!("memento.event_search({arguments}, max_items => 30)"));
            assert_eq!(
                (&found["total"], &found["total_is_exact"], &found["order"]),
                (&2_000.into(), &false.into(), &"time".into()),
                "{arguments}, {statistics}"
            );
            let expected = newest(&mut client, condition, 60);
            assert_eq!(keys(&found), expected[..30], "{arguments}, {statistics}");
            let after = found["next_after"].as_str().unwrap();
            let next = json(
                &mut client,
                &format!("memento.event_search({arguments}, max_items => 30, after => '{after}')"),
            );
            assert_eq!(keys(&next), expected[30..], "{arguments}, {statistics}: the next page");
        }
    }
    // What is rare in the end is counted and ranked, whatever the words are.
    for (arguments, condition) in [
        ("'storage', category => 'Change', subject => 'plan 3', actor => 'bob', time_from => '2026-03-01 00:00+00', time_to => '2026-04-01 00:00+00'",
         "narrative like '%storage%' and category = 'Change' and subject_json ->> 'ref' = 'Plan 3' and actors_json @> '[{\"ref\": \"Bob Smith\"}]'
          and event_time between '2026-03-01 00:00+00' and '2026-04-01 00:00+00'"),
        ("'storage', time_from => '2026-03-01 00:00+00', time_to => '2026-04-01 00:00+00', min_confidence => 0.9",
         "narrative like '%storage%' and confidence >= 0.9 and event_time between '2026-03-01 00:00+00' and '2026-04-01 00:00+00'"),
    ] {
        let found = json(&mut client, &format!("memento.event_search({arguments})"));
        let expected = count(&mut client, &format!("select count(*) from memento.semantic_event where {condition}"));
        assert!(expected > 0);
        assert_eq!(
            (&found["total"], &found["total_is_exact"], &found["order"]),
            (&expected.into(), &true.into(), &"relevance".into()),
            "{arguments}"
        );
    }
    // A little more than what is counted.
    let some = json(&mut client, "memento.event_search(actor => 'alice', category => 'Change')");
    assert_eq!(
        (&some["total"], &some["total_is_exact"], &some["order"]),
        (&2_000.into(), &false.into(), &"time".into())
    );
    assert_eq!(
        keys(&some),
        newest(&mut client, "category = 'Change' and actors_json @> '[{\"ref\": \"Alice Chen\"}]'", 20)
    );
}

/// Who must know how many there are says so, and waits for it once: later pages have it from the first.
#[test]
fn all_are_counted_where_that_is_asked_for() {
    let cluster = without_worker();
    let mut client = cluster.connect(&cluster.database());
    write_events(&mut client, 6_000);
    for (arguments, condition) in [
        ("", "true"),
        ("'storage'", "narrative like '%storage%'"),
        ("'storage nowhere'", "narrative like '%storage%'"),
        ("actor => 'alice'", "actors_json @> '[{\"ref\": \"Alice Chen\"}]'"),
        ("min_confidence => 0.5", "confidence >= 0.5"),
        ("time_from => '2026-01-10 00:00+00'", "event_time >= '2026-01-10 00:00+00'"),
        ("'storage', min_confidence => 0.5", "narrative like '%storage%' and confidence >= 0.5"),
        ("category => 'Change'", "category = 'Change'"),
    ] {
        let expected =
            count(&mut client, &format!("select count(*) from memento.semantic_event where {condition}"));
        let comma = if arguments.is_empty() { "" } else { ", " };
        let found =
            json(&mut client, &format!("memento.event_search({arguments}{comma}exact_total => true)"));
        assert_eq!(
            (&found["total"], &found["total_is_exact"]),
            (&expected.into(), &true.into()),
            "{arguments}"
        );
        assert_eq!(
            keys(&found),
            keys(&json(&mut client, &format!("memento.event_search({arguments})"))),
            "{arguments}"
        );
        let after = found["next_after"].as_str().unwrap();
        for again in ["true", "false"] {
            let next = json(
                &mut client,
                &format!(
                    "memento.event_search({arguments}{comma}exact_total => {again}, after => '{after}')"
                ),
            );
            assert_eq!(
                (&next["total"], &next["total_is_exact"]),
                (&expected.into(), &true.into()),
                "{arguments}: the next page"
            );
        }
    }
    let few = json(&mut client, "memento.event_search('pricing', exact_total => true)");
    assert_eq!((&few["total"], &few["total_is_exact"]), (&600.into(), &true.into()));
}

/// The index knows words by keys that have the project in them: nobody finds what others say.
#[test]
fn other_projects_are_not_counted() {
    let cluster = without_worker();
    let mut client = cluster.connect(&cluster.database());
    write_events(&mut client, 30);
    client.batch_execute("select memento.create_project('other'); set memento.project = 'other'").unwrap();
    for arguments in
        ["'storage'", "actor => 'alice'", "subject => 'plan 1'", "'storage', category => 'Change'", ""]
    {
        let found = json(&mut client, &format!("memento.event_search({arguments})"));
        assert_eq!((&found["total"], keys(&found).len()), (&0.into(), 0), "{arguments}");
    }
}

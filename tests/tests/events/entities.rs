//! Entities and their mentions when a document is read again, and by two at once.

use memento_tests::eventually;
use memento_tests::failure::failure;
use postgres::Client;

use super::scene::{count, drain, ingest, without_worker};

fn names(client: &mut Client) -> Vec<String> {
    let query =
        "select canonical_name || ' ' || extract(year from created_at) from memento.entity order by 1";
    client.query(query, &[]).unwrap().iter().map(|row| row.get(0)).collect()
}

/// Stores who is mentioned in a document, as a worker does.
fn store(source: &str, name: &str) -> String {
    format!(
        r#"select memento._store_mentions(v.project_id, v.version_id, v.content,
             '[{{"type": "person", "name": "{name}", "mentions": [{{"start_char": 0, "end_char": 3}}]}}]')
             from memento.version v join memento.item i using (project_id, item_id) where i.source_id = '{source}'"#
    )
}

#[test]
fn entities_that_are_still_mentioned_stay_what_they_are() {
    let cluster = without_worker();
    let mut client = cluster.connect(&cluster.database());
    ingest(&mut client, "one", "Ann and Bob");
    client.batch_execute(&store("one", "Ann")).unwrap();
    client.batch_execute("update memento.entity set created_at = '2020-06-01'").unwrap();
    client.batch_execute(&store("one", "Ann")).unwrap();
    assert_eq!(names(&mut client), ["Ann 2020"]);
    client.batch_execute(&store("one", "Bob")).unwrap();
    assert_eq!(names(&mut client).len(), 1, "nobody mentions Ann any more");
    assert_eq!(count(&mut client, "select count(*) from memento.entity_mention"), 1);
    drain(&mut client);
}

/// A name that stands in every passage is no reason not to find one of them by it.
#[test]
fn all_passages_that_mention_somebody_are_found_by_the_name() {
    let cluster = without_worker();
    let mut client = cluster.connect(&cluster.database());
    let filler = "This sentence is only here to fill the page with words. ".repeat(3);
    let mut text: String =
        (0..200).map(|n| format!("Bob Smith will send the report{n} by Friday. {filler}\n\n")).collect();
    text.push_str("Bob Smith will travel to Zanzibar tomorrow.\n");
    client
        .execute(
            "select memento.artifact_ingest('note', 'test', $1, source_id => 'one', participants => array['Bob Smith'])",
            &[&text],
        )
        .unwrap();
    drain(&mut client);
    assert_eq!(
        count(&mut client, "select count(*) from memento.entity_mention where surface = 'Bob Smith'"),
        201
    );
    let found = "select count(*) from memento.search('Zanzibar', filters => '{\"entities\": [\"Bob Smith\"]}') where excerpt like '%Zanzibar%'";
    assert_eq!(count(&mut client, found), 1);
}

#[test]
fn a_mention_outside_of_the_text_is_refused() {
    let cluster = without_worker();
    let mut client = cluster.connect(&cluster.database());
    ingest(&mut client, "one", "Ann");
    let outside = store("one", "Ann").replace("\"end_char\": 3", "\"end_char\": 4");
    assert_eq!(failure(client.batch_execute(&outside)).code().code(), "23502");
    assert_eq!(count(&mut client, "select count(*) from memento.entity_mention"), 0);
}

/// Each takes away what the other brings: they take turns, and what is mentioned in the end is there.
#[test]
fn documents_with_crossing_entities_do_not_harm_each_other() {
    let cluster = without_worker();
    let database = cluster.database();
    let mut client = cluster.connect(&database);
    for source in ["one", "two"] {
        ingest(&mut client, source, "Ann and Bob");
    }
    drain(&mut client);
    client.batch_execute(&format!("{}; {}", store("one", "Bob"), store("two", "Ann"))).unwrap();
    let (mut one, mut other) = (cluster.connect(&database), cluster.connect(&database));
    let mut transaction = one.transaction().unwrap();
    transaction.batch_execute(&store("one", "Ann")).unwrap();
    std::thread::scope(|scope| {
        let second = scope.spawn(|| other.batch_execute(&store("two", "Bob")));
        eventually("the other waits", || {
            let waits = "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
            (count(&mut client, waits) > 0).then_some(())
        });
        transaction.commit().unwrap();
        second.join().unwrap().unwrap_or_else(|e| panic!("{e:?}"));
    });
    let mentioned = "select count(distinct e.canonical_name) from memento.entity e join memento.entity_mention m using (project_id, entity_id)";
    assert_eq!(count(&mut client, mentioned), 2);
}

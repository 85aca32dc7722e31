//! The index of a profile is as the profile says, also when that changes.

use memento_tests::eventually;
use memento_tests::failure::failure;
use postgres::Client;

use super::scene::cluster;

fn upsert(client: &mut Client, dims: i32, config: &str) -> Result<(), postgres::Error> {
    client.batch_execute(&format!(
        "select memento.embedding_profiles_upsert('words', 'hash', 'words', {dims}, config => '{config}')"
    ))
}

/// Waits until the index is as the profile says, and gives its definition.
fn index(client: &mut Client) -> String {
    eventually("the index is ready", || {
        client
            .query_opt(
                "select i.indexdef from memento.embedding_profile p join pg_indexes i on i.indexname = memento._index_name(p.profile_id)
                  where p.name = 'words' and memento._index_state(p.profile_id) = 'ready'",
                &[],
            )
            .unwrap()
            .map(|row| row.get(0))
    })
}

#[test]
fn it_is_rebuilt_when_its_parameters_change() {
    let cluster = cluster(&[]);
    let mut client = cluster.connect(&cluster.database());
    upsert(&mut client, 64, "{}").unwrap();
    client.batch_execute("select memento.embedding_profiles_fill('words')").unwrap();
    assert!(index(&mut client).contains("(m='16', ef_construction='64')"));
    // Again and again, also while one is being built.
    for m in [4, 5, 6, 7, 8] {
        upsert(&mut client, 64, &format!("{{\"hnsw\": {{\"m\": {m}}}}}")).unwrap();
    }
    let rebuilt = index(&mut client);
    assert!(rebuilt.contains("(m='8', ef_construction='64')"), "{rebuilt}");
}

#[test]
fn long_vectors_are_indexed_by_half_and_longer_ones_refused() {
    let cluster = cluster(&[]);
    let mut client = cluster.connect(&cluster.database());
    let error = failure(upsert(&mut client, 4001, "{}"));
    assert_eq!((error.code().code(), error.detail()), ("22023", Some("code=VALIDATION_ERROR")));
    assert!(error.message().contains("4000") && error.hint().is_some(), "{error:?}");
    upsert(&mut client, 4000, "{}").unwrap();
    client.batch_execute("select memento.embedding_profiles_activate('words', force => true)").unwrap();
    assert!(index(&mut client).contains("halfvec(4000)"));
    client.batch_execute("select memento.remember('the ledger room is on the second floor')").unwrap();
    client.batch_execute("select memento.wait_until_idle('60 s')").unwrap();
    let lanes: String =
        client.query_one("select lanes::text from memento.search('ledger room')", &[]).unwrap().get(0);
    assert!(lanes.contains("dense"), "{lanes}");
}

/// Who writes while the project changes its profiles cannot see that, and the change cannot see what is written.
#[test]
fn a_writer_may_be_overlooked_at_first() {
    let cluster = cluster(&["memento.worker = off"]);
    let database = cluster.database();
    let (mut client, mut writer) = (cluster.connect(&database), cluster.connect(&database));
    upsert(&mut client, 8, "{}").unwrap();
    let mut open = writer.transaction().unwrap();
    open.batch_execute("select memento.remember('written meanwhile')").unwrap();
    client.batch_execute("select memento.embedding_profiles_fill('words')").unwrap();
    let mut maintained = |open_changes: i64| {
        client.batch_execute("select memento._maintain(1000)").unwrap();
        let changes = client.query_one("select count(*) from memento.profile_change", &[]).unwrap();
        (changes.get::<_, i64>(0) == open_changes).then_some(())
    };
    for _ in 0..3 {
        maintained(1).expect("it is kept in mind while somebody writes");
    }
    open.commit().unwrap();
    eventually("it is looked at again", || maintained(0));
    let asked = "select count(*) from memento.job j join memento.embedding_profile p using (profile_id)
                  where j.kind = 'embed' and p.name = 'words'";
    assert_eq!(client.query_one(asked, &[]).unwrap().get::<_, i64>(0), 1);
}

//! Filling a profile takes as much work for a text as there is in it, however many others there are.

use memento_tests::eventually;
use postgres::Client;

use super::scene::{Endpoint, cluster, remember, wait_until_settled};

const DOCUMENTS: i64 = 100;
const CHUNKS: i64 = 20 * DOCUMENTS;

#[test]
fn a_fill_reads_along_the_keys() {
    // As it is right after rows were loaded: nobody has analysed the tables.
    let cluster = cluster(&["autovacuum = off"]);
    let mut client = cluster.connect(&cluster.database());
    client
        .batch_execute(&format!(
            "select memento.embedding_profiles_activate(null);
             select memento.remember('document ' || n) from generate_series(1, {DOCUMENTS}) n;
             insert into memento.chunk (project_id, version_id, ordinal, start_char, end_char, token_count, block_kind, chunk_text,
                                        tech_tokens, rules_version, terms_version)
             select c.project_id, c.version_id, n, 0, 1, 1, c.block_kind, 'text ' || n || ' of ' || c.chunk_text, '{{}}', c.rules_version,
                    c.terms_version
               from memento.chunk c cross join generate_series(1, {}) n",
            CHUNKS / DOCUMENTS - 1
        ))
        .unwrap();
    client
        .batch_execute(
            "select memento.embedding_profiles_upsert('words', 'hash', 'words', 8);
             select memento.embedding_profiles_activate('words', force => true)",
        )
        .unwrap();
    client.batch_execute("select memento.wait_until_idle('60 s')").unwrap();
    let mut stored_and_read = || -> (i64, i64) {
        let row = client
            .query_one(
                "select (select n_tup_ins from pg_stat_user_tables where schemaname = 'memento' and relname = 'chunk_embedding'),
                        (select sum(idx_tup_read)::bigint from pg_stat_user_indexes
                          where schemaname = 'memento' and relname in ('chunk', 'chunk_embedding', 'version'))",
                &[],
            )
            .unwrap();
        (row.get(0), row.get(1))
    };
    let read = eventually("the worker says what it has done", || {
        let (stored, read) = stored_and_read();
        (stored == CHUNKS).then_some(read)
    });
    assert!(read < 20 * CHUNKS, "{read} entries of indexes for {CHUNKS} chunks");
}

/// Vectors that come one by one into an index take longer than the calls that bring them.
#[test]
fn a_profile_that_is_being_filled_gets_its_index_at_the_end() {
    let cluster = cluster(&[]);
    let mut client = cluster.connect(&cluster.database());
    // The one before would be kept filled.
    client
        .batch_execute("update memento.project set active_profile_id = null, candidate_profile_id = null")
        .unwrap();
    remember(&mut client, "before", 3);
    let endpoint = Endpoint::start();
    endpoint.close();
    endpoint.make(&mut client, "double");
    client.batch_execute("select memento.embedding_profiles_fill('double')").unwrap();
    endpoint.wait_for(1);
    let asked = "select count(*) from memento.job j join memento.embedding_profile p using (profile_id)
                  where j.kind = 'build_index' and p.name = 'double'";
    let jobs = |client: &mut Client| client.query_one(asked, &[]).unwrap().get::<_, i64>(0);
    assert_eq!(jobs(&mut client), 0);
    endpoint.open();
    wait_until_settled(&mut client);
    assert_eq!(jobs(&mut client), 1);
    eventually("the index is ready", || {
        let state =
            "select memento._index_state(profile_id) from memento.embedding_profile where name = 'double'";
        (client.query_one(state, &[]).unwrap().get::<_, String>(0) == "ready").then_some(())
    });
}

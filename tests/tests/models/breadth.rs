//! How broadly the index is searched follows what the profile says.

use postgres::Client;
use serde_json::{Value, json};

use super::scene::{cluster, number, upsert};

/// So many that the index is worth it, also where it is searched broadly.
const CHUNKS: i64 = 50_000;
const DIMS: i32 = 8;

/// A project with so many chunks, whose vectors are anything, and their index.
fn fill(client: &mut Client) {
    client
        .batch_execute(&format!(
            "select memento.embedding_profiles_activate(null);
             select memento.remember('the ledger room');
             insert into memento.chunk (project_id, version_id, ordinal, start_char, end_char, token_count, block_kind, chunk_text,
                                        tech_tokens, rules_version, terms_version)
             select c.project_id, c.version_id, n, 0, 1, 1, c.block_kind, 'text ' || n, '{{}}', c.rules_version, c.terms_version
               from memento.chunk c cross join generate_series(1, {CHUNKS} - 1) n"
        ))
        .unwrap();
    upsert(client, "words", "hash", "words", DIMS, &json!({})).unwrap();
    client
        .batch_execute(&format!(
            "insert into memento.chunk_embedding (project_id, chunk_id, profile_id, embedding)
             select c.project_id, c.chunk_id, p.profile_id,
                    (select array_agg(random() - 0.5 + (c.chunk_id + n) * 0) from generate_series(1, {DIMS}) n)::vector
               from memento.chunk c cross join memento.embedding_profile p where p.name = 'words';
             analyze memento.chunk; analyze memento.chunk_embedding; analyze memento.version; analyze memento.item;
             select memento.embedding_profiles_activate('words')"
        ))
        .unwrap();
    client.batch_execute("call memento.drain()").unwrap();
    assert_eq!(number(client, "select count(*) from memento.chunk_embedding"), CHUNKS);
}

/// How many pages of the index were looked at since the server's start.
fn read(client: &mut Client) -> i64 {
    client.batch_execute("select pg_stat_force_next_flush()").unwrap();
    number(
        client,
        "select (s.idx_blks_hit + s.idx_blks_read)::bigint from pg_statio_user_indexes s
           join memento.embedding_profile p on s.indexrelname = memento._index_name(p.profile_id) where p.name = 'words'",
    )
}

/// How many a search looks at. For one result there are few candidates: with more, the index goes on until it has them, however broadly
/// it looks.
fn pages(client: &mut Client, query: &Value) -> i64 {
    upsert(client, "words", "hash", "words", DIMS, &json!({"query": query})).unwrap();
    let before = read(client);
    client.batch_execute("select from memento.search('ledger', 1)").unwrap();
    read(client) - before
}

#[test]
fn ef_search_is_that_of_the_profile() {
    let cluster = cluster(&["memento.worker = off".to_owned(), "memento.lane_timeout = '60s'".to_owned()]);
    let mut client = cluster.connect(&cluster.database());
    fill(&mut client);
    let narrow = pages(&mut client, &json!({"ef_search_min": 100, "ef_search_max": 100}));
    let broad = pages(&mut client, &json!({"ef_search_min": 300, "ef_search_max": 300}));
    // The same index and query each time, so that nothing else makes a difference.
    assert!(0 < narrow && 5 * narrow < 4 * broad, "{narrow} {broad}");
    // The greatest wins over the factor.
    let capped =
        pages(&mut client, &json!({"ef_search_min": 1, "ef_search_factor": 100, "ef_search_max": 100}));
    assert!(0 < capped && 5 * capped < 4 * broad, "{capped} {broad}");
}

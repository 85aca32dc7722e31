//! What the tests of the lexical lane share.

use memento_tests::Cluster;
use postgres::Client;

/// The project that is there from the start.
pub const DEFAULT_PROJECT: &str = "00000000-0000-0000-0000-000000000001";

/// A cluster whose worker does not count, so that a test sees what is counted when.
pub fn without_worker() -> Cluster {
    let settings =
        memento_tests::Settings { lines: vec!["memento.worker = off".into()], ..Default::default() };
    Cluster::start_with(memento_tests::Server::from_environment(), settings)
}

/// Remembers each text of a source.
pub fn remember(client: &mut Client, source: &str, content: &str) {
    client
        .execute(
            "select memento.remember($1, source_system => 'test', source_id => $2)",
            &[&content, &source],
        )
        .unwrap();
}

/// Chunks, scores and what found them.
pub fn search(client: &mut Client, query: &str, limit: i32) -> Vec<(i64, f64, String)> {
    client
        .query(
            "select chunk_id, (lanes #>> '{fts,score}')::float8, lanes #>> '{fts,used}' from memento.search($1, $2)
              where lanes ? 'fts' order by (lanes #>> '{fts,rank}')::int, chunk_id",
            &[&query, &limit],
        )
        .unwrap_or_else(|error| panic!("{error:?} for {:?}", &query[..query.floor_char_boundary(200)]))
        .iter()
        .map(|row| (row.get(0), row.get(1), row.get(2)))
        .collect()
}

/// Counts whatever is not counted, as the worker does.
pub fn count_all(client: &mut Client) {
    while client.query_one("select memento._maintain(1000)", &[]).unwrap().get::<_, i64>(0) > 0 {}
}

/// What is counted, beside what there is: each line where they differ.
pub fn miscounted(client: &mut Client) -> Vec<String> {
    client
        .query(
            "with latest as (
               select c.project_id, c.chunk_id, c.tsv from memento.chunk c join memento.version v using (project_id, version_id)
                where v.is_latest
             ), word as (
               select l.project_id, w.lexeme, count(*) as n from latest l, unnest(l.tsv) w group by 1, 2
             ), total as (
               select l.project_id, count(*) as chunks,
                      sum((select sum(cardinality(w.positions)) from unnest(l.tsv) w)) as words
                 from latest l group by 1
             )
             select format('%s: %s is in %s chunks, counted %s', project_id, lexeme, n, chunk_count)
               from word full join memento.lexeme_stat using (project_id, lexeme) where n is distinct from chunk_count
             union all
             select format('%s: %s chunks of %s words, counted %s of %s', project_id, chunks, words, chunk_count, word_count)
               from total full join memento.lexical_stat using (project_id)
              where (coalesce(chunks, 0), coalesce(words, 0)) is distinct from (chunk_count, word_count)",
            &[],
        )
        .unwrap()
        .iter()
        .map(|row| row.get(0))
        .collect()
}

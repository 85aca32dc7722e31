//! The same questions asked by hand, one lane at a time, as an application would on the same tables: full-text search for any of the
//! words, ranked by ts_rank, and pgvector's index as it comes.

use std::time::Instant;

use postgres::Client;
use serde_json::Value;

use super::scene::{DIMS, execute};

/// Every so many queries are asked by hand: those of frequent words take seconds.
const EACH: usize = 5;

/// What chunks belong to, and the results that are wanted of them.
const BELONGS_TO: &str =
    "join memento.version v on v.project_id = c.project_id and v.version_id = c.version_id
           join memento.item i on i.project_id = v.project_id and i.item_id = v.item_id
          where c.project_id = (select memento.current_project()) and v.is_latest and not i.archived";

/// Milliseconds of each query by words and by vectors.
pub fn times(client: &mut Client, filters: &str, queries: &[String]) -> [Vec<f64>; 2] {
    let filters: Value = serde_json::from_str(filters).unwrap_or_default();
    let tag =
        filters["tags_any"][0].as_str().map_or(String::new(), |tag| format!(" and i.tags && array['{tag}']"));
    let asked: Vec<&String> = queries.iter().step_by(EACH).collect();
    let by_words = asked.iter().map(|query| words(client, query, &tag)).collect();
    execute(client, "set hnsw.iterative_scan = relaxed_order");
    let by_vectors = asked.iter().map(|query| vectors(client, query, &tag)).collect();
    execute(client, "reset hnsw.iterative_scan");
    [by_words, by_vectors]
}

fn words(client: &mut Client, query: &str, tag: &str) -> f64 {
    let any = "select string_agg(quote_literal(lexeme), ' | ') from unnest(to_tsvector('english', $1))";
    let words: Option<String> = one(client, any, query);
    let words = words.unwrap_or_default().replace('\'', "''");
    timed(
        client,
        &format!(
            "select c.chunk_id from memento.chunk c {BELONGS_TO} and c.tsv @@ '{words}'::tsquery{tag}
              order by ts_rank(c.tsv, '{words}'::tsquery) desc limit 10"
        ),
    )
}

fn vectors(client: &mut Client, query: &str, tag: &str) -> f64 {
    let point: String =
        one(client, "select translate(embedding::text, '{}', '[]') from memento.embed(array[$1])", query);
    let profile: String =
        one(client, "select profile_id::text from memento.embedding_profile where name = $1", "words");
    timed(
        client,
        &format!(
            "select c.chunk_id from memento.chunk_embedding e join memento.chunk c on c.project_id = e.project_id and c.chunk_id = e.chunk_id
               {BELONGS_TO} and e.profile_id = '{profile}'{tag}
              order by e.embedding::vector({DIMS}) <=> '{point}'::vector({DIMS}) limit 10"
        ),
    )
}

fn one<T: for<'a> postgres::types::FromSql<'a>>(client: &mut Client, statement: &str, argument: &str) -> T {
    client.query_one(statement, &[&argument]).unwrap_or_else(|error| panic!("{statement}: {error:?}")).get(0)
}

/// The second time that it is asked.
fn timed(client: &mut Client, statement: &str) -> f64 {
    execute(client, statement);
    let started = Instant::now();
    execute(client, statement);
    started.elapsed().as_secs_f64() * 1e3
}

//! EXPLAIN (ANALYZE, BUFFERS) of the statement of each lane, as the extension runs it, on the data of `sql_search_latency`.

use memento_core::bm25::{Candidates, Collection, EncodedQuery, Parameters, Term, plan};
use postgres::{Client, SimpleQueryMessage};

use super::latency;
use super::scene::Scene;

/// Statements of the extension, by the name of their file.
macro_rules! query {
    ($name:literal) => {
        include_str!(concat!("../../../pg_memento/src/spi/queries/", $name, ".sql"))
    };
}

/// The parameters of `wanted_items.sql`, and their values without a filter and with one for a rare tag.
const WANTED: &str = "uuid, timestamptz, text[], text[], text[], text[], text[], text[], text[], text[], uuid[], uuid[], boolean, boolean, bigint, bigint, text[], text[]";
const ALL: &str =
    "null, null, null, null, null, null, null, null, null, null, null, false, false, null, null, null, null";
const RARE: &str = "null, null, null, null, '{rare}', null, null, null, null, null, null, false, false, null, null, null, null";

/// As many hits as a lane gives for ten results.
const DEPTH: i32 = 50;

/// As the lane of words has it.
const BUDGET: i64 = 5000;

/// Prints a plan for each lane, the second time that it is run.
pub fn run() {
    let chunks = std::env::var("MEMENTO_CHUNKS").ok().and_then(|count| count.parse().ok()).unwrap_or(100_000);
    let Some((Scene { cluster: _cluster, mut client }, queries)) = latency::open(chunks) else { return };
    latency::use_project(&mut client, "large");
    let questions = &queries[0].1;
    let project = text(&mut client, "select memento.current_project()::text");
    for question in questions.iter().take(2) {
        println!("\n## {question}");
        lexical(&mut client, &project, question);
        dense(&mut client, &project, question);
    }
    let token = text(
        &mut client,
        "select t from memento.chunk, unnest(tech_tokens) t group by t order by abs(count(*) - 20), t limit 1",
    );
    tech_token(&mut client, &project, &token);
    trigram(&mut client, &project);
    let chunks = text(
        &mut client,
        "select array(select chunk_id from memento.chunk where project_id = memento.current_project() limit 100)::text",
    );
    for (name, statement) in [("candidates", query!("candidates")), ("passages", query!("hits"))] {
        show(&mut client, name, statement, "uuid, bigint[]", &format!("'{project}', '{chunks}'"), &[]);
    }
}

fn lexical(client: &mut Client, project: &str, question: &str) {
    let counted = "select chunk_count, word_count from memento.lexical_stat where project_id = memento.current_project()";
    let row = client.query_one(counted, &[]).unwrap_or_else(|error| panic!("{error:?}"));
    let collection = Collection { texts: row.get(0), words: row.get(1) };
    let words = "select w.lexeme, coalesce(cardinality(w.positions), 1)::bigint, coalesce(s.chunk_count, 0)
                   from unnest(memento._words($1)) w
                   left join memento.lexeme_stat s on s.project_id = memento.current_project() and s.lexeme = w.lexeme";
    let words = client.query(words, &[&question]).unwrap_or_else(|error| panic!("{error:?}"));
    let words = words.iter().map(|row| Term { word: row.get(0), repeats: row.get(1), texts: row.get(2) });
    let terms = plan(words.collect(), false);
    let encoded = EncodedQuery::new(&terms, collection, Parameters::default()).into_bytes();
    let encoded: String = encoded.iter().map(|byte| format!("{byte:02x}")).collect();
    let Some(first) = Candidates::in_turn(&terms, collection, BUDGET).into_iter().next() else { return };
    let (chosen, operator) = match first {
        Candidates::Any(terms) => (terms, " | "),
        Candidates::All(terms) => (terms, " & "),
    };
    let quoted = |term: &Term| format!("''{}''", term.word.replace('\'', "''''"));
    let tsquery = chosen.iter().map(quoted).collect::<Vec<_>>().join(operator);
    let types = format!("{WANTED}, text, bigint, timestamptz, int, bytea, bigint");
    let rest = |best: i64, most: i64| format!("'{tsquery}', {best}, null, {DEPTH}, '\\x{encoded}', {most}");
    let best = [query!("wanted_items"), query!("lexical_best"), query!("lexical_ranked")].concat();
    let looked_at = 2 * i64::from(DEPTH) + 50;
    let values = format!("'{project}', {ALL}, {}", rest(looked_at, 4 * BUDGET));
    show(client, "words", &best, &types, &values, &[]);
    let in_scope = [query!("wanted_items"), query!("lexical_in_scope")].concat();
    let values = format!("'{project}', {RARE}, {}", rest(0, 4 * BUDGET));
    show(client, "words, filtered", &in_scope, &types, &values, &["random_page_cost = 1.1"]);
}

fn dense(client: &mut Client, project: &str, question: &str) {
    let row = client.query_one("select embedding::text from memento.embed(array[$1])", &[&question]);
    let vector: String = row.unwrap_or_else(|error| panic!("{error:?}")).get(0);
    let vector = vector.replace('[', "{").replace(']', "}");
    let profile = text(client, "select profile_id::text from memento.embedding_profile where name = 'words'");
    let named = |statement: String| {
        statement
            .replace("{vector}", "public.vector(384)")
            .replace("{nearer}", "operator(public.<=>)")
            .replace("{profile}", &format!("'{profile}'::uuid"))
    };
    let types = format!("{WANTED}, timestamptz, real[], int, bigint");
    let by_index =
        named([query!("wanted_items"), query!("nearest_by_index"), query!("nearest_of_candidates")].concat());
    let settings = [
        "hnsw.ef_search = 200",
        "hnsw.iterative_scan = relaxed_order",
        "enable_sort = off",
        "enable_seqscan = off",
    ];
    let values = format!("'{project}', {ALL}, null, '{vector}', {DEPTH}, {}", 2 * DEPTH);
    show(client, "vectors, by index", &by_index, &types, &values, &settings);
    let scan = [query!("wanted_items"), query!("nearest_by_scan"), query!("nearest_of_candidates")].concat();
    let (scan, scan_types) = (named(scan), format!("{types}, bigint"));
    let values = format!("'{project}', {ALL}, null, '{vector}', {DEPTH}, {}, 10000000", 2 * DEPTH);
    show(client, "vectors, all compared", &scan, &scan_types, &values, &["random_page_cost = 1.1"]);
    let exact = named([query!("wanted_items"), query!("nearest_exact")].concat());
    let values = format!("'{project}', {RARE}, null, '{vector}', {DEPTH}, 40001");
    let settings = ["enable_seqscan = off", "random_page_cost = 1.1"];
    show(client, "vectors, exact", &exact, &types, &values, &settings);
}

fn tech_token(client: &mut Client, project: &str, token: &str) {
    let types = format!("{WANTED}, text[], int, timestamptz, bigint, bigint");
    let statement = [query!("wanted_items"), query!("tech_tokens_any"), query!("tech_tokens")].concat();
    let values =
        format!("'{project}', {ALL}, array['{}'], {DEPTH}, null, 2001, 20001", token.replace('\'', "''"));
    let settings = ["enable_seqscan = off", "random_page_cost = 1.1"];
    show(client, "identifiers", &statement, &types, &values, &settings);
}

fn trigram(client: &mut Client, project: &str) {
    if client.batch_execute("create extension if not exists pg_trgm schema public").is_err() {
        return println!("\n### spelling: the server has no pg_trgm");
    }
    let types = format!("{WANTED}, text, int, timestamptz, bigint, bigint");
    let statement = [query!("wanted_items"), query!("similar")].concat().replace("{trgm}", "public");
    let values = format!("'{project}', {ALL}, 'kubernets', {DEPTH}, null, 5000, 2000");
    show(client, "spelling", &statement, &types, &values, &["random_page_cost = 1.1"]);
}

/// Runs a statement twice, each time planned for its values as the extension does it, and prints the second plan.
fn show(client: &mut Client, name: &str, statement: &str, types: &str, values: &str, settings: &[&str]) {
    let mut transaction = client.transaction().unwrap_or_else(|error| panic!("{error:?}"));
    let mut execute = |statement: &str| {
        transaction.batch_execute(statement).unwrap_or_else(|error| panic!("{name}: {error:?}"));
    };
    execute("set local plan_cache_mode = force_custom_plan");
    settings.iter().for_each(|setting| execute(&format!("set local {setting}")));
    execute(&format!("prepare shown ({types}) as {statement}"));
    execute(&format!("execute shown ({values})"));
    println!("\n### {name}");
    let explain = format!("explain (analyze, buffers, costs off) execute shown ({values})");
    for line in transaction.simple_query(&explain).unwrap_or_else(|error| panic!("{name}: {error:?}")) {
        if let SimpleQueryMessage::Row(row) = line {
            println!("{}", row.get(0).unwrap_or_default());
        }
    }
    transaction.batch_execute("deallocate shown").unwrap_or_else(|error| panic!("{error:?}"));
}

fn text(client: &mut Client, statement: &str) -> String {
    client.query_one(statement, &[]).unwrap_or_else(|error| panic!("{statement}: {error:?}")).get(0)
}

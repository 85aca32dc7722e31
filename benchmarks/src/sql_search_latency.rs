//! How long searches take with 100,000 chunks (MEMENTO_CHUNKS) beside a project of 1,000 in the same tables: all lanes, and each.
//!
//! Texts are turns of conversations, vectors are random unit vectors of 384 dimensions, made once; the query's vector is by words
//! (provider hash). Times are those of a client, one at a time, warm.

use std::time::Instant;

use memento_tests::Cluster;
use memento_tests::cluster::Settings;
use memento_tests::server::Server;
use memento_tests::wait::eventually;
use postgres::Client;
use serde_json::Value;

use crate::labelled;

const QUERIES: usize = 100;

/// Prints median and 95th percentile.
pub fn run() {
    let Some(Scene { cluster: _cluster, mut client, questions }) = scene() else { return };
    let questions: Vec<&str> = questions.iter().map(String::as_str).collect();
    for (name, project, filters) in [
        ("all", "large", "{}"),
        ("1 in 10,000 by tag", "large", r#"{"tags_any": ["rare"]}"#),
        ("small project", "small", "{}"),
    ] {
        client
            .execute("select memento.use_project($1)", &[&project])
            .unwrap_or_else(|error| panic!("{error:?}"));
        measure(&mut client, name, filters, &questions);
    }
}

/// A filled database, and what to ask it. The project that is used is the large one.
pub struct Scene {
    /// It is gone when this is.
    pub cluster: Cluster,
    /// A connection.
    pub client: Client,
    /// Questions about the texts.
    pub questions: Vec<String>,
}

/// Fills two projects; none without the data.
pub fn scene() -> Option<Scene> {
    let set = labelled::sample("longmemeval_turn_pooled", QUERIES, 5000)?;
    let chunks: i32 =
        std::env::var("MEMENTO_CHUNKS").ok().and_then(|count| count.parse().ok()).unwrap_or(100_000);
    let lines =
        ["shared_buffers = '1GB'", "maintenance_work_mem = '512MB'", "max_parallel_workers_per_gather = 0"];
    let settings = Settings { lines: lines.map(str::to_owned).into(), ..Settings::default() };
    let cluster = Cluster::start_with(Server::from_environment(), settings);
    let mut client = cluster.connect(&cluster.database());
    execute(
        &mut client,
        "create temporary table text (n int generated always as identity, content text);
         select memento.embedding_profiles_upsert('words', 'hash', 'words', 384);
         select memento.create_project('large'), memento.create_project('small');
         select memento.use_project('small'), memento.embedding_profiles_activate('words', true);
         select memento.use_project('large'), memento.embedding_profiles_activate('words', true);",
    );
    for text in &set.texts {
        let short: String = text.text.chars().take(800).collect();
        client
            .execute("insert into text (content) values ($1)", &[&short])
            .unwrap_or_else(|error| panic!("{error:?}"));
    }
    let started = Instant::now();
    fill(&mut client, "large", chunks);
    fill(&mut client, "small", 1000);
    let open = "select count(*) from memento.job where state in ('pending', 'running')";
    let ready = "select memento._index_state(profile_id) = 'ready' from memento.embedding_profile where name = 'words'";
    while !client.query_one(ready, &[]).is_ok_and(|row| row.get(0)) {
        eventually("asked again", || client.query_one(open, &[]).ok());
        std::thread::sleep(std::time::Duration::from_millis(500));
    }
    execute(&mut client, "vacuum analyze");
    println!("{chunks} chunks filled and indexed in {:.0} s", started.elapsed().as_secs_f64());
    let questions = set.questions.iter().map(|question| question.text.clone()).collect();
    Some(Scene { cluster, client, questions })
}

fn measure(client: &mut Client, name: &str, filters: &str, questions: &[&str]) {
    let mut times = Vec::new();
    let mut lanes: std::collections::BTreeMap<String, Vec<f64>> = std::collections::BTreeMap::new();
    for round in 0..2 {
        for question in questions {
            let started = Instant::now();
            let found =
                client.query("select * from memento.search($1, 10, $2::text::jsonb)", &[question, &filters]);
            let took = started.elapsed().as_secs_f64() * 1e3;
            found.unwrap_or_else(|error| panic!("{error:?}"));
            if round == 1 {
                times.push(took);
            }
        }
    }
    for question in questions {
        let statement = "select (memento.retrieve($1, filters => $2::text::jsonb, store => false) #> '{notes,retrieval,lane_details}')::text";
        let details: String = client
            .query_one(statement, &[question, &filters])
            .unwrap_or_else(|error| panic!("{error:?}"))
            .get(0);
        let details: Value = serde_json::from_str(&details).unwrap_or_default();
        for (lane, detail) in details.as_object().into_iter().flatten() {
            if let Some(milliseconds) = detail["milliseconds"].as_f64() {
                let used = detail["used"].as_str().unwrap_or_default();
                lanes.entry(format!("{lane} ({used})")).or_default().push(milliseconds);
            }
        }
    }
    println!(
        "{name}: search p50 {:.1} ms, p95 {:.1} ms",
        percentile(&mut times, 50),
        percentile(&mut times, 95)
    );
    for (lane, mut times) in lanes {
        let (median, high) = (percentile(&mut times, 50), percentile(&mut times, 95));
        println!("  {lane}: p50 {median:.1} ms, p95 {high:.1} ms in {} queries", times.len());
    }
}

fn percentile(times: &mut [f64], percent: usize) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() * percent / 100).copied().unwrap_or(f64::NAN)
}

fn execute(client: &mut Client, statements: &str) {
    client.batch_execute(statements).unwrap_or_else(|error| panic!("{error:?}"));
}

/// Past remember(), because a hundred thousand documents are not what is measured.
fn fill(client: &mut Client, project: &str, chunks: i32) {
    execute(
        client,
        &format!(
            "do $$
             declare
               p uuid := (select project_id from memento.project where name = '{project}');
               texts int := (select count(*) from text);
             begin
               perform setseed(0.5);
               insert into memento.commit (project_id, commit_id, created_by, operation) values (p, p, 'bench', 'bench');
               insert into memento.item (project_id, item_id, tags)
                 select p, md5(p || n::text)::uuid, case when n % 10000 = 0 then array['rare'] else '{{}}' end
                   from generate_series(1, {chunks}) n;
               insert into memento.version (project_id, version_id, item_id, version_num, commit_id, content, content_hash)
                 select p, md5(p || n::text)::uuid, md5(p || n::text)::uuid, 1, p, c, sha256(convert_to(c, 'UTF8'))
                   from generate_series(1, {chunks}) n
                   join lateral (select t.content || ' ' || n as c from text t where t.n = n % texts + 1) s on true;
               insert into memento.chunk (project_id, version_id, ordinal, start_char, end_char, token_count, block_kind,
                                          chunk_text, tech_tokens, rules_version, terms_version)
                 select p, version_id, 0, 0, length(content), 100, 'paragraph', content, memento.tech_tokens(content),
                        memento._rules_version(), 0
                   from memento.version where project_id = p;
               insert into memento.chunk_embedding (project_id, chunk_id, profile_id, embedding)
                 select p, c.chunk_id, e.profile_id,
                        (select array_agg(random() - 0.5) from generate_series(1, 384) where c.chunk_id > 0)::vector
                   from memento.chunk c, memento.embedding_profile e where c.project_id = p and e.name = 'words';
             end $$"
        ),
    );
}

//! Remembering a document of 10 kB, chunked and searchable, beside plain INSERTs of the same rows.

use std::time::{Duration, Instant};

use memento_core::chunk::{Budget, Chunk, chunk_markdown};
use memento_core::tech;
use memento_tests::Cluster;
use postgres::Client;

use crate::data;

/// How many documents each side stores.
const DOCUMENTS: usize = 400;
const BYTES: usize = 10_000;

/// How many documents the writers of a round store together.
const DOCUMENTS_TOGETHER: usize = 800;

/// All documents in one, from which pieces of the same size are cut.
fn piece(all: &str, number: usize) -> &str {
    let pieces = all.len() / BYTES;
    let at = number % pieces * BYTES;
    &all[all.floor_char_boundary(at)..all.floor_char_boundary(at + BYTES)]
}

/// Prints how many documents a second writers store together, each in a transaction of its own.
pub fn run_together() {
    let Some(texts) = data::markdown("chunking/k8s_docs") else { return };
    let all: String = texts.concat();
    let cluster = Cluster::start();
    let database = cluster.database();
    let mut alone = None;
    for writers in [1, 2, 4, 8] {
        let start = Instant::now();
        std::thread::scope(|scope| {
            for writer in 0..writers {
                let (all, cluster, database) = (&all, &cluster, &database);
                scope.spawn(move || {
                    let mut client = cluster.connect(database);
                    for number in (writer..DOCUMENTS_TOGETHER).step_by(writers) {
                        remember(&mut client, piece(all, number));
                    }
                });
            }
        });
        let rate = DOCUMENTS_TOGETHER as f64 / start.elapsed().as_secs_f64();
        let alone = *alone.get_or_insert(rate);
        println!("{writers} writers: {rate:.0} documents/s, {:.2} times one", rate / alone);
    }
}

/// Prints the median and the 95th percentile of both, and their ratios.
pub fn run() {
    let Some(texts) = data::markdown("chunking/k8s_docs") else { return };
    let all: String = texts.concat();
    let documents: Vec<&str> = (0..DOCUMENTS).map(|number| piece(&all, number)).collect();
    let cluster = Cluster::start();
    let mut client = cluster.connect(&cluster.database());
    execute(
        &mut client,
        "create schema plain;
         create table plain.item (like memento.item including all);
         create table plain.commit (like memento.commit including all);
         create table plain.version (like memento.version including all);
         create table plain.chunk (like memento.chunk including all);",
    );
    let (mut ours, mut plain) = (Vec::new(), Vec::new());
    for (number, document) in documents.iter().enumerate() {
        // One after the other, and each of them first in turn.
        if number.is_multiple_of(2) {
            ours.push(timed(|| remember(&mut client, document)));
            plain.push(insert(&mut client, document));
        } else {
            plain.push(insert(&mut client, document));
            ours.push(timed(|| remember(&mut client, document)));
        }
    }
    for (name, percent) in [("median", 50), ("p95", 95)] {
        let (a, b) = (percentile(&mut ours, percent), percentile(&mut plain, percent));
        println!(
            "{name}: remember {:.2} ms, plain INSERTs {:.2} ms, ratio {:.2}",
            a.as_secs_f64() * 1e3,
            b.as_secs_f64() * 1e3,
            a.as_secs_f64() / b.as_secs_f64()
        );
    }
}

fn remember(client: &mut Client, document: &str) {
    client.execute("select memento.remember($1)", &[&document]).unwrap_or_else(|error| panic!("{error}"));
}

/// Four statements in a transaction; the chunks and their tokens are made before the clock starts.
fn insert(client: &mut Client, document: &str) -> Duration {
    let chunks: Vec<Chunk> = chunk_markdown(document, Budget::default()).collect();
    let texts: Vec<&str> = chunks.iter().map(|chunk| chunk.text).collect();
    let tokens: Vec<String> =
        texts.iter().map(|text| tech::tokens(text).into_iter().collect::<Vec<_>>().join("\n")).collect();
    let numbers =
        |number: fn(&Chunk) -> usize| chunks.iter().map(|chunk| number(chunk) as i32).collect::<Vec<_>>();
    let (starts, ends, sizes) =
        (numbers(|chunk| chunk.start_char), numbers(|chunk| chunk.end_char), numbers(|chunk| chunk.size));
    timed(|| {
        let mut transaction = client.transaction().unwrap_or_else(|error| panic!("{error}"));
        let statements: [(&str, Vec<&(dyn postgres::types::ToSql + Sync)>); 4] = [
            ("insert into plain.item (project_id) select '00000000-0000-0000-0000-000000000001'", vec![]),
            (
                "insert into plain.commit (project_id, created_by, operation)
                 select '00000000-0000-0000-0000-000000000001', current_user, 'remember'",
                vec![],
            ),
            (
                "insert into plain.version (project_id, item_id, version_num, commit_id, content, content_hash)
                 select '00000000-0000-0000-0000-000000000001', gen_random_uuid(), 1, gen_random_uuid(), $1,
                        sha256(convert_to($1, 'UTF8'))",
                vec![&document],
            ),
            (
                "insert into plain.chunk (project_id, version_id, ordinal, start_char, end_char, token_count, block_kind,
                                          chunk_text, tech_tokens, rules_version, terms_version)
                 select '00000000-0000-0000-0000-000000000001', v.id, c.n, c.s, c.e, c.t, 'mixed', c.x,
                        string_to_array(c.k, E'\\n'), 1, 1
                   from (select gen_random_uuid() as id) v,
                        unnest($1::int[], $2::int[], $3::int[], $4::text[], $5::text[]) with ordinality c(s, e, t, x, k, n)",
                vec![&starts, &ends, &sizes, &texts, &tokens],
            ),
        ];
        for (statement, arguments) in statements {
            transaction.execute(statement, &arguments).unwrap_or_else(|error| panic!("{statement}: {error}"));
        }
        transaction.commit().unwrap_or_else(|error| panic!("{error}"));
    })
}

fn execute(client: &mut Client, statement: &str) {
    client.batch_execute(statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn percentile(times: &mut [Duration], percent: usize) -> Duration {
    times.sort();
    times[times.len() * percent / 100]
}

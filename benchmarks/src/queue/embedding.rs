//! 10,000 chunks against an endpoint that takes 50 ms for a batch, beside the time that its calls alone would take: by a new
//! profile, with its index at the end, and once more into the index that is there.

use std::time::{Duration, Instant};

use memento_tests::eventually;
use postgres::Client;

use super::{cluster, execute, percentile, sorted};
use crate::fake_endpoint::FakeEndpoint;
use crate::fake_endpoint::protocol::{self, Api, DIMS, Fault};

const CHUNKS: usize = 10_000;
const DOCUMENTS: usize = 100;
const CALL: Duration = Duration::from_millis(50);
const CONCURRENCY: usize = 4;
const ROUNDS: usize = 7;

/// Prints what it measures.
pub fn run() {
    let endpoint = FakeEndpoint::start(|request| {
        std::thread::sleep(CALL);
        protocol::vectors(Api::OpenAi, request, Fault::None)
    });
    for (texts, has_index) in [(32, false), (128, false), (32, true), (128, true)] {
        let cluster = cluster(&[
            "memento.allowed_hosts = '*'",
            "memento.allow_private_hosts = on",
            &format!("memento.model_concurrency = {CONCURRENCY}"),
        ]);
        let mut client = cluster.connect(&cluster.database());
        prepare(&mut client, &endpoint.url(), texts);
        let ideal = (CHUNKS.div_ceil(texts)).div_ceil(CONCURRENCY) as f64 * CALL.as_secs_f64();
        let (times, until_ready): (Vec<f64>, Vec<f64>) =
            (0..ROUNDS).map(|_| fill(&mut client, has_index)).unzip();
        let (times, until_ready) = (sorted(times), sorted(until_ready));
        println!(
            "{texts} texts a call, {} index: {:.2} s (median of {ROUNDS}; {:.2} to {:.2}), ideal {ideal:.2} s, ratio {:.2}; all is done after {:.2} s",
            if has_index { "into the" } else { "then the" },
            percentile(&times, 50),
            times[0],
            times[ROUNDS - 1],
            percentile(&times, 50) / ideal,
            percentile(&until_ready, 50)
        );
    }
}

/// Documents that are there and have no vectors.
fn prepare(client: &mut Client, url: &str, texts: usize) {
    execute(
        client,
        &format!(
            "select memento.embedding_profiles_upsert('slow', 'openai', 'm', {DIMS},
                      config => jsonb_build_object('base_url', '{url}', 'max_batch_texts', {texts}, 'concurrency', {CONCURRENCY}));
             select memento.remember('document ' || n) from generate_series(1, {DOCUMENTS}) n;
             insert into memento.chunk (project_id, version_id, ordinal, start_char, end_char, token_count, block_kind, chunk_text,
                                        tech_tokens, rules_version, terms_version)
             select c.project_id, c.version_id, n, 0, 1, 1, c.block_kind, 'text ' || n || ' of ' || c.chunk_text, '{{}}', c.rules_version,
                    c.terms_version
               from memento.chunk c cross join generate_series(1, {}) n;
             select memento.embedding_profiles_fill('slow')",
            CHUNKS / DOCUMENTS - 1
        ),
    );
    execute(client, "select memento.wait_until_running('60 s')");
    execute(client, "select memento.wait_until_idle('300 s')");
}

/// Seconds until all chunks have vectors again, and until there is an index, too.
fn fill(client: &mut Client, has_index: bool) -> (f64, f64) {
    execute(client, "delete from memento.chunk_embedding");
    execute(client, "vacuum memento.chunk_embedding");
    if !has_index {
        execute(
            client,
            "do $$ begin execute (select format('drop index memento.%I', memento._index_name(profile_id)) from memento.embedding_profile where name = 'slow'); end $$",
        );
    }
    let started = Instant::now();
    execute(client, "select memento.admin_reindex_profile('slow')");
    let until_stored = eventually("all have vectors", || {
        let open = "select count(*) from memento.job j join memento.embedding_profile p using (profile_id)
                     where p.name = 'slow' and j.kind = 'embed' and j.claimable_at is not null";
        let open: i64 = client.query_one(open, &[]).unwrap_or_else(|error| panic!("{error:?}")).get(0);
        (open == 0).then(|| started.elapsed().as_secs_f64())
    });
    execute(client, "select memento.wait_until_idle('300 s')");
    let until_ready = started.elapsed().as_secs_f64();
    let stored: i64 = client
        .query_one("select count(*) from memento.chunk_embedding", &[])
        .unwrap_or_else(|error| panic!("{error:?}"))
        .get(0);
    assert_eq!(stored, CHUNKS as i64);
    (until_stored, until_ready)
}

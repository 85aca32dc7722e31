//! From the commit of new work until an idle worker has taken it.

use std::time::{Duration, SystemTime};

use super::{cluster, execute, percentile, sorted};

const SAMPLES: i32 = 200;

/// Prints what it measures.
pub fn run() {
    let cluster = cluster(&[]);
    let mut client = cluster.connect(&cluster.database());
    execute(
        &mut client,
        "select memento.embedding_profiles_upsert('hash', 'hash', 'hash', 64);
         select memento.embedding_profiles_activate('hash', force => true);
         select memento.wait_until_running('60 s')",
    );
    execute(&mut client, "select memento.wait_until_idle('60 s')");
    let mut delays = Vec::new();
    for number in 0..SAMPLES {
        let mut transaction = client.transaction().unwrap_or_else(|error| panic!("{error:?}"));
        transaction
            .execute("select memento.remember('text number ' || $1::text)", &[&number.to_string()])
            .unwrap_or_else(|error| panic!("{error:?}"));
        let before = SystemTime::now();
        transaction.commit().unwrap_or_else(|error| panic!("{error:?}"));
        execute(&mut client, "select memento.wait_until_idle('60 s')");
        let taken: SystemTime = client
            .query_one(
                "select j.started_at from memento.job j join memento.embedding_profile p using (profile_id)
                  where j.kind = 'embed' and p.name = 'hash' order by j.job_id desc limit 1",
                &[],
            )
            .unwrap_or_else(|error| panic!("{error:?}"))
            .get(0);
        delays.push(taken.duration_since(before).unwrap_or(Duration::ZERO).as_secs_f64() * 1e3);
    }
    let delays = sorted(delays);
    println!(
        "from before COMMIT to the claim, {SAMPLES} times: median {:.2} ms, p95 {:.2} ms, longest {:.2} ms",
        percentile(&delays, 50),
        percentile(&delays, 95),
        delays[delays.len() - 1]
    );
}

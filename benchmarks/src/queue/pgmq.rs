//! Claim and finish beside pgmq's read and delete: same server, same client, each call its own transaction. Beside its read and
//! archive, too, which keeps what was done as ours does; a deleted message leaves nothing to look at.

use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use postgres::{Client, Statement};

use super::{cluster, execute, percentile, sorted};

/// Rounds of each side, in turn.
const ROUNDS: usize = 9;

/// The release of pgmq whose SQL is taken, from the crate of that name.
const RELEASE: &str = "0.33.7";

/// How many finished rows there are in the table of jobs.
const FINISHED: [i64; 2] = [1_000, 5_000_000];

/// Prints what it measures.
pub fn run() {
    let Some(install) = sql_of_pgmq() else {
        println!("pgmq {RELEASE} cannot be fetched: left out");
        return;
    };
    let cluster = cluster(&["memento.worker = off", "autovacuum = on"]);
    let mut client = cluster.connect(&cluster.database());
    execute(&mut client, &install);
    execute(&mut client, "select pgmq.create('bench')");
    let most = std::env::var("MEMENTO_BENCH_FINISHED")
        .ok()
        .and_then(|rows| rows.parse().ok())
        .unwrap_or(FINISHED[1]);
    let mut there = 0;
    for finished in [FINISHED[0], most] {
        add_finished(&mut client, finished - there);
        there = finished;
        for (batch, calls) in [(1, 300), (100, 30)] {
            let mut sides = Sides::new(&mut client);
            let [ours, deleted, archived] = sides.interleave(&mut client, batch, calls);
            report(finished, batch, &ours, ("delete", &deleted));
            report(finished, batch, &ours, ("archive", &archived));
        }
    }
}

/// Rows as a queue has them that has worked for a while.
fn add_finished(client: &mut Client, rows: i64) {
    for statement in [
        "alter table memento.job disable trigger user",
        &format!(
            "insert into memento.job (project_id, kind, lane, state, attempt, claimable_at, started_at, finished_at, dedup_key)
             select '00000000-0000-0000-0000-000000000001', 'probe', 'probe', 'done', 1, null, now(), now() - n * interval '1 ms', n::text
               from generate_series(1, {rows}) n"
        ),
        "alter table memento.job enable trigger user",
        "vacuum analyze memento.job",
    ] {
        execute(client, statement);
    }
}

struct Sides {
    claim: Statement,
    finish: Statement,
    read: Statement,
    delete: Statement,
    archive: Statement,
}

impl Sides {
    fn new(client: &mut Client) -> Self {
        let mut prepare =
            |text: &str| client.prepare(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
        Self {
            claim: prepare(
                "select c.project_id, c.job_id, c.attempt, c.failures::int, c.kind, c.profile_id
                   from memento._claim_jobs('bench', 'probe', $1, interval '60 s') c",
            ),
            finish: prepare(
                "select memento._finish_jobs($1, $2, $3, array_fill('{}'::jsonb, array[$4::int]))",
            ),
            read: prepare("select msg_id, read_ct, message from pgmq.read('bench', 60, $1)"),
            delete: prepare("select pgmq.delete('bench', $1::bigint[])"),
            archive: prepare("select pgmq.archive('bench', $1::bigint[])"),
        }
    }

    /// Seconds of each round: ours, theirs with messages deleted, theirs with messages archived.
    fn interleave(&mut self, client: &mut Client, batch: i32, calls: i32) -> [Vec<f64>; 3] {
        let mut rounds = [Vec::new(), Vec::new(), Vec::new()];
        for round in 0..=ROUNDS {
            let jobs = batch * calls;
            execute(
                client,
                &format!(
                    "insert into memento.job (project_id, kind, lane, dedup_key)
                     select '00000000-0000-0000-0000-000000000001', 'probe', 'probe', 'open ' || n from generate_series(1, {jobs}) n"
                ),
            );
            execute(
                client,
                &format!(
                    "select pgmq.send_batch('bench', array_agg('{{}}'::jsonb)) from generate_series(1, {})",
                    2 * jobs
                ),
            );
            let times = [
                seconds(|| (0..calls).for_each(|_| self.ours(client, batch))),
                seconds(|| (0..calls).for_each(|_| Self::theirs(client, batch, &self.read, &self.delete))),
                seconds(|| (0..calls).for_each(|_| Self::theirs(client, batch, &self.read, &self.archive))),
            ];
            // The first one fills caches.
            if round > 0 {
                rounds.iter_mut().zip(times).for_each(|(all, time)| all.push(time));
            }
        }
        rounds
    }

    fn ours(&self, client: &mut Client, batch: i32) {
        let rows = client.query(&self.claim, &[&batch]).unwrap_or_else(|error| panic!("{error:?}"));
        assert_eq!(rows.len(), batch as usize);
        let projects: Vec<uuid::Uuid> = rows.iter().map(|row| row.get(0)).collect();
        let jobs: Vec<i64> = rows.iter().map(|row| row.get(1)).collect();
        let attempts: Vec<i32> = rows.iter().map(|row| row.get(2)).collect();
        let done = client
            .query(&self.finish, &[&projects, &jobs, &attempts, &batch])
            .unwrap_or_else(|error| panic!("{error:?}"));
        assert_eq!(done.len(), batch as usize);
    }

    fn theirs(client: &mut Client, batch: i32, read: &Statement, end: &Statement) {
        let rows = client.query(read, &[&batch]).unwrap_or_else(|error| panic!("{error:?}"));
        let ids: Vec<i64> = rows.iter().map(|row| row.get(0)).collect();
        let gone = client.query(end, &[&ids]).unwrap_or_else(|error| panic!("{error:?}"));
        assert_eq!(gone.len(), batch as usize);
    }
}

fn seconds(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

fn report(finished: i64, batch: i32, ours: &[f64], (way, theirs): (&str, &[f64])) {
    let ratios = sorted(ours.iter().zip(theirs).map(|(ours, theirs)| theirs / ours).collect());
    let median = |times: &[f64]| percentile(&sorted(times.to_vec()), 50);
    println!(
        "{finished} finished rows, batch {batch}: round of ours {:.1} ms, of pgmq with {way} {:.1} ms, ratio {:.2} (median of {ROUNDS}; {:.2} to {:.2}; above 1: ours is faster)",
        median(ours) * 1e3,
        median(theirs) * 1e3,
        percentile(&ratios, 50),
        ratios[0],
        ratios[ratios.len() - 1]
    );
}

/// The script that installs pgmq, out of its crate: fetched for a project that does nothing else.
fn sql_of_pgmq() -> Option<String> {
    let home = PathBuf::from(std::env::var_os("MEMENTO_BENCH_HOME")?).join("pgmq");
    std::fs::create_dir_all(home.join("src")).ok()?;
    std::fs::write(home.join("src/lib.rs"), "").ok()?;
    let manifest = format!(
        "[package]\nname = \"fetch-pgmq\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[workspace]\n[dependencies]\npgmq = \"={RELEASE}\"\n"
    );
    std::fs::write(home.join("Cargo.toml"), manifest).ok()?;
    let vendor = home.join("vendor");
    if !vendor.join("pgmq").exists() {
        let status = Command::new("cargo")
            .args(["vendor", "--quiet", "--versioned-dirs"])
            .arg(&vendor)
            .current_dir(&home)
            .stdout(std::process::Stdio::null())
            .status()
            .ok()?;
        if !status.success() {
            return None;
        }
    }
    std::fs::read_to_string(vendor.join(format!("pgmq-{RELEASE}/src/install/embedded/sql/pgmq.sql"))).ok()
}

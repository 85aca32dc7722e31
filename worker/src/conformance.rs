//! What every way to the database must do: one suite, run over the server's own interface in the background worker and over a
//! connection. It needs a database with the extension that nobody else works on, and empties its queue.

mod events;
mod failures;
mod holding;
mod model;
mod protocol;
mod rounds;
mod trouble;
mod vectors;

use std::time::Duration;

use uuid::Uuid;

use crate::database::{Columns, Database, DatabaseError, DatabaseResult, Statements, Value};
use crate::index;
use crate::job::{Held, Job, Reason};
use crate::metrics::Metrics;
use crate::store::{Profile, Store};

/// What a case says that does not hold.
pub type Outcome = Result<(), Failure>;

/// One thing that must hold: its name, and what looks whether it does.
type Case = (&'static str, fn(&mut Scene) -> Outcome);

/// What did not hold.
#[derive(Debug)]
pub struct Failure(String);

impl From<DatabaseError> for Failure {
    fn from(error: DatabaseError) -> Self {
        Self(format!("unexpected: {error}"))
    }
}

/// Runs all cases and gives the name of each, with what does not hold.
pub fn run(database: &mut dyn Database) -> Vec<(&'static str, Option<String>)> {
    let suites = [
        protocol::CASES,
        holding::CASES,
        vectors::CASES,
        rounds::CASES,
        failures::CASES,
        events::CASES,
        trouble::CASES,
    ];
    suites
        .into_iter()
        .flatten()
        .map(|(name, case)| {
            let mut scene = Scene { database: &mut *database, metrics: Metrics::default() };
            let outcome = scene.clear().and_then(|()| case(&mut scene));
            (*name, outcome.err().map(|Failure(what)| what))
        })
        .collect()
}

/// Long enough that no lease ends by itself.
const LEASE: Duration = Duration::from_secs(3600);

/// A lane that no worker knows.
const LANE: &str = "probe";

/// The project that is always there.
const PROJECT: Uuid = Uuid::from_u128(1);

/// The length of vectors here.
const DIMS: usize = 8;

fn same<T: PartialEq + std::fmt::Debug>(what: &str, is: T, expected: T) -> Outcome {
    if is == expected { Ok(()) } else { Err(Failure(format!("{what}: {is:?}, not {expected:?}"))) }
}

fn holds(what: &str, is: bool) -> Outcome {
    if is { Ok(()) } else { Err(Failure(format!("does not hold: {what}"))) }
}

fn reason(code: &str) -> Reason {
    Reason { code: code.into(), message: "on purpose".into(), hint: None }
}

/// The database of a case.
struct Scene<'a> {
    database: &'a mut dyn Database,
    metrics: Metrics,
}

impl Scene<'_> {
    fn store(&mut self) -> Store<'_> {
        Store::new(&mut *self.database, &self.metrics)
    }

    /// Nothing is queued or remembered, and the project uses a profile of its own.
    fn clear(&mut self) -> Outcome {
        for statement in [
            "delete from memento.job",
            "delete from memento.item where project_id = '00000000-0000-0000-0000-000000000001'",
            "delete from memento.queue_pause",
            "delete from memento.endpoint_pause",
            "delete from memento.budget",
            "delete from memento.usage_ledger",
            "select memento.embedding_profiles_upsert('conformance', 'hash', 'hash', 8)",
            "select memento.embedding_profiles_upsert('conformance-other', 'hash', 'hash', 8)",
            "select memento.embedding_profiles_activate('conformance', force => true)",
            "update memento.project set candidate_profile_id = null",
            "delete from memento.profile_change",
            // What is due from time to time has been done, and its jobs are of no interest here.
            "select memento._maintain(1)",
            "delete from memento.job",
        ] {
            self.run(statement)?;
        }
        // The loop would have them built beside it, and be busy for as long.
        for name in ["conformance", "conformance-other"] {
            let profile = self.profile_named(name)?.profile;
            index::build(self.database, profile)?;
        }
        Ok(())
    }

    fn run(&mut self, statement: &str) -> DatabaseResult<()> {
        self.database.transaction(&mut |statements| statements.query(statement, &[]).map(drop))
    }

    /// The first column of the first row, which must be a text; empty if there is none.
    fn text(&mut self, statement: &str) -> DatabaseResult<String> {
        let mut found = String::new();
        self.database.transaction(&mut |statements: &mut dyn Statements| {
            if let Some(row) = statements.query(statement, &[])?.into_iter().next() {
                found = Columns::of(row).optional_text()?.unwrap_or_default();
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// A job in a lane, due for as many seconds.
    fn job(&mut self, lane: &str, due_for: i32) -> DatabaseResult<i64> {
        let kind = lane.split(':').next().unwrap_or(lane);
        let mut job = 0;
        self.database.transaction(&mut |statements| {
            let rows = statements.query(
                "insert into memento.job (project_id, kind, lane, claimable_at)
                 values ($1, $2, $3, clock_timestamp() - make_interval(secs => $4)) returning job_id",
                &[
                    Value::Uuid(PROJECT),
                    Value::Text(kind.into()),
                    Value::Text(lane.into()),
                    Value::Double(due_for.into()),
                ],
            )?;
            job = rows.into_iter().next().map_or(Ok(0), |row| Columns::of(row).bigint())?;
            Ok(())
        })?;
        Ok(job)
    }

    /// A job that was just claimed by a worker.
    fn claimed(&mut self, worker: &str) -> Result<Held, Failure> {
        self.job(LANE, 0)?;
        self.claim_one(worker, LANE)
    }

    fn claim(&mut self, worker: &str, lane: &str, batch: usize) -> DatabaseResult<Vec<Job>> {
        self.store().claim(worker, lane, batch, LEASE)
    }

    fn claim_one(&mut self, worker: &str, lane: &str) -> Result<Held, Failure> {
        let jobs = self.claim(worker, lane, 1)?;
        jobs.first().map(|job| job.held).ok_or_else(|| Failure(format!("nothing to claim in {lane}")))
    }

    /// Ends all leases.
    fn end_leases(&mut self) -> DatabaseResult<()> {
        self.run(
            "update memento.job set lease_until = clock_timestamp() - interval '1 s' where state = 'running'",
        )
    }

    /// Lets everything that waits be due.
    fn make_due(&mut self) -> DatabaseResult<()> {
        self.run("update memento.job set claimable_at = clock_timestamp() where state = 'pending'")
    }

    fn state(&mut self, job: i64) -> DatabaseResult<String> {
        self.column(job, "state")
    }

    /// Something about a job, as a text.
    fn column(&mut self, job: i64, expression: &str) -> DatabaseResult<String> {
        self.text(&format!("select ({expression})::text from memento.job where job_id = {job}"))
    }

    fn count(&mut self, rows: &str) -> DatabaseResult<String> {
        self.text(&format!("select count(*)::text from {rows}"))
    }

    fn profile(&mut self) -> Result<Profile, Failure> {
        self.profile_named("conformance")
    }

    fn profile_named(&mut self, name: &str) -> Result<Profile, Failure> {
        let id = self
            .text(&format!("select profile_id::text from memento.embedding_profile where name = '{name}'"))?;
        let id = Uuid::parse_str(&id).map_err(|error| Failure(error.to_string()))?;
        self.store().profile(id)?.ok_or_else(|| Failure("the profile is not there".into()))
    }

    /// Remembers a text under a name; it is one chunk.
    fn remember(&mut self, name: &str, content: &str) -> DatabaseResult<()> {
        self.database.transaction(&mut |statements| {
            statements
                .query(
                    "select memento.remember($1, source_system => 'conformance', source_id => $2)",
                    &[Value::Text(content.into()), Value::Text(name.into())],
                )
                .map(drop)
        })
    }

    /// States of all jobs with how many there are of each; the worker makes those of indexes by itself.
    fn states(&mut self) -> DatabaseResult<String> {
        self.text(
            "select string_agg(s.state || ' ' || s.jobs, ', ' order by s.state)
               from (select state, count(*) as jobs from memento.job where kind <> 'build_index' group by state) s",
        )
    }
}

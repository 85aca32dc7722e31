//! The statements of the loop, typed. They call the functions of sql/41_worker.sql and its neighbours, so they are the same from
//! wherever they are run.

mod gauges;
mod parameters;

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value as Json;
use uuid::Uuid;

use crate::caller::Wake;
use crate::database::{Columns, Database, DatabaseResult, Statements, Value};
use crate::extraction;
use crate::index::IndexBuild;
use crate::job::{Held, Input, Job, Lane, Reason};
use crate::metrics::Metrics;
pub use crate::record::{Call, ChatProfile, Document, Findings, Payee, Profile, Tally, Vectors, Written};

use parameters::{count, key, keys, seconds};

/// The database, asked in the terms of the loop; what happens is counted.
pub struct Store<'a> {
    database: &'a mut dyn Database,
    metrics: &'a Metrics,
}

impl<'a> Store<'a> {
    /// Over a database.
    pub fn new(database: &'a mut dyn Database, metrics: &'a Metrics) -> Self {
        Self { database, metrics }
    }

    /// The lanes that have open jobs.
    pub fn due_lanes(&mut self, worker: &str, is_servers_own: bool) -> DatabaseResult<Vec<Lane>> {
        self.rows(
            "select l.lane, l.profile_id, extract(epoch from l.next_at - statement_timestamp())::float8, l.was_lost
               from memento._due_lanes($1, $2) l",
            &[Value::Text(worker.into()), Value::Bool(is_servers_own)],
            |mut row| {
                Ok(Lane {
                    name: row.text()?,
                    profile: row.optional_uuid()?,
                    due_in: row.double()?,
                    was_lost: row.bool()?,
                })
            },
        )
    }

    /// Takes up to `batch` jobs of a lane.
    pub fn claim(
        &mut self,
        worker: &str,
        lane: &str,
        batch: usize,
        lease: Duration,
    ) -> DatabaseResult<Vec<Job>> {
        let jobs = self.rows(
            "select c.project_id, c.job_id, c.attempt, c.failures::int, c.lost_leases::int, c.kind, c.profile_id
               from memento._claim_jobs($1, $2, $3, make_interval(secs => $4)) c",
            &[Value::Text(worker.into()), Value::Text(lane.into()), count(batch), seconds(lease)],
            |mut row| {
                Ok(Job {
                    held: Held { project: row.uuid()?, job: row.bigint()?, attempt: row.int()? },
                    failures: u32::try_from(row.int()?).unwrap_or(0),
                    lost: u32::try_from(row.int()?).unwrap_or(0),
                    kind: row.text()?,
                    profile: row.optional_uuid()?,
                })
            },
        )?;
        if let Some(first) = jobs.first() {
            self.metrics.claimed(&first.kind, jobs.iter().map(|job| job.held.job));
        }
        Ok(jobs)
    }

    /// Does a job that needs nothing but the database, and finishes it. Says in which state it is then; none if it was lost.
    pub fn run(&mut self, held: Held) -> DatabaseResult<Option<String>> {
        let [project, job, attempt] = key(held);
        let states =
            self.rows("select memento._run_job($1, $2, $3)", &[project, job, attempt], |mut row| {
                row.optional_text()
            })?;
        let state = states.into_iter().next().flatten();
        self.metrics.done(&[held.job][usize::from(state.as_deref() != Some("done"))..]);
        Ok(state)
    }

    /// Marks a job as done.
    pub fn finish(&mut self, held: Held, result: Json) -> DatabaseResult<bool> {
        let [projects, jobs, attempts] = keys(&[held]);
        let finished = self.rows(
            "select memento._finish_jobs($1, $2, $3, $4)",
            &[projects, jobs, attempts, Value::Jsons(vec![result])],
            |mut row| row.bigint(),
        )?;
        self.metrics.done(&finished);
        Ok(!finished.is_empty())
    }

    /// Records why an attempt failed. With a delay it is tried again; `counts` says whether the failure is the job's own.
    pub fn fail(
        &mut self,
        held: Held,
        reason: &Reason,
        retry_in: Option<Duration>,
        counts: bool,
    ) -> DatabaseResult<Option<String>> {
        self.metrics.failed(held.job, &reason.code);
        let [project, job, attempt] = key(held);
        let states = self.rows(
            "select memento._fail_job($1, $2, $3, $4, $5, $6, make_interval(secs => $7::float8), $8)",
            &[
                project,
                job,
                attempt,
                Value::Text(reason.code.clone()),
                Value::Text(reason.message.clone()),
                reason.hint.clone().map_or(Value::Null, Value::Text),
                retry_in.map_or(Value::Null, seconds),
                Value::Bool(counts),
            ],
            |mut row| row.optional_text(),
        )?;
        Ok(states.into_iter().next().flatten())
    }

    /// Keeps jobs for longer. Gives those that are still held.
    pub fn extend(&mut self, held: &[Held], lease: Duration) -> DatabaseResult<Vec<i64>> {
        let [projects, jobs, attempts] = keys(held);
        self.rows(
            "select memento._extend_leases($1, $2, $3, make_interval(secs => $4))",
            &[projects, jobs, attempts, seconds(lease)],
            |mut row| row.bigint(),
        )
    }

    /// Gives jobs back untouched, to be taken after a while.
    pub fn release(&mut self, held: &[Held], delay: Duration) -> DatabaseResult<()> {
        self.metrics.released(held.iter().map(|held| held.job));
        let [projects, jobs, attempts] = keys(held);
        self.done(
            "select memento._release_jobs($1, $2, $3, make_interval(secs => $4))",
            &[projects, jobs, attempts, seconds(delay)],
        )
    }

    /// Ends the leases of a worker of this name that is known to be gone.
    pub fn recover(&mut self, worker: &str) -> DatabaseResult<()> {
        self.done("select memento._recover_jobs($1)", &[Value::Text(worker.into())])
    }

    /// Keeps all workers from calling an endpoint for a while.
    pub fn pause_endpoint(&mut self, endpoint: &str, pause: Duration, reason: &Reason) -> DatabaseResult<()> {
        self.metrics.paused(endpoint);
        let texts = [endpoint, &reason.code, &reason.message].map(|text| Value::Text(text.into()));
        let [endpoint, code, message] = texts;
        self.done(
            "select memento._pause_endpoint($1, make_interval(secs => $2), $3, $4)",
            &[endpoint, seconds(pause), code, message],
        )
    }

    /// Lets models be asked again that were not there: they may be now.
    pub fn unpause_models(&mut self) -> DatabaseResult<()> {
        self.done("select memento._unpause_models()", &[])
    }

    /// A profile, if it is still there.
    pub fn profile(&mut self, profile: Uuid) -> DatabaseResult<Option<Profile>> {
        let found = self.rows(
            "select p.provider, p.model, p.dims, p.config, p.endpoint from memento.embedding_profile p where p.profile_id = $1",
            &[Value::Uuid(profile)],
            |mut row| {
                Ok(Profile {
                    profile,
                    provider: row.text()?,
                    model: row.text()?,
                    dims: usize::try_from(row.int()?).unwrap_or(0),
                    config: row.json()?,
                    endpoint: row.text()?,
                })
            },
        )?;
        Ok(found.into_iter().next())
    }

    /// Up to `most` chunks of jobs that have no vector yet.
    pub fn inputs(&mut self, profile: Uuid, held: &[Held], most: usize) -> DatabaseResult<Vec<Input>> {
        let attempts: BTreeMap<i64, i32> = held.iter().map(|held| (held.job, held.attempt)).collect();
        let [projects, jobs, numbers] = keys(held);
        self.rows(
            "select i.project_id, i.job_id, i.chunk_id, i.chunk_text, i.token_count, i.contextual
               from memento._embed_inputs($1, $2, $3, $4, $5) i",
            &[Value::Uuid(profile), projects, jobs, numbers, count(most)],
            |mut row| {
                let (project, job) = (row.uuid()?, row.bigint()?);
                Ok(Input {
                    held: Held { project, job, attempt: attempts.get(&job).copied().unwrap_or(0) },
                    chunk: row.bigint()?,
                    text: row.text()?,
                    tokens: usize::try_from(row.int()?).unwrap_or(0),
                    contextual: row.bool()?,
                })
            },
        )
    }

    /// Stores the vectors of chunks and enters the call into the ledger, together.
    pub fn store_vectors(&mut self, profile: &Profile, vectors: &Vectors, call: &Call) -> DatabaseResult<()> {
        let payee = Payee::from(profile);
        let held: Vec<Held> = vectors.inputs.iter().map(|input| input.held).collect();
        let [projects, jobs, attempts] = keys(&held);
        let parameters = [
            Value::Uuid(profile.profile),
            projects,
            jobs,
            attempts,
            Value::BigInts(vectors.inputs.iter().map(|input| input.chunk).collect()),
            Value::Reals(vectors.vectors.concat()),
        ];
        self.database.transaction(&mut |statements| {
            if let Some(model) = &vectors.model {
                let bound = [Value::Uuid(profile.profile), Value::Text(model.clone())];
                statements.query("select memento._bind_model($1, $2)", &bound)?;
            }
            statements.query("select memento._store_embeddings($1, $2, $3, $4, $5, $6)", &parameters)?;
            record(statements, &payee, call)
        })?;
        self.count_call(&profile.endpoint, call);
        Ok(())
    }

    /// Enters a call into the ledger.
    pub fn record_call(&mut self, payee: &Payee, call: &Call) -> DatabaseResult<()> {
        self.database.transaction(&mut |statements| record(statements, payee, call))?;
        self.count_call(&payee.endpoint, call);
        Ok(())
    }

    fn count_call(&self, endpoint: &str, call: &Call) {
        self.metrics.called(endpoint, &call.outcome, call.duration, call.tokens);
    }

    /// The document of a job that looks for events; none if it is no longer ours.
    pub fn document(&mut self, held: Held) -> DatabaseResult<Option<Document>> {
        let found = self.rows(
            "select i.content, i.about from memento._extraction_input($1, $2, $3) i",
            &key(held),
            |mut row| Ok(extraction::document(row.text()?, &row.json()?)),
        )?;
        Ok(found.into_iter().next())
    }

    /// Replaces the events of a document, and finishes the job.
    pub fn store_events(&mut self, held: Held, found: &Findings) -> DatabaseResult<Written> {
        let [project, job, attempt] = key(held);
        let outcome = self.rows(
            "select memento._store_events($1, $2, $3, $4, $5, $6, $7)",
            &[
                project,
                job,
                attempt,
                Value::Text(found.extractor.clone()),
                Value::Json(found.events.clone()),
                Value::Json(found.entities.clone()),
                Value::Json(found.outcome.clone()),
            ],
            |mut row| row.text(),
        )?;
        let written = outcome.first().map_or(Written::Lost, |word| Written::from_word(word));
        match written {
            Written::Done => self.metrics.done(&[held.job]),
            Written::Refused => self.metrics.failed(held.job, "WRITE_FAILED"),
            Written::Busy | Written::Lost => {}
        }
        Ok(written)
    }

    /// Finishes the jobs whose chunks all have a vector, or whose result nobody wants any more, and gives them.
    pub fn finish_embedded(&mut self, profile: Uuid, held: &[Held]) -> DatabaseResult<Vec<i64>> {
        let [projects, jobs, attempts] = keys(held);
        let finished = self.rows(
            "select memento._finish_embed_jobs($1, $2, $3, $4)",
            &[Value::Uuid(profile), projects, jobs, attempts],
            |mut row| row.bigint(),
        )?;
        self.metrics.done(&finished);
        Ok(finished)
    }

    /// Says that a worker is there.
    pub fn heartbeat(
        &mut self,
        worker: &str,
        kinds: &[&str],
        listens: bool,
        tally: &Tally,
    ) -> DatabaseResult<()> {
        self.done(
            "select memento._heartbeat($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            &[
                Value::Text(worker.into()),
                Value::Text(env!("CARGO_PKG_VERSION").into()),
                Value::Texts(kinds.iter().map(|&kind| kind.into()).collect()),
                Value::Bool(listens),
                count(tally.in_flight),
                Value::BigInt(tally.done as i64),
                Value::BigInt(tally.failed as i64),
                tally.last_error.clone().map_or(Value::Null, Value::Text),
                Value::Json(tally.unusable.to_json()),
            ],
        )
    }

    /// Does what is due from time to time: old jobs go, retention is acted on. Says how many rows that took.
    pub fn maintain(&mut self, batch: usize) -> DatabaseResult<i64> {
        let rows = self.rows("select memento._maintain($1)", &[count(batch)], |mut row| row.bigint())?;
        Ok(rows.into_iter().sum())
    }

    /// What a profile's index still needs: commands, in their order.
    pub fn index_commands(&mut self, profile: Uuid) -> DatabaseResult<Vec<String>> {
        let concurrently = Value::Bool(self.database.can_run_concurrently());
        self.rows(
            "select memento._index_commands($1, $2)",
            &[Value::Uuid(profile), concurrently],
            |mut row| row.text(),
        )
    }

    /// Begins to make a profile's index.
    pub fn begin_index(&mut self, profile: Uuid, wake: &Wake) -> DatabaseResult<Box<dyn IndexBuild>> {
        self.database.begin_index(profile, wake)
    }

    /// Runs a command.
    pub fn command(&mut self, command: &str) -> DatabaseResult<()> {
        self.database.command(command)
    }

    fn done(&mut self, statement: &str, parameters: &[Value]) -> DatabaseResult<()> {
        self.rows(statement, parameters, |_| Ok(())).map(drop)
    }

    fn rows<T>(
        &mut self,
        statement: &str,
        parameters: &[Value],
        read: impl Fn(Columns) -> DatabaseResult<T>,
    ) -> DatabaseResult<Vec<T>> {
        let mut read_rows = Vec::new();
        self.database.transaction(&mut |statements| {
            read_rows = statements
                .query(statement, parameters)?
                .into_iter()
                .map(Columns::of)
                .map(&read)
                .collect::<Result<_, _>>()?;
            Ok(())
        })?;
        Ok(read_rows)
    }
}

fn record(statements: &mut dyn Statements, payee: &Payee, call: &Call) -> DatabaseResult<()> {
    statements.query(
        "select memento._record_usage($1, $12, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
        &[
            Value::Uuid(call.held.project),
            Value::Text(payee.provider.clone()),
            Value::Text(payee.model.clone()),
            Value::Text(payee.endpoint.clone()),
            Value::Text(call.outcome.clone()),
            count(call.items),
            Value::BigInt(call.tokens as i64),
            Value::BigInt(call.sent as i64),
            Value::BigInt(call.received as i64),
            Value::Double(call.duration.as_secs_f64() * 1000.0),
            Value::BigInt(call.held.job),
            Value::Text(payee.role.into()),
        ],
    )?;
    Ok(())
}

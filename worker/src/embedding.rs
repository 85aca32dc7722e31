//! Jobs of kind embed that are under way: which texts wait, which are with a model, and what is done with the answers.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use memento_core::backoff::EMBED;

use crate::batch::{Batch, group};
use crate::caller::{Answer, Caller};
use crate::database::{DatabaseError, DatabaseResult};
use crate::job::{Held, Job, Reason};
use crate::models::Models;
use crate::provider::{Embedder, Kind, ProviderError, Usage};
use crate::store::{Call, Profile, Store, Tally, Vectors};

/// How many texts are in memory for a lane at most; a longer document comes in several turns.
const MOST_INPUTS: usize = 1_024;

/// How long an endpoint is left alone that says it has too much to do, but not for how long.
const DEFAULT_PAUSE: Duration = Duration::from_secs(30);

/// How long until a model that is not there is asked for again.
const NOT_READY_PAUSE: Duration = Duration::from_secs(60);

/// All lanes of embed jobs.
pub struct Embedding {
    caller: Caller,
    concurrency: usize,
    lanes: BTreeMap<String, LaneState>,
}

/// The jobs of one profile.
struct LaneState {
    profile: Profile,
    embedder: Arc<dyn Embedder>,
    jobs: BTreeMap<i64, Progress>,
    waiting: VecDeque<Batch>,
    calls: usize,
}

/// How far a job is.
struct Progress {
    held: Held,
    failures: u32,
    /// Texts whose vectors are not stored yet.
    open: usize,
}

impl Embedding {
    pub fn new(caller: Caller, concurrency: usize) -> Self {
        Self { caller, concurrency: concurrency.max(1), lanes: BTreeMap::new() }
    }

    pub fn set_concurrency(&mut self, concurrency: usize) {
        self.concurrency = concurrency.max(1);
    }

    /// All jobs that are held.
    pub fn held(&self) -> Vec<Held> {
        self.lanes.values().flat_map(|lane| lane.jobs.values().map(|job| job.held)).collect()
    }

    /// Drops the jobs that are not among those that are kept: somebody else has them.
    pub fn keep_only(&mut self, kept: &[i64]) {
        for lane in self.lanes.values_mut() {
            lane.jobs.retain(|job, _| kept.contains(job));
            lane.drop_orphans();
        }
    }

    /// Holds nothing any more, and says what it held.
    pub fn forget_all(&mut self) -> Vec<Held> {
        let held = self.held();
        self.lanes.clear();
        held
    }

    /// Whether a lane has as many calls under way and waiting as are useful.
    pub fn is_busy(&self, lane: &str) -> bool {
        self.lanes.get(lane).is_some_and(|lane| lane.waiting.len() + lane.calls >= 2 * self.concurrency)
    }

    /// Begins with jobs that were claimed.
    pub fn start(
        &mut self,
        name: &str,
        jobs: Vec<Job>,
        store: &mut Store,
        models: &dyn Models,
        tally: &mut Tally,
    ) -> DatabaseResult<()> {
        let Some(id) = jobs.first().and_then(|job| job.profile) else { return Ok(()) };
        let Some(profile) = store.profile(id)? else { return Ok(()) };
        let embedder = match models.embedder(&profile) {
            Ok(embedder) => embedder,
            Err(error) => return refuse(&jobs, &profile, &error, store, tally),
        };
        let lane = self.lanes.entry(name.to_owned()).or_insert_with(|| LaneState {
            profile: profile.clone(),
            embedder: Arc::clone(&embedder),
            jobs: BTreeMap::new(),
            waiting: VecDeque::new(),
            calls: 0,
        });
        // The configuration may have changed since.
        (lane.profile, lane.embedder) = (profile, embedder);
        let held: Vec<Held> = jobs.iter().map(|job| job.held).collect();
        for job in jobs {
            lane.jobs.insert(job.held.job, Progress { held: job.held, failures: job.failures, open: 0 });
        }
        lane.load(&held, store, tally)?;
        lane.call_next(name, &self.caller, self.concurrency);
        Ok(())
    }

    /// Deals with what came of a call.
    pub fn take(&mut self, answer: Answer, store: &mut Store, tally: &mut Tally) -> DatabaseResult<()> {
        // Forgotten meanwhile: the worker ends, or began anew.
        let Some(lane) = self.lanes.get_mut(&answer.lane) else { return Ok(()) };
        lane.calls = lane.calls.saturating_sub(1);
        let Some(first) = answer.batch.inputs.first() else { return Ok(()) };
        let mut call = Call {
            held: first.held,
            outcome: "ok".into(),
            items: answer.batch.inputs.len(),
            tokens: 0,
            sent: 0,
            received: 0,
            duration: answer.duration,
        };
        match answer.outcome {
            Ok(embedded) => {
                use_of(&mut call, &embedded.usage, &answer.batch);
                lane.store(answer.batch, &embedded.vectors, &call, store, tally)?;
            }
            Err(error) => {
                call.outcome = error.code.name().into();
                store.record_call(&lane.profile, &call)?;
                lane.fail(answer.batch, &error, store, tally)?;
            }
        }
        lane.call_next(&answer.lane, &self.caller, self.concurrency);
        if lane.calls == 0 && lane.jobs.is_empty() {
            self.lanes.remove(&answer.lane);
        }
        Ok(())
    }
}

impl LaneState {
    /// Reads texts of jobs that have no vector yet, and finishes those that have none.
    fn load(&mut self, held: &[Held], store: &mut Store, tally: &mut Tally) -> DatabaseResult<()> {
        let inputs = store.inputs(self.profile.profile, held, MOST_INPUTS)?;
        for input in &inputs {
            if let Some(job) = self.jobs.get_mut(&input.held.job) {
                job.open += 1;
            }
        }
        self.waiting.extend(group(inputs, self.embedder.limits()));
        let idle: Vec<Held> = held
            .iter()
            .copied()
            .filter(|held| self.jobs.get(&held.job).is_some_and(|job| job.open == 0))
            .collect();
        self.finish(&idle, store, tally)
    }

    /// Finishes jobs all of whose texts that were read have vectors; a long document has more to be read.
    fn finish(&mut self, held: &[Held], store: &mut Store, tally: &mut Tally) -> DatabaseResult<()> {
        if held.is_empty() {
            return Ok(());
        }
        let finished = store.finish_embedded(self.profile.profile, held)?;
        for job in &finished {
            self.jobs.remove(job);
            tally.done += 1;
        }
        let unfinished: Vec<Held> =
            held.iter().copied().filter(|held| self.jobs.contains_key(&held.job)).collect();
        if unfinished.is_empty() {
            return Ok(());
        }
        let inputs = store.inputs(self.profile.profile, &unfinished, MOST_INPUTS)?;
        for held in unfinished {
            let open = inputs.iter().filter(|input| input.held == held).count();
            match self.jobs.get_mut(&held.job) {
                Some(job) if open > 0 => job.open = open,
                // Neither finished nor anything to do: it is no longer ours.
                _ => drop(self.jobs.remove(&held.job)),
            }
        }
        self.waiting.extend(group(inputs, self.embedder.limits()));
        Ok(())
    }

    fn store(
        &mut self,
        batch: Batch,
        vectors: &[Vec<f32>],
        call: &Call,
        store: &mut Store,
        tally: &mut Tally,
    ) -> DatabaseResult<()> {
        if let Err(error) =
            store.store_vectors(&self.profile, &Vectors { inputs: &batch.inputs, vectors }, call)
        {
            return self.fail_write(&batch, &error, store, tally);
        }
        for input in &batch.inputs {
            if let Some(job) = self.jobs.get_mut(&input.held.job) {
                job.open = job.open.saturating_sub(1);
            }
        }
        let ready: Vec<Held> = batch
            .jobs()
            .into_iter()
            .filter(|held| self.jobs.get(&held.job).is_some_and(|job| job.held == *held && job.open == 0))
            .collect();
        self.finish(&ready, store, tally)
    }

    /// The vectors could not be written: a full disk, for example. The jobs come back later.
    fn fail_write(
        &mut self,
        batch: &Batch,
        error: &DatabaseError,
        store: &mut Store,
        tally: &mut Tally,
    ) -> DatabaseResult<()> {
        let reason = Reason {
            code: "WRITE_FAILED".into(),
            // Not what the server says: that may quote what was to be written.
            message: format!("the vectors could not be stored (SQLSTATE {})", error.sqlstate),
            hint: Some("see the server's log".into()),
        };
        for held in batch.jobs() {
            let Some(job) = self.jobs.remove(&held.job) else { continue };
            let delay = EMBED.delay_of_job(job.failures + 1, held.job);
            store.fail(held, &reason, Some(delay), true)?;
            count_failure(tally, &reason);
        }
        self.drop_orphans();
        Ok(())
    }

    fn fail(
        &mut self,
        batch: Batch,
        error: &ProviderError,
        store: &mut Store,
        tally: &mut Tally,
    ) -> DatabaseResult<()> {
        let batch = match error.kind() {
            Kind::Poison => match batch.halves() {
                Ok(halves) => {
                    self.waiting.extend(halves);
                    return Ok(());
                }
                Err(batch) => batch,
            },
            _ => batch,
        };
        let reason = reason_of(error);
        let pause = pause_for(error);
        if let Some(pause) = pause {
            store.pause_endpoint(&self.profile.endpoint, pause, &reason)?;
            self.release_waiting(&batch, store)?;
        }
        for held in batch.jobs() {
            let Some(job) = self.jobs.remove(&held.job) else { continue };
            match error.kind() {
                Kind::RateLimited | Kind::NotReady => store.fail(held, &reason, pause, false)?,
                Kind::Retryable => {
                    store.fail(held, &reason, Some(EMBED.delay_of_job(job.failures + 1, held.job)), true)?
                }
                Kind::Invalid | Kind::Poison => store.fail(held, &reason, None, true)?,
            };
            count_failure(tally, &reason);
        }
        self.drop_orphans();
        Ok(())
    }

    /// The endpoint is paused: what is not with it yet goes back to the queue, except for the jobs of a batch.
    fn release_waiting(&mut self, except: &Batch, store: &mut Store) -> DatabaseResult<()> {
        let kept = except.jobs();
        let released: std::collections::BTreeSet<Held> =
            self.waiting.iter().flat_map(Batch::jobs).filter(|held| !kept.contains(held)).collect();
        self.waiting.clear();
        for held in &released {
            self.jobs.remove(&held.job);
        }
        if released.is_empty() { Ok(()) } else { store.release(&released.into_iter().collect::<Vec<_>>()) }
    }

    /// Texts of jobs that are gone need not be embedded.
    fn drop_orphans(&mut self) {
        let jobs = &self.jobs;
        for batch in &mut self.waiting {
            batch.inputs.retain(|input| jobs.get(&input.held.job).is_some_and(|job| job.held == input.held));
        }
        self.waiting.retain(|batch| !batch.inputs.is_empty());
    }

    fn call_next(&mut self, name: &str, caller: &Caller, concurrency: usize) {
        while self.calls < concurrency.min(self.embedder.limits().concurrency.max(1)) {
            let Some(batch) = self.waiting.pop_front() else { return };
            self.calls += 1;
            caller.embed(name, Arc::clone(&self.embedder), batch);
        }
    }
}

/// No model for jobs that were just claimed.
fn refuse(
    jobs: &[Job],
    profile: &Profile,
    error: &ProviderError,
    store: &mut Store,
    tally: &mut Tally,
) -> DatabaseResult<()> {
    let reason = reason_of(error);
    if error.kind() == Kind::NotReady {
        store.pause_endpoint(&profile.endpoint, NOT_READY_PAUSE, &reason)?;
        return store.release(&jobs.iter().map(|job| job.held).collect::<Vec<_>>());
    }
    for job in jobs {
        store.fail(job.held, &reason, None, true)?;
        count_failure(tally, &reason);
    }
    Ok(())
}

fn pause_for(error: &ProviderError) -> Option<Duration> {
    match error.kind() {
        Kind::RateLimited => Some(error.retry_after.unwrap_or(DEFAULT_PAUSE)),
        Kind::NotReady => Some(NOT_READY_PAUSE),
        // A server that says when it is back means it for everybody.
        Kind::Retryable => error.retry_after,
        Kind::Invalid | Kind::Poison => None,
    }
}

fn reason_of(error: &ProviderError) -> Reason {
    Reason { code: error.code.name().into(), message: error.message.clone(), hint: error.hint.clone() }
}

fn count_failure(tally: &mut Tally, reason: &Reason) {
    tally.failed += 1;
    tally.last_error = Some(reason.code.clone());
}

fn use_of(call: &mut Call, usage: &Usage, batch: &Batch) {
    let counted = || batch.inputs.iter().map(|input| input.tokens as u64).sum();
    call.tokens = usage.tokens.unwrap_or_else(counted);
    (call.sent, call.received) = (usage.bytes_sent, usage.bytes_received);
}

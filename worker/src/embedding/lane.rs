//! The jobs of one profile.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use memento_core::backoff::EMBED;

use crate::batch::{Batch, group};
use crate::caller::{Answer, Caller};
use crate::database::{DatabaseError, DatabaseResult};
use crate::debt::Debt;
use crate::job::{Held, Input, Job};
use crate::provider::{Embedder, Kind, ProviderError, Usage};
use crate::scene::{Scene, count_failure, pause_for, reason_of};
use crate::store::{Call, Profile, Vectors};

/// How many texts are read at a time; a longer document, and jobs for which there is no room, come in several turns.
const MOST_INPUTS: usize = 1_024;

/// When so many calls in a row have failed, that is the endpoint, most likely, and not what it was sent.
const MOST_IN_A_ROW: u32 = 8;

pub(super) struct LaneState {
    profile: Profile,
    embedder: Arc<dyn Embedder>,
    jobs: BTreeMap<i64, Progress>,
    /// Jobs whose texts are not in memory yet.
    unread: Vec<Held>,
    waiting: VecDeque<Batch>,
    /// Those that are under way, by their number.
    calls: BTreeMap<u64, (Call, Instant)>,
    next_call: u64,
    /// How many calls have failed since one has not.
    failed_in_a_row: u32,
}

/// How far a job is.
struct Progress {
    held: Held,
    failures: u32,
    /// Texts that were read and whose vectors are not stored yet.
    open: usize,
}

impl LaneState {
    pub fn new(profile: Profile, embedder: Arc<dyn Embedder>) -> Self {
        Self {
            profile,
            embedder,
            jobs: BTreeMap::new(),
            unread: Vec::new(),
            waiting: VecDeque::new(),
            calls: BTreeMap::new(),
            next_call: 0,
            failed_in_a_row: 0,
        }
    }

    /// The same with another way to the model.
    pub fn with(self, profile: Profile, embedder: Arc<dyn Embedder>) -> Self {
        Self { profile, embedder, ..self }
    }

    pub fn held(&self) -> impl Iterator<Item = Held> + '_ {
        self.jobs.values().map(|job| job.held)
    }

    pub fn keep_only(&mut self, kept: &[i64]) {
        self.jobs.retain(|job, _| kept.contains(job));
        self.drop_orphans();
    }

    pub fn is_busy(&self, concurrency: usize) -> bool {
        !self.unread.is_empty() || self.waiting.len() + self.calls.len() >= 2 * concurrency
    }

    pub fn is_over(&self) -> bool {
        self.calls.is_empty() && self.jobs.is_empty()
    }

    /// Begins with jobs that were claimed.
    pub fn begin(&mut self, jobs: Vec<Job>, scene: &mut Scene) -> DatabaseResult<()> {
        let held: Vec<Held> = jobs.iter().map(|job| job.held).collect();
        for job in jobs {
            self.jobs.insert(job.held.job, Progress { held: job.held, failures: job.failures, open: 0 });
        }
        // One that was lost and claimed again is another attempt.
        self.drop_orphans();
        self.read_or_give_up(&held, scene)
    }

    /// Reads texts of jobs that had no room before.
    pub fn read_more(&mut self, concurrency: usize, scene: &mut Scene) -> DatabaseResult<()> {
        if self.unread.is_empty() || self.waiting.len() >= concurrency {
            return Ok(());
        }
        let held = std::mem::take(&mut self.unread);
        self.read_or_give_up(&held, scene)
    }

    /// Reads on where a call has ended. What it was for and still has no vector belongs to a document that somebody is about to take
    /// away: that is waited for, and not paid for again meanwhile.
    fn read_on(&mut self, held: &[Held], batch: &Batch, scene: &mut Scene) -> DatabaseResult<()> {
        let embedded: BTreeSet<i64> = batch.inputs.iter().map(|input| input.chunk).collect();
        self.read(held, scene)?;
        let refused: BTreeSet<Held> = self
            .waiting
            .iter()
            .flat_map(|waiting| &waiting.inputs)
            .filter(|input| embedded.contains(&input.chunk))
            .map(|input| input.held)
            .collect();
        refused.iter().for_each(|held| scene.debts.postpone(*held));
        self.forget(refused);
        self.drop_orphans();
        Ok(())
    }

    fn read_or_give_up(&mut self, held: &[Held], scene: &mut Scene) -> DatabaseResult<()> {
        self.read(held, scene).inspect_err(|error| self.give_up(held, "DATABASE", error, scene))
    }

    /// Reads texts that have no vector yet, and finishes jobs that have none.
    fn read(&mut self, held: &[Held], scene: &mut Scene) -> DatabaseResult<()> {
        if held.is_empty() {
            return Ok(());
        }
        let inputs = scene.store.inputs(self.profile.profile, held, MOST_INPUTS)?;
        // They come in the order of the jobs, so those after the last have not been looked at.
        let last = inputs.last().filter(|_| inputs.len() == MOST_INPUTS).map(|input| input.held.job);
        for input in &inputs {
            if let Some(job) = self.job_of(input.held) {
                job.open += 1;
            }
        }
        self.make_batches(inputs);
        let (read, unread): (Vec<Held>, Vec<Held>) =
            held.iter().partition(|held| last.is_none_or(|last| held.job <= last));
        self.unread.extend(unread);
        let idle: Vec<Held> =
            read.into_iter().filter(|held| self.job_of(*held).is_some_and(|job| job.open == 0)).collect();
        // Neither anything to do nor finished: it is no longer ours, or was changed just now.
        let left = self.finish(&idle, scene)?;
        self.forget(left.iter().copied());
        scene.debts.release(left);
        Ok(())
    }

    /// Those of jobs that have failed before by themselves.
    fn make_batches(&mut self, inputs: Vec<Input>) {
        let mut by_failures: BTreeMap<u32, Vec<Input>> = BTreeMap::new();
        for input in inputs {
            let failures = self.job_of(input.held).map_or(0, |job| job.failures);
            by_failures.entry(failures).or_default().push(input);
        }
        let limits = self.embedder.limits();
        self.waiting
            .extend(by_failures.into_iter().flat_map(|(failures, inputs)| group(inputs, limits, failures)));
    }

    /// Finishes jobs all of whose texts have vectors, and gives the others.
    fn finish(&mut self, held: &[Held], scene: &mut Scene) -> DatabaseResult<Vec<Held>> {
        if held.is_empty() {
            return Ok(Vec::new());
        }
        let finished = scene.store.finish_embedded(self.profile.profile, held)?;
        let (done, left): (Vec<Held>, Vec<Held>) = held.iter().partition(|held| finished.contains(&held.job));
        scene.tally.done += done.len() as u64;
        self.forget(done);
        Ok(left)
    }

    /// A call has ended.
    pub fn end_call(&mut self, number: u64) {
        self.calls.remove(&number);
    }

    /// Holds nothing any more, and says what it held. Nobody waits for its calls, but they were made.
    pub fn stop(&mut self, scene: &mut Scene) -> Vec<Held> {
        for (call, began) in std::mem::take(&mut self.calls).into_values() {
            let call = Call { outcome: Call::STOPPED.into(), duration: began.elapsed(), ..call };
            scene.debts.owe(Debt::Record((&self.profile).into(), call));
        }
        std::mem::take(&mut self.jobs).into_values().map(|job| job.held).collect()
    }

    /// Deals with what came of a call.
    pub fn take(&mut self, answer: Answer, scene: &mut Scene) -> DatabaseResult<()> {
        let Answer { number, batch, outcome, duration, .. } = answer;
        self.end_call(number);
        let Some(call) = call_of(&batch) else { return Ok(()) };
        let mut call = Call { duration, ..call };
        match outcome {
            Ok(embedded) => {
                scene.tally.unusable.remove(self.profile.profile);
                self.failed_in_a_row = 0;
                use_of(&mut call, &embedded.usage);
                self.store(&batch, &embedded.vectors, &call, scene)?;
            }
            Err(error) => {
                (call.outcome, call.tokens) = (error.code.name().into(), 0);
                scene.debts.owe(Debt::Record((&self.profile).into(), call));
                self.fail(batch, &error, scene);
            }
        }
        scene.debts.settle(scene.store)
    }

    fn store(
        &mut self,
        batch: &Batch,
        vectors: &[Vec<f32>],
        call: &Call,
        scene: &mut Scene,
    ) -> DatabaseResult<()> {
        let jobs: Vec<Held> = batch.jobs().into_iter().collect();
        // Recorded once; from then on whoever loads a model compares.
        let model = match self.profile.config.get("fingerprint") {
            Some(_) => None,
            None => self.embedder.fingerprint(),
        };
        let vectors = Vectors { inputs: &batch.inputs, vectors, model };
        if let Err(error) = scene.store.store_vectors(&self.profile, &vectors, call) {
            // A full disk, for example. The jobs come back later, and the others go on. The call was made in any case.
            scene.debts.owe(Debt::Record((&self.profile).into(), call.clone()));
            self.give_up(&jobs, "WRITE_FAILED", &error, scene);
            return if error.is_broken_connection() { Err(error) } else { Ok(()) };
        }
        for input in &batch.inputs {
            if let Some(job) = self.job_of(input.held) {
                job.open = job.open.saturating_sub(1);
            }
        }
        let ready: Vec<Held> =
            jobs.into_iter().filter(|held| self.job_of(*held).is_some_and(|job| job.open == 0)).collect();
        // A long document has more to be read.
        self.finish(&ready, scene)
            .and_then(|left| self.read_on(&left, batch, scene))
            .inspect_err(|error| self.give_up(&ready, "DATABASE", error, scene))
    }

    fn fail(&mut self, batch: Batch, error: &ProviderError, scene: &mut Scene) {
        let batch = match error.kind() {
            Kind::Poison => match batch.halves() {
                Ok(halves) => return self.waiting.extend(halves),
                Err(batch) => batch,
            },
            _ => batch,
        };
        if scene.leaves(self.profile.profile, error) {
            self.waiting.push_back(batch);
            return self.release_waiting(scene);
        }
        let (reason, pause) = (reason_of(error), pause_for(error));
        if let Some(pause) = pause {
            let endpoint = self.profile.endpoint.clone();
            scene.debts.owe(Debt::Pause { endpoint, pause, reason: reason.clone() });
        }
        for held in batch.jobs() {
            let Some(failures) = self.job_of(held).map(|job| job.failures) else { continue };
            let (retry_in, counts) = match error.kind() {
                Kind::RateLimited | Kind::NotReady => (pause, false),
                Kind::Retryable => (Some(EMBED.delay_of_job(failures + 1, held.job)), true),
                Kind::Invalid | Kind::Poison => (None, true),
            };
            count_failure(scene.tally, &reason.code);
            scene.debts.owe(Debt::Fail { held, reason: reason.clone(), retry_in, counts });
        }
        self.forget(batch.jobs());
        self.drop_orphans();
        self.failed_in_a_row += 1;
        if self.failed_in_a_row >= MOST_IN_A_ROW && error.kind() == Kind::Retryable {
            self.drop_waiting().into_iter().for_each(|held| scene.debts.postpone(held));
        }
    }

    /// What is not with the endpoint yet goes back to the queue.
    pub fn release_waiting(&mut self, scene: &mut Scene) {
        let released = self.drop_waiting();
        scene.debts.release(released);
    }

    /// Forgets the jobs of what is not with the endpoint yet, and gives them.
    fn drop_waiting(&mut self) -> Vec<Held> {
        let waiting = std::mem::take(&mut self.waiting);
        let unread = std::mem::take(&mut self.unread);
        let dropped: BTreeSet<Held> = waiting.iter().flat_map(Batch::jobs).chain(unread).collect();
        let held: Vec<Held> = dropped.into_iter().filter(|held| self.job_of(*held).is_some()).collect();
        self.forget(held.iter().copied());
        held
    }

    /// The database failed: what was in memory of these jobs does not hold any more.
    fn give_up(&mut self, held: &[Held], code: &str, error: &DatabaseError, scene: &mut Scene) {
        for held in held {
            let Some(failures) = self.job_of(*held).map(|job| job.failures) else { continue };
            count_failure(scene.tally, code);
            scene.debts.give_up(*held, failures, code, error);
        }
        self.forget(held.iter().copied());
        self.drop_orphans();
    }

    /// The job of an attempt, if that is the one that is held.
    fn job_of(&mut self, held: Held) -> Option<&mut Progress> {
        self.jobs.get_mut(&held.job).filter(|job| job.held == held)
    }

    fn forget(&mut self, held: impl IntoIterator<Item = Held>) {
        for held in held {
            if self.job_of(held).is_some() {
                self.jobs.remove(&held.job);
            }
        }
    }

    /// Texts of jobs that are gone need not be embedded.
    fn drop_orphans(&mut self) {
        let jobs = &self.jobs;
        let is_held = |held: &Held| jobs.get(&held.job).is_some_and(|job| job.held == *held);
        for batch in &mut self.waiting {
            batch.inputs.retain(|input| is_held(&input.held));
        }
        self.waiting.retain(|batch| !batch.inputs.is_empty());
        self.unread.retain(is_held);
    }

    /// The provider and host.
    pub fn endpoint(&self) -> &str {
        &self.profile.endpoint
    }

    /// How many calls are under way.
    pub fn calls(&self) -> usize {
        self.calls.len()
    }

    /// Whether there is something to call for, and its model takes one call more.
    pub fn has_next(&self) -> bool {
        !self.waiting.is_empty() && self.calls.len() < self.embedder.limits().concurrency.max(1)
    }

    pub fn call_next(&mut self, name: &str, caller: &Caller) {
        let Some(batch) = self.waiting.pop_front() else { return };
        self.next_call += 1;
        if let Some(call) = call_of(&batch) {
            self.calls.insert(self.next_call, (call, Instant::now()));
        }
        caller.embed(name, self.next_call, Arc::clone(&self.embedder), batch);
    }
}

/// A call as it begins, with what we believe that it costs.
fn call_of(batch: &Batch) -> Option<Call> {
    Some(Call {
        held: batch.inputs.first()?.held,
        outcome: "ok".into(),
        items: batch.inputs.len(),
        tokens: batch.inputs.iter().map(|input| input.tokens as u64).sum(),
        sent: 0,
        received: 0,
        duration: Duration::ZERO,
    })
}

fn use_of(call: &mut Call, usage: &Usage) {
    call.tokens = usage.tokens.unwrap_or(call.tokens);
    (call.sent, call.received) = (usage.bytes_sent, usage.bytes_received);
}

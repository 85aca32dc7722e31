//! The loop: takes jobs, has models called by threads, writes back what comes of it. One round does what can be done now and says
//! how long the next may wait. It never waits itself, and no transaction is open while a model is called.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use crate::caller::{Answer, Caller, Spawn, Wake};
use crate::database::{Database, DatabaseError, DatabaseResult};
use crate::debt::Debts;
use crate::embedding::Embedding;
use crate::extraction::Extraction;
use crate::index::Indexes;
use crate::job::{Held, Job, Lane};
use crate::metrics::Metrics;
use crate::models::Models;
use crate::scene::Scene;
use crate::store::{Store, Tally};
use crate::unusable::Unusable;

/// Kinds of jobs that need nothing but the database.
const DATABASE_KINDS: &[&str] = &["ingest", "backfill_tokens"];

/// The kinds of jobs that this loop does.
pub const KINDS: &[&str] = &["backfill_tokens", "build_index", "embed", "extract_events", "ingest"];

/// How many rows one statement of the maintenance takes at most.
const MAINTENANCE_BATCH: usize = 1_000;

/// How a worker works.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Its name; that of a worker that was here before it and is gone is the same.
    pub worker: String,
    /// How long a job is taken for. Longer ones are kept by extending it.
    pub lease: Duration,
    /// How many calls of one endpoint may be under way at once.
    pub concurrency: usize,
    /// How many jobs are taken at once.
    pub batch: usize,
    /// How often the maintenance is done.
    pub maintenance: Duration,
    /// How often it says that it is there; none for a worker whose process is seen otherwise.
    pub heartbeat: Option<Duration>,
    /// Whether its settings are the server's, so that jobs fail of them. One elsewhere leaves what it cannot do to others.
    pub is_servers_own: bool,
    /// How many jobs it does or fails at most.
    pub most: u64,
}

/// When the next round is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// At once: there is more to do.
    Not,
    /// When woken, or after this time.
    AtMost(Duration),
}

/// The loop's state between rounds.
pub struct Runner {
    settings: Settings,
    models: Box<dyn Models>,
    embedding: Embedding,
    extraction: Extraction,
    indexes: Indexes,
    answers: Receiver<Answer>,
    /// Those that were received and are not dealt with yet.
    arrived: VecDeque<Answer>,
    debts: Debts,
    tally: Tally,
    extended: Instant,
    maintained: Option<Instant>,
    /// When it has said that it is there, and which models it leaves to others.
    heard: Option<(Instant, Unusable)>,
    /// Lanes whose first job is due and could not be taken, most likely because somebody has it locked.
    skipped: BTreeSet<String>,
    /// It holds jobs that workers were lost with: if they are the reason, nothing else is to be lost with it.
    is_careful: bool,
    /// Models that were not there may be now.
    has_new_models: bool,
    metrics: Arc<Metrics>,
}

impl Runner {
    /// A loop that holds nothing yet. `wake` is called, by other threads, when there is an answer for the next round.
    pub fn new(
        settings: Settings,
        models: Box<dyn Models>,
        spawn: Spawn,
        wake: impl Fn() + Send + Sync + 'static,
    ) -> Self {
        let wake: Wake = Arc::new(wake);
        let (caller, answers) = Caller::new(spawn, Arc::clone(&wake));
        Self {
            embedding: Embedding::new(caller, settings.concurrency),
            extraction: Extraction::new(spawn, Arc::clone(&wake), settings.concurrency),
            indexes: Indexes::new(wake),
            settings,
            models,
            answers,
            arrived: VecDeque::new(),
            debts: Debts::default(),
            tally: Tally::default(),
            extended: Instant::now(),
            maintained: None,
            heard: None,
            skipped: BTreeSet::new(),
            is_careful: false,
            has_new_models: true,
            metrics: Arc::default(),
        }
    }

    /// What a worker does first: a predecessor of the same name is gone, so its jobs can be taken.
    pub fn begin(&mut self, database: &mut dyn Database) -> DatabaseResult<()> {
        Store::new(database, &self.metrics).recover(&self.settings.worker)
    }

    /// Does what can be done now. After an error it can be called again: nothing that is held is forgotten.
    pub fn round(&mut self, database: &mut dyn Database) -> DatabaseResult<Wait> {
        let metrics = Arc::clone(&self.metrics);
        let mut store = Store::new(database, &metrics);
        if metrics.is_wanted() {
            metrics.refresh(store.depths()?, store.pauses()?);
        }
        self.debts.settle(&mut store)?;
        if self.has_new_models && self.settings.is_servers_own {
            store.unpause_models()?;
            self.has_new_models = false;
        }
        self.take_answers(&mut store)?;
        self.keep_leases(&mut store)?;
        // First: it may leave jobs.
        let maintenance = self.maintain(&mut store)?;
        let next = self.take_jobs(&mut store)?;
        let heartbeat = self.say_so(&mut store)?;
        let unwritten = self.extraction.wait().map(Wait::AtMost);
        Ok(soonest([Some(next), Some(maintenance), heartbeat, self.leases_wait(), unwritten]))
    }

    /// Gives back what it holds. Answers that have come are used: they are paid for. Those that come later find nobody.
    pub fn end(&mut self, database: &mut dyn Database) -> DatabaseResult<()> {
        self.give_up_index();
        let mut store = Store::new(database, &self.metrics);
        let mut scene = Scene {
            store: &mut store,
            debts: &mut self.debts,
            tally: &mut self.tally,
            is_servers_own: self.settings.is_servers_own,
        };
        self.arrived.extend(self.answers.try_iter());
        let mut outcome = Ok(());
        for answer in self.arrived.drain(..) {
            outcome = outcome.and(self.embedding.take(answer, &mut scene));
        }
        outcome = outcome.and(self.extraction.take_news(&mut scene));
        self.embedding.stop(&mut scene);
        self.extraction.stop(&mut scene);
        outcome.and(self.debts.settle(&mut store))
    }

    /// Whether an index is being built.
    pub fn is_building_index(&self) -> bool {
        self.indexes.is_busy()
    }

    /// Ends what it builds, and gives the job back: somebody needs what is locked for it.
    pub fn give_up_index(&mut self) {
        self.debts.release(self.indexes.forget_all());
    }

    /// Settings may change while it runs. What is under way is not touched.
    pub fn reload(&mut self, settings: Settings, models: Box<dyn Models>) {
        self.embedding.set_concurrency(settings.concurrency);
        self.extraction.set_concurrency(settings.concurrency);
        self.settings = settings;
        self.models = models;
        self.has_new_models = true;
    }

    /// What it has done so far.
    pub fn tally(&self) -> Tally {
        Tally { in_flight: self.held().len(), ..self.tally.clone() }
    }

    /// All jobs that are under way.
    fn held(&self) -> Vec<Held> {
        self.embedding.held().into_iter().chain(self.extraction.held()).chain(self.indexes.held()).collect()
    }

    /// What it has done so far, for those who watch.
    pub fn metrics(&self) -> Arc<Metrics> {
        Arc::clone(&self.metrics)
    }

    fn take_answers(&mut self, store: &mut Store) -> DatabaseResult<()> {
        let mut scene = Scene {
            store,
            debts: &mut self.debts,
            tally: &mut self.tally,
            is_servers_own: self.settings.is_servers_own,
        };
        // First the next calls: the endpoint has something to do while the database writes.
        let received: Vec<Answer> = self.answers.try_iter().collect();
        self.embedding.receive(&received);
        self.arrived.extend(received);
        while let Some(answer) = self.arrived.pop_front() {
            self.embedding.take(answer, &mut scene)?;
        }
        self.extraction.take_news(&mut scene)?;
        self.indexes.take(&mut scene)?;
        self.embedding.go_on(&mut scene)
    }

    fn keep_leases(&mut self, store: &mut Store) -> DatabaseResult<()> {
        let held = self.held();
        if held.is_empty() {
            self.extended = Instant::now();
        } else if self.extended.elapsed() >= self.extend_every() {
            let kept = store.extend(&held, self.settings.lease)?;
            self.embedding.keep_only(&kept);
            self.extraction.keep_only(&kept);
            self.indexes.keep_only(&kept);
            self.extended = Instant::now();
        }
        Ok(())
    }

    /// Three times in a lease, so that one failure does not lose it.
    fn extend_every(&self) -> Duration {
        self.settings.lease / 3
    }

    fn leases_wait(&self) -> Option<Wait> {
        (!self.held().is_empty())
            .then(|| Wait::AtMost(self.extend_every().saturating_sub(self.extended.elapsed())))
    }

    fn take_jobs(&mut self, store: &mut Store) -> DatabaseResult<Wait> {
        let is_alone = self.embedding.is_idle() && self.extraction.held().next().is_none();
        self.is_careful &= !is_alone;
        let lanes = store.due_lanes(&self.settings.worker, self.settings.is_servers_own)?;
        let suspect = lanes.iter().find(|lane| self.is_suspect(lane));
        let mut next = None;
        for lane in lanes.iter().filter(|lane| KINDS.contains(&lane.kind())) {
            let wait = if lane.due_in > 0.0 {
                self.skipped.remove(&lane.name);
                Some(Wait::AtMost(Duration::try_from_secs_f64(lane.due_in).unwrap_or(Duration::MAX)))
            } else if let Some(wait) = self.tally.unusable.wait(lane) {
                Some(Wait::AtMost(wait))
            } else if self.is_careful || suspect.is_some_and(|suspect| !is_alone || suspect.name != lane.name)
            {
                // The next answer brings the next round.
                None
            } else {
                self.take_from(store, lane)?
            };
            next = Some(soonest([next, wait]));
        }
        Ok(next.unwrap_or(Wait::AtMost(Duration::MAX)))
    }

    /// Whether the next job of a lane may be why a worker was lost.
    fn is_suspect(&self, lane: &Lane) -> bool {
        lane.was_lost
            && lane.due_in <= 0.0
            && KINDS.contains(&lane.kind())
            && self.tally.unusable.wait(lane).is_none()
            && !self.skipped.contains(&lane.name)
            // One index is built at a time, and nothing else waits for that.
            && !(lane.kind() == "build_index" && self.indexes.is_busy())
            // Nor does anything wait for an endpoint that is slow, perhaps with documents that nobody wants any more.
            && !(lane.kind() == "extract_events" && self.extraction.room(lane.profile) == 0)
    }

    /// None if its threads are busy: the next answer brings the next round.
    fn take_from(&mut self, store: &mut Store, lane: &Lane) -> DatabaseResult<Option<Wait>> {
        let batch = match lane.kind() {
            "embed" if self.embedding.is_busy(&lane.name) => 0,
            "embed" => self.settings.batch,
            "extract_events" => self.extraction.room(lane.profile),
            "build_index" => usize::from(!self.indexes.is_busy()),
            _ => 1,
        };
        let batch = batch.min(self.room());
        if batch == 0 {
            return Ok(None);
        }
        let jobs = store.claim(&self.settings.worker, &lane.name, batch, self.settings.lease)?;
        let Some(first) = jobs.first() else {
            // What may not be taken is out of the way now. If that was not all, it is looked at again when a lease ends.
            let is_new = self.skipped.insert(lane.name.clone());
            return Ok(Some(if is_new { Wait::Not } else { Wait::AtMost(self.settings.lease) }));
        };
        if lane.was_lost && first.lost == 0 {
            self.skipped.insert(lane.name.clone());
        } else {
            self.skipped.remove(&lane.name);
        }
        self.is_careful = first.lost > 0;
        if DATABASE_KINDS.contains(&first.kind.as_str()) {
            self.run(store, first);
        } else {
            self.begin_with(&lane.name, jobs, store)?;
        }
        self.debts.settle(store)?;
        Ok(Some(Wait::Not))
    }

    /// Begins with jobs that take their time.
    fn begin_with(&mut self, lane: &str, jobs: Vec<Job>, store: &mut Store) -> DatabaseResult<()> {
        let mut scene = Scene {
            store,
            debts: &mut self.debts,
            tally: &mut self.tally,
            is_servers_own: self.settings.is_servers_own,
        };
        let Some(first) = jobs.first() else { return Ok(()) };
        match first.kind.as_str() {
            "embed" => self.embedding.start(lane, jobs, self.models.as_ref(), &mut scene),
            "extract_events" => self.extraction.start(jobs, self.models.as_ref(), &mut scene),
            "build_index" => {
                self.indexes.start(first, &mut scene);
                self.indexes.take(&mut scene)
            }
            _ => {
                scene.debts.release(jobs.iter().map(|job| job.held));
                Ok(())
            }
        }
    }

    /// How many jobs more it may take.
    fn room(&self) -> usize {
        let taken = self.tally.done + self.tally.failed + self.held().len() as u64;
        usize::try_from(self.settings.most.saturating_sub(taken)).unwrap_or(usize::MAX)
    }

    fn run(&mut self, store: &mut Store, job: &Job) {
        match store.run(job.held) {
            Ok(state) => match state.as_deref() {
                Some("done") => self.tally.done += 1,
                Some("failed") => self.tally.failed += 1,
                _ => {}
            },
            Err(error) => self.give_up(job, &error),
        }
    }

    fn give_up(&mut self, job: &Job, error: &DatabaseError) {
        self.tally.failed += 1;
        self.tally.last_error = Some("DATABASE".into());
        self.debts.give_up(job.held, job.failures, "DATABASE", error);
    }

    fn maintain(&mut self, store: &mut Store) -> DatabaseResult<Wait> {
        let every = self.settings.maintenance;
        if let Some(last) = self.maintained
            && last.elapsed() < every
        {
            return Ok(Wait::AtMost(every - last.elapsed()));
        }
        // Also if it fails: then it is due again like any other time, and does not hold up the queue meanwhile.
        self.maintained = Some(Instant::now());
        let taken = store.maintain(MAINTENANCE_BATCH)?;
        if taken >= MAINTENANCE_BATCH as i64 {
            self.maintained = None;
            return Ok(Wait::Not);
        }
        Ok(Wait::AtMost(every))
    }

    fn say_so(&mut self, store: &mut Store) -> DatabaseResult<Option<Wait>> {
        let Some(every) = self.settings.heartbeat else { return Ok(None) };
        let is_known = self
            .heard
            .as_ref()
            .is_some_and(|(last, unusable)| last.elapsed() < every && unusable.is_as(&self.tally.unusable));
        if !is_known {
            store.heartbeat(&self.settings.worker, KINDS, true, &self.tally())?;
            self.heard = Some((Instant::now(), self.tally.unusable.clone()));
        }
        Ok(Some(Wait::AtMost(every)))
    }
}

fn soonest<const N: usize>(waits: [Option<Wait>; N]) -> Wait {
    waits.into_iter().flatten().fold(Wait::AtMost(Duration::MAX), |soonest, wait| match (soonest, wait) {
        (Wait::Not, _) | (_, Wait::Not) => Wait::Not,
        (Wait::AtMost(one), Wait::AtMost(other)) => Wait::AtMost(one.min(other)),
    })
}

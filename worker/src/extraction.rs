//! Jobs of kind extract_events that are under way. A thread reads the document, by rules or with a model, and never sees the
//! database; what it has found replaces what was there before, in one transaction.

mod conversation;
mod document;
mod findings;
mod model;
mod passage;
mod reader;
mod schema;
mod threads;
mod together;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use memento_core::backoff::EXTRACT;
use uuid::Uuid;

use crate::caller::{Spawn, Wake};
use crate::database::DatabaseResult;
use crate::debt::Debt;
use crate::job::{Held, Job};
use crate::models::Models;
use crate::provider::{Chat, Code, Kind, ProviderError};
use crate::scene::{Scene, count_failure, pause_for, reason_of};
use crate::store::{Call, ChatProfile, Document, Findings, Payee, Written};

use model::Begun;
use threads::Threads;

pub use document::document;

/// What a thread says.
enum News {
    /// It has called a model.
    Called(Payee, Call),
    /// It has read the document, or so much of it, by the model of an endpoint or by rules.
    Ended(Held, Option<String>, Result<Findings, (ProviderError, Begun)>),
}

/// A job whose document is being read.
struct Progress {
    held: Held,
    failures: u32,
    by: Reader,
    /// When it was begun, or the last call for it came back.
    began: Instant,
    thread: Wanted,
}

/// Tells a thread, when it is dropped, that nobody waits for it any more.
#[derive(Default)]
struct Wanted(Arc<AtomicBool>);

impl Drop for Wanted {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// What reads a document: another model or other prompts begin anew.
#[derive(Clone, Debug, PartialEq)]
struct Reader {
    profile: Option<ChatProfile>,
    prompts: BTreeMap<String, (i64, String)>,
}

/// How long until findings are written again whose document somebody has locked.
const WRITE_AGAIN: Duration = Duration::from_secs(1);

/// So many documents are kept that were begun.
const MOST_BEGUN: usize = 16;

/// All documents that are being read.
pub struct Extraction {
    spawn: Spawn,
    wake: Wake,
    jobs: BTreeMap<i64, Progress>,
    /// Documents that had to be left in the middle because their endpoint asked for a pause.
    begun: BTreeMap<i64, (Reader, Begun)>,
    /// What was found in documents that somebody is erasing, and may yet not erase: nobody reads them twice.
    unwritten: Vec<(Held, Findings)>,
    threads: Threads,
    news: (Sender<News>, Receiver<News>),
}

impl Extraction {
    pub fn new(spawn: Spawn, wake: Wake, concurrency: usize) -> Self {
        Self {
            spawn,
            wake,
            jobs: BTreeMap::new(),
            begun: BTreeMap::new(),
            unwritten: Vec::new(),
            threads: Threads::new(concurrency),
            news: channel(),
        }
    }

    pub fn set_concurrency(&mut self, concurrency: usize) {
        self.threads.set_concurrency(concurrency);
    }

    /// All jobs that are held.
    pub fn held(&self) -> impl Iterator<Item = Held> + '_ {
        self.jobs.values().map(|job| job.held)
    }

    /// Drops the jobs that are not among those that are kept: somebody else has them.
    pub fn keep_only(&mut self, kept: &[i64]) {
        self.jobs.retain(|job, _| kept.contains(job));
    }

    /// Gives back what it holds, and enters the calls that nobody waits for any more into the ledger: of each document that a model
    /// reads one is under way, but of those whose findings wait to be written.
    pub fn stop(&mut self, scene: &mut Scene) {
        let read: BTreeSet<i64> =
            std::mem::take(&mut self.unwritten).into_iter().map(|(held, _)| held.job).collect();
        for job in std::mem::take(&mut self.jobs).into_values() {
            if let Some(profile) = job.by.profile.as_ref().filter(|_| !read.contains(&job.held.job)) {
                let call = Call {
                    held: job.held,
                    outcome: Call::STOPPED.into(),
                    items: 1,
                    tokens: 0,
                    sent: 0,
                    received: 0,
                    duration: job.began.elapsed(),
                };
                scene.debts.owe(Debt::Record(profile.into(), call));
            }
            scene.debts.release([job.held]);
        }
    }

    /// When it has something to do even if nobody says anything.
    pub fn wait(&self) -> Option<Duration> {
        (!self.unwritten.is_empty()).then_some(WRITE_AGAIN)
    }

    /// How many documents more can be read now by a model; none: by rules.
    pub fn room(&self, profile: Option<Uuid>) -> usize {
        self.threads.room(profile)
    }

    /// Begins with jobs that were claimed.
    pub fn start(&mut self, jobs: Vec<Job>, models: &dyn Models, scene: &mut Scene) -> DatabaseResult<()> {
        let mut jobs = jobs.into_iter();
        while let Some(job) = jobs.next() {
            match scene.store.document(job.held) {
                Ok(Some(document)) => self.read(&job, document, models, scene),
                // Somebody else has it, or what it is about is gone and the job with it.
                Ok(None) => {}
                Err(error) => {
                    scene.debts.give_up(job.held, job.failures, "DATABASE", &error);
                    scene.debts.release(jobs.map(|job| job.held));
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    fn read(&mut self, job: &Job, document: Document, models: &dyn Models, scene: &mut Scene) {
        let by = Reader { profile: document.profile.clone(), prompts: document.prompts.clone() };
        let begun = self.begun.remove(&job.held.job).filter(|(reader, _)| *reader == by);
        let begun = begun.map(|(_, begun)| begun).unwrap_or_default();
        let (began, thread) = (Instant::now(), Wanted::default());
        let progress = Progress { held: job.held, failures: job.failures, by, began, thread };
        let chat = match progress.by.profile.as_ref().map(|profile| models.chat(profile)).transpose() {
            Ok(chat) => chat,
            Err(error) => return fail(&progress, &error, scene),
        };
        if let Some((profile, chat)) = progress.by.profile.as_ref().zip(chat.as_deref()) {
            self.threads.know(profile, chat);
            if self.threads.room(Some(profile.profile)) == 0 {
                self.begun.insert(job.held.job, (progress.by.clone(), begun));
                return scene.debts.release([job.held]);
            }
        }
        let endpoint = progress.by.profile.as_ref().map(|profile| profile.endpoint.clone());
        match self.spawn_reader(job.held, document, chat, begun, &progress.thread) {
            Ok(()) => {
                self.threads.begin(endpoint);
                self.jobs.insert(job.held.job, progress);
            }
            Err(_) => {
                let error = ProviderError::new(Code::Unavailable, "no thread can be started");
                fail(&progress, &error, scene);
            }
        }
    }

    fn spawn_reader(
        &self,
        held: Held,
        document: Document,
        chat: Option<Arc<dyn Chat>>,
        mut begun: Begun,
        wanted: &Wanted,
    ) -> std::io::Result<()> {
        let (news, wake) = (self.news.0.clone(), Arc::clone(&self.wake));
        let ended = self.news.0.clone();
        let endpoint = document.profile.as_ref().map(|profile| profile.endpoint.clone());
        let is_over = Arc::clone(&wanted.0);
        (self.spawn)(Box::new(move || {
            // Nobody listens any more when the worker is about to end.
            let tell = |payee, call| drop(news.send(News::Called(payee, call)));
            let outcome = reader::read(held, &document, chat.as_deref(), &mut begun, &tell, &is_over);
            let outcome = outcome.map_err(|error| (error, begun));
            let _ = ended.send(News::Ended(held, endpoint, outcome));
            wake();
        }))
    }

    /// Deals with what the threads have said.
    pub fn take_news(&mut self, scene: &mut Scene) -> DatabaseResult<()> {
        for (held, found) in std::mem::take(&mut self.unwritten) {
            self.end(held, Ok(found), scene);
        }
        while let Ok(news) = self.news.1.try_recv() {
            match news {
                News::Called(payee, call) => {
                    if let Some(job) = self.jobs.get_mut(&call.held.job) {
                        job.began = Instant::now();
                    }
                    scene.debts.owe(Debt::Record(payee, call));
                }
                News::Ended(held, endpoint, outcome) => {
                    self.threads.end(endpoint);
                    self.end(held, outcome, scene);
                }
            }
        }
        scene.debts.settle(scene.store)
    }

    fn end(&mut self, held: Held, outcome: Result<Findings, (ProviderError, Begun)>, scene: &mut Scene) {
        // Forgotten meanwhile, or taken by another attempt.
        if self.jobs.get(&held.job).is_none_or(|job| job.held != held) {
            return;
        }
        let Some(job) = self.jobs.remove(&held.job) else { return };
        if let (Ok(_), Some(profile)) = (&outcome, &job.by.profile) {
            scene.tally.unusable.remove(profile.profile);
        }
        match outcome {
            Ok(found) => match scene.store.store_events(held, &found) {
                Ok(Written::Done) => scene.tally.done += 1,
                Ok(Written::Lost) => {}
                Ok(Written::Refused) => count_failure(scene.tally, "WRITE_FAILED"),
                Ok(Written::Busy) => {
                    self.jobs.insert(held.job, job);
                    self.unwritten.push((held, found));
                }
                Err(error) => {
                    count_failure(scene.tally, "WRITE_FAILED");
                    scene.debts.give_up(held, job.failures, "WRITE_FAILED", &error);
                }
            },
            Err((error, begun)) => {
                fail(&job, &error, scene);
                if matches!(error.kind(), Kind::RateLimited | Kind::Retryable) {
                    self.begun.insert(held.job, (job.by, begun));
                    // The oldest job may be with somebody else by now.
                    if self.begun.len() > MOST_BEGUN {
                        self.begun.pop_first();
                    }
                }
            }
        }
    }
}

/// The document could not be read.
fn fail(job: &Progress, error: &ProviderError, scene: &mut Scene) {
    if let Some(profile) = &job.by.profile
        && scene.leaves(profile.profile, error)
    {
        return scene.debts.release([job.held]);
    }
    let (reason, pause) = (reason_of(error), pause_for(error));
    if let (Some(pause), Some(profile)) = (pause, &job.by.profile) {
        let endpoint = profile.endpoint.clone();
        scene.debts.owe(Debt::Pause { endpoint, pause, reason: reason.clone() });
    }
    let (retry_in, counts) = match error.kind() {
        Kind::RateLimited | Kind::NotReady => (pause, false),
        Kind::Retryable => (Some(EXTRACT.delay_of_job(job.failures + 1, job.held.job)), true),
        Kind::Invalid | Kind::Poison => (None, true),
    };
    count_failure(scene.tally, &reason.code);
    scene.debts.owe(Debt::Fail { held: job.held, reason, retry_in, counts });
}

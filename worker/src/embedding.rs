//! Jobs of kind embed that are under way: which texts wait, which are with a model, and what is done with the answers.

mod lane;

use std::collections::{BTreeMap, BTreeSet};

use crate::caller::{Answer, Caller};
use crate::database::DatabaseResult;
use crate::debt::Debt;
use crate::job::{Held, Job};
use crate::models::Models;
use crate::provider::{Kind, ProviderError};
use crate::scene::{NOT_READY_PAUSE, Scene, count_failure, reason_of};
use crate::store::Profile;

use lane::LaneState;

/// All lanes of embed jobs.
pub struct Embedding {
    caller: Caller,
    concurrency: usize,
    lanes: BTreeMap<String, LaneState>,
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
        self.lanes.values().flat_map(LaneState::held).collect()
    }

    /// Whether no job is held.
    pub fn is_idle(&self) -> bool {
        self.lanes.values().all(|lane| lane.held().next().is_none())
    }

    /// Drops the jobs that are not among those that are kept: somebody else has them.
    pub fn keep_only(&mut self, kept: &[i64]) {
        for lane in self.lanes.values_mut() {
            lane.keep_only(kept);
        }
    }

    /// Gives back what it holds, and enters the calls that nobody waits for any more into the ledger.
    pub fn stop(&mut self, scene: &mut Scene) {
        for lane in std::mem::take(&mut self.lanes).values_mut() {
            let held = lane.stop(scene);
            scene.debts.release(held);
        }
    }

    /// Whether a lane has as much under way and waiting as is useful.
    pub fn is_busy(&self, lane: &str) -> bool {
        self.lanes.get(lane).is_some_and(|lane| lane.is_busy(self.concurrency))
    }

    /// Begins with jobs that were claimed.
    pub fn start(
        &mut self,
        name: &str,
        jobs: Vec<Job>,
        models: &dyn Models,
        scene: &mut Scene,
    ) -> DatabaseResult<()> {
        let Some(id) = jobs.first().and_then(|job| job.profile) else { return Ok(()) };
        let profile = match scene.store.profile(id) {
            Ok(Some(profile)) => profile,
            // Its jobs went with it.
            Ok(None) => return Ok(()),
            Err(error) => {
                scene.debts.release(jobs.iter().map(|job| job.held));
                return Err(error);
            }
        };
        let embedder = match models.embedder(&profile) {
            Ok(embedder) => embedder,
            Err(error) => {
                refuse(&jobs, &profile, &error, scene);
                return Ok(());
            }
        };
        let lane = match self.lanes.remove(name) {
            // The configuration may have changed since.
            Some(lane) => lane.with(profile, embedder),
            None => LaneState::new(profile, embedder),
        };
        let lane = self.lanes.entry(name.to_owned()).or_insert(lane);
        lane.begin(jobs, scene)?;
        self.call_next(|_| true);
        Ok(())
    }

    /// Calls have ended: the next ones take their places, unless one of them failed, which may mean that the endpoint is to be left alone.
    pub fn receive(&mut self, answers: &[Answer]) {
        let mut failed = BTreeSet::new();
        for answer in answers {
            let Some(lane) = self.lanes.get_mut(&answer.lane) else { continue };
            lane.end_call(answer.number);
            if answer.outcome.is_err() {
                failed.insert(lane.endpoint().to_owned());
            }
        }
        if !answers.is_empty() {
            self.call_next(|endpoint| !failed.contains(endpoint));
        }
    }

    /// Calls what there is room for. Lanes of one endpoint share its calls: the one with the fewest comes next.
    fn call_next(&mut self, may_call: impl Fn(&str) -> bool) {
        let calls_of = |lanes: &BTreeMap<String, LaneState>, endpoint: &str| {
            lanes.values().filter(|lane| lane.endpoint() == endpoint).map(LaneState::calls).sum::<usize>()
        };
        loop {
            let ready = self.lanes.iter().filter(|(_, lane)| {
                lane.has_next()
                    && may_call(lane.endpoint())
                    && calls_of(&self.lanes, lane.endpoint()) < self.concurrency
            });
            let next = ready.min_by_key(|(_, lane)| lane.calls()).map(|(name, _)| name.clone());
            let Some(name) = next else { return };
            if let Some(lane) = self.lanes.get_mut(&name) {
                lane.call_next(&name, &self.caller);
            }
        }
    }

    /// Deals with what came of a call that was received.
    pub fn take(&mut self, answer: Answer, scene: &mut Scene) -> DatabaseResult<()> {
        // Forgotten meanwhile: the worker ends, or began anew.
        match self.lanes.get_mut(&answer.lane) {
            Some(lane) => lane.take(answer, scene),
            None => Ok(()),
        }
    }

    /// Reads and calls what there is room for now, but for endpoints that are to be left alone.
    pub fn go_on(&mut self, scene: &mut Scene) -> DatabaseResult<()> {
        let paused = scene.debts.take_paused();
        for lane in self.lanes.values_mut().filter(|lane| paused.contains(lane.endpoint())) {
            lane.release_waiting(scene);
        }
        scene.debts.settle(scene.store)?;
        for lane in self.lanes.values_mut() {
            lane.read_more(self.concurrency, scene)?;
        }
        self.call_next(|_| true);
        self.lanes.retain(|_, lane| !lane.is_over());
        Ok(())
    }
}

/// No model for jobs that were just claimed.
fn refuse(jobs: &[Job], profile: &Profile, error: &ProviderError, scene: &mut Scene) {
    if scene.leaves(profile.profile, error) {
        return scene.debts.release(jobs.iter().map(|job| job.held));
    }
    let reason = reason_of(error);
    if error.kind() == Kind::NotReady {
        let endpoint = profile.endpoint.clone();
        scene.debts.owe(Debt::Pause { endpoint, pause: NOT_READY_PAUSE, reason });
        scene.debts.release(jobs.iter().map(|job| job.held));
        return;
    }
    for job in jobs {
        count_failure(scene.tally, &reason.code);
        scene.debts.owe(Debt::Fail { held: job.held, reason: reason.clone(), retry_in: None, counts: true });
    }
}

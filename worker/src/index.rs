//! Jobs of kind build_index. A large index takes minutes, so it is built beside the loop, which keeps the lease meanwhile.

use uuid::Uuid;

use crate::caller::Wake;
use crate::database::{Database, DatabaseResult};
use crate::job::{Held, Job};
use crate::metrics::Metrics;
use crate::scene::{Scene, count_failure};
use crate::store::Store;

/// An index that is being built. Who lets go of it does not want it any more: it ends as soon as its process can be told.
pub trait IndexBuild {
    /// What came of it; none while it is under way.
    fn outcome(&mut self) -> Option<DatabaseResult<()>>;
}

/// One that was built by the time it was asked for.
pub struct Built(Option<DatabaseResult<()>>);

impl Built {
    /// Builds it now, by the caller's own means.
    pub fn now(database: &mut dyn Database, profile: Uuid) -> Box<dyn IndexBuild> {
        Box::new(Self(Some(build(database, profile))))
    }
}

impl IndexBuild for Built {
    fn outcome(&mut self) -> Option<DatabaseResult<()>> {
        self.0.take()
    }
}

/// Makes the index of a profile as it is to be, and comes back when it is.
pub fn build(database: &mut dyn Database, profile: Uuid) -> DatabaseResult<()> {
    let metrics = Metrics::default();
    let mut store = Store::new(database, &metrics);
    let commands = store.index_commands(profile)?;
    commands.iter().try_for_each(|command| store.command(command))
}

/// A job with its index.
struct Progress {
    held: Held,
    failures: u32,
    build: Box<dyn IndexBuild>,
}

/// The index that is being built: one at a time, because each takes the memory that the server has for that.
pub struct Indexes {
    wake: Wake,
    progress: Option<Progress>,
}

impl Indexes {
    /// None so far. `wake` brings about the next round when one has ended.
    pub fn new(wake: Wake) -> Self {
        Self { wake, progress: None }
    }

    /// The job that is held.
    pub fn held(&self) -> impl Iterator<Item = Held> + '_ {
        self.progress.iter().map(|progress| progress.held)
    }

    /// Whether there is one.
    pub fn is_busy(&self) -> bool {
        self.progress.is_some()
    }

    /// Ends it if its job is not among those that are kept: somebody else has it.
    pub fn keep_only(&mut self, kept: &[i64]) {
        self.progress.take_if(|progress| !kept.contains(&progress.held.job));
    }

    /// Holds nothing any more, and says what it held.
    pub fn forget_all(&mut self) -> Option<Held> {
        self.progress.take().map(|progress| progress.held)
    }

    /// Begins with a job that was claimed.
    pub fn start(&mut self, job: &Job, scene: &mut Scene) {
        let begun = match job.profile {
            Some(profile) => scene.store.begin_index(profile, &self.wake),
            // It went while the job waited.
            None => Ok(Box::new(Built(Some(Ok(())))) as Box<dyn IndexBuild>),
        };
        match begun {
            Ok(build) => {
                self.progress = Some(Progress { held: job.held, failures: job.failures, build });
            }
            Err(error) => {
                count_failure(scene.tally, "DATABASE");
                scene.debts.give_up(job.held, job.failures, "DATABASE", &error);
            }
        }
    }

    /// Finishes the job if its index has come to its end.
    pub fn take(&mut self, scene: &mut Scene) -> DatabaseResult<()> {
        let Some(outcome) = self.progress.as_mut().and_then(|progress| progress.build.outcome()) else {
            return Ok(());
        };
        let Some(progress) = self.progress.take() else { return Ok(()) };
        let finished =
            outcome.and_then(|()| scene.store.finish(progress.held, serde_json::json!({"index": "ready"})));
        match finished {
            Ok(was_ours) => scene.tally.done += u64::from(was_ours),
            Err(error) => {
                count_failure(scene.tally, "DATABASE");
                scene.debts.give_up(progress.held, progress.failures, "DATABASE", &error);
            }
        }
        scene.debts.settle(scene.store)
    }
}

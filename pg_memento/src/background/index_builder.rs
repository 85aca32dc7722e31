//! The process that builds an index for a worker, so that the queue does not wait for it. It lives for one index and belongs to the
//! worker that has started it: when that leaves, so does this.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use memento_worker::database::{DatabaseError, DatabaseResult};
use memento_worker::index::{self, IndexBuild};
use pgrx::pg_sys::Oid;
use uuid::Uuid;

use super::queue::OwnDatabase;
use super::{slots, worker};
use crate::ffi::process::{self, Extra, Started};
use crate::ffi::transaction::report_activity;
use crate::ffi::{database, latch};

/// How long it may take to end when it is told to: it looks with every row. Whoever waits for the worker waits for this too.
const PATIENCE: Duration = Duration::from_secs(2);

/// How often that is looked at, should the postmaster not say it.
const LOOK_EVERY: Duration = Duration::from_millis(100);

thread_local! {
    /// What this worker has started. Here, so that it does not outlive a worker that dies.
    static STARTED: RefCell<Option<Started>> = const { RefCell::new(None) };
}

/// The main function of the process.
pub fn run(argument: i64, extra: Extra) {
    let database = Oid::from(argument as u32);
    process::take_signals();
    process::connect(Some(database));
    worker::set_up_session();
    slots::index_builder::begin(database, process::my_pid());
    report_activity(Some(c"memento: building an index"));
    let mut beside = OwnDatabase { is_beside_loop: true };
    let outcome = index::build(&mut beside, Uuid::from_bytes(extra));
    slots::index_builder::report(database, outcome.err().map(|error| error.sqlstate));
}

/// An index that is being built by a process of its own.
pub struct IndexProcess;

impl IndexProcess {
    /// Starts it; none if there is no place for a process.
    pub fn start(profile: Uuid) -> Option<Self> {
        let database = database::current();
        slots::index_builder::expect(database);
        let started = process::start_index_builder(i64::from(database.to_u32()), profile.into_bytes())?;
        STARTED.replace(Some(started));
        Some(Self)
    }
}

impl IndexBuild for IndexProcess {
    fn outcome(&mut self) -> Option<DatabaseResult<()>> {
        if !has_ended() {
            return None;
        }
        STARTED.take();
        Some(match slots::index_builder::take_report(database::current()) {
            None => Ok(()),
            Some(sqlstate) => Err(DatabaseError { sqlstate, message: "the index could not be built".into() }),
        })
    }
}

impl Drop for IndexProcess {
    fn drop(&mut self) {
        terminate();
        let told = Instant::now();
        while !has_ended() && told.elapsed() < PATIENCE {
            latch::wait(Some(LOOK_EVERY), None);
        }
        STARTED.take();
    }
}

/// Whether what this worker has started is no longer there.
pub fn has_ended() -> bool {
    STARTED.with_borrow(|started| started.as_ref().is_none_or(Started::has_ended))
}

/// Asks it to end.
pub fn terminate() {
    STARTED.with_borrow(|started| started.as_ref().into_iter().for_each(Started::terminate));
}

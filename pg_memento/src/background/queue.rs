//! The job loop in the background worker: the database is this process's own, models are called by threads.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use memento_worker::caller::Wake;
use memento_worker::database::{
    Database, DatabaseError, DatabaseResult, LOCK_TIMEOUT, Work, command_lock_timeout,
};
use memento_worker::index::{Built, IndexBuild};
use memento_worker::metrics::MetricsServer;
use memento_worker::runner::{Runner, Settings, Wait as RunnerWait};
use pgrx::pg_sys::errcodes::PgSqlErrorCode;
use pgrx::pg_sys::panic::ErrorReport;
use uuid::Uuid;

use super::index_builder::{self, IndexProcess};
use super::task::{DatabaseTask, Wait};
use crate::ffi::transaction::{Caught, in_transaction, override_setting};
use crate::ffi::{command, database, thread};
use crate::gucs;
use crate::service::models;
use crate::spi::worker::CurrentTransaction;

/// There is one for a database, so a job that has this name and no process has lost it.
const NAME: &str = "background";

/// Said once, before the worker sees that there is nothing left for it to do.
const DROPPED: &str = "the extension has been dropped";

/// This process's own database, outside of transactions.
#[derive(Default)]
pub struct OwnDatabase {
    /// Whether this is not the process of the loop, so that it may wait.
    pub is_beside_loop: bool,
}

impl Database for OwnDatabase {
    fn transaction(&mut self, work: &mut Work) -> DatabaseResult<()> {
        // An error of ours must end the transaction as one of the server's does.
        in_transaction(|| {
            if !database::lock_extension(c"pg_memento") {
                return Err(raised(DatabaseError { sqlstate: "55000".into(), message: DROPPED.into() }));
            }
            work(&mut CurrentTransaction).map_err(raised)
        })
        .map_err(passed_on)
    }

    fn command(&mut self, text: &str) -> DatabaseResult<()> {
        limit_lock_waits(command_lock_timeout(text, self.is_beside_loop));
        let outcome = command::run(text).map_err(passed_on);
        limit_lock_waits(LOCK_TIMEOUT);
        outcome
    }

    fn can_run_concurrently(&self) -> bool {
        true
    }

    /// Woken by the postmaster, which tells this process when the other one has ended: see [`Queue::has_news`].
    fn begin_index(&mut self, profile: Uuid, _wake: &Wake) -> DatabaseResult<Box<dyn IndexBuild>> {
        Ok(match IndexProcess::start(profile) {
            Some(process) => Box::new(process),
            None => Built::now(self, profile),
        })
    }
}

fn limit_lock_waits(longest: Duration) {
    override_setting(c"lock_timeout", &longest.as_millis().to_string());
}

/// The loop as the worker's task.
pub struct Queue {
    runner: Runner,
    /// Readable when a thread has an answer.
    bell: UnixStream,
    ringer: Arc<UnixStream>,
    metrics: Option<MetricsServer>,
}

impl Queue {
    /// Nothing is done yet.
    pub fn new() -> std::io::Result<Self> {
        limit_lock_waits(LOCK_TIMEOUT);
        let (bell, ringer) = UnixStream::pair()?;
        bell.set_nonblocking(true)?;
        ringer.set_nonblocking(true)?;
        let ringer = Arc::new(ringer);
        let wake = ring(&ringer);
        let runner = Runner::new(settings(), Box::new(models::ServerModels::new()), spawn, wake);
        let mut queue = Self { runner, bell, ringer, metrics: None };
        queue.serve_metrics();
        Ok(queue)
    }

    /// Serves the metrics where the settings say. A port that is taken, by the worker of another database perhaps, is told and left.
    fn serve_metrics(&mut self) {
        let wanted = gucs::metrics_port();
        if self.metrics.as_ref().map(|server| server.address().port()) == wanted {
            return;
        }
        self.metrics = None;
        let Some(port) = wanted else { return };
        match MetricsServer::start(
            IpAddr::V4(Ipv4Addr::LOCALHOST),
            port,
            self.runner.metrics(),
            spawn,
            ring(&self.ringer),
        ) {
            Ok(server) => self.metrics = Some(server),
            Err(error) => pgrx::warning!(
                "pg_memento worker: metrics cannot be served on port {port}: {}; give each database a port of its own",
                error.kind()
            ),
        }
    }

    fn silence_bell(&mut self) {
        let mut rings = [0; 64];
        while matches!(self.bell.read(&mut rings), Ok(count) if count == rings.len()) {}
    }
}

impl DatabaseTask for Queue {
    fn begin(&mut self) -> Result<(), Caught> {
        self.runner.begin(&mut OwnDatabase::default()).map_err(caught)
    }

    fn run_once(&mut self) -> Result<Wait, Caught> {
        self.silence_bell();
        #[cfg(feature = "pg_test")]
        super::conformance::run_if_asked().map_err(caught)?;
        match self.runner.round(&mut OwnDatabase::default()).map_err(caught)? {
            RunnerWait::Not => Ok(Wait::Until(Instant::now())),
            RunnerWait::AtMost(longest) => {
                Ok(Instant::now().checked_add(longest).map_or(Wait::UntilWoken, Wait::Until))
            }
        }
    }

    fn is_at_rest(&self) -> bool {
        self.runner.tally().in_flight == 0
    }

    fn has_news(&self) -> bool {
        self.runner.is_building_index() && index_builder::has_ended()
    }

    fn make_way(&mut self) {
        self.runner.give_up_index();
    }

    fn reload(&mut self) {
        self.runner.reload(settings(), Box::new(models::ServerModels::new()));
        self.serve_metrics();
    }

    fn bell(&self) -> Option<BorrowedFd<'_>> {
        Some(self.bell.as_fd())
    }

    fn end(&mut self) -> Result<(), Caught> {
        self.runner.end(&mut OwnDatabase::default()).map_err(caught)
    }
}

/// Rings the bell, from any thread. A full pipe rings as well.
fn ring(ringer: &Arc<UnixStream>) -> impl Fn() + Send + Sync + 'static {
    let ringer = Arc::clone(ringer);
    move || {
        let _ = (&*ringer).write(&[0]);
    }
}

fn settings() -> Settings {
    let settings = gucs::queue();
    Settings {
        worker: NAME.to_owned(),
        lease: settings.lease,
        concurrency: settings.concurrency,
        batch: settings.batch,
        maintenance: Duration::from_secs(600),
        heartbeat: None,
        is_servers_own: true,
        most: u64::MAX,
    }
}

fn spawn(work: Box<dyn FnOnce() + Send>) -> std::io::Result<()> {
    thread::spawn("memento-call", work).map(drop)
}

fn raised(error: DatabaseError) -> ErrorReport {
    ErrorReport::new(PgSqlErrorCode::ERRCODE_INTERNAL_ERROR, error.message, "pg_memento")
}

/// The job that it happened to gets the SQLSTATE only; here is where an administrator looks.
fn passed_on(caught: Caught) -> DatabaseError {
    pgrx::warning!("pg_memento worker: {caught}");
    DatabaseError { sqlstate: caught.code().to_owned(), message: caught.message }
}

fn caught(error: DatabaseError) -> Caught {
    Caught::new_from(&error.sqlstate, error.message)
}

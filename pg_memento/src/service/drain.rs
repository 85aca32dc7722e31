//! Working the queue in the foreground, for servers where the library is not preloaded: the same loop, committing between steps.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use memento_worker::caller::Wake;
use memento_worker::database::{Database, DatabaseError, DatabaseResult, Work};
use memento_worker::index::{Built, IndexBuild};
use memento_worker::runner::{Runner, Settings, Wait};
use pgrx::prelude::*;
use uuid::Uuid;

use super::models::ForegroundModels;
use crate::error::{Failure, StatementError, passed_on, reported};
use crate::ffi::{procedure, process, server, thread};
use crate::spi::worker::{CurrentTransaction, foreground, may_work};
use crate::{gucs, spi};

/// How often a wait for a model looks for a cancelled statement.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// A cancelled CALL cannot give its jobs back: they are free after this.
const LEASE: Duration = Duration::from_secs(30);

/// Why the queue is not worked.
#[derive(Debug, thiserror::Error)]
pub enum DrainError {
    #[error("drain must be called outside of a transaction")]
    InTransaction,
    #[error("this role may not work the queue")]
    NotWorker,
    #[error("max_jobs must be positive")]
    NothingToDo,
    #[error("the queue cannot be worked: {0}")]
    Database(DatabaseError),
    #[error(transparent)]
    Statement(#[from] StatementError),
}

reported!(DrainError);

impl Failure for DrainError {
    passed_on!(Statement);

    fn sqlstate(&self) -> PgSqlErrorCode {
        match self {
            Self::InTransaction => PgSqlErrorCode::ERRCODE_INVALID_TRANSACTION_TERMINATION,
            Self::NotWorker => PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
            Self::NothingToDo => PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
            Self::Database(_) | Self::Statement(_) => PgSqlErrorCode::ERRCODE_INTERNAL_ERROR,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::InTransaction => "IN_TRANSACTION",
            Self::NotWorker => "FORBIDDEN",
            Self::NothingToDo => "VALIDATION_ERROR",
            Self::Database(_) | Self::Statement(_) => "INTERNAL_ERROR",
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::InTransaction => Some("call memento.drain() by itself: it commits after each step".into()),
            Self::NotWorker => Some("let a superuser run memento.grant_worker(role)".into()),
            Self::NothingToDo => Some("leave it out to work until nothing is due".into()),
            Self::Database(_) | Self::Statement(_) => None,
        }
    }
}

/// Works until nothing is due, or so many jobs were done or failed.
pub fn drain(max_jobs: Option<i64>, may_commit: bool) -> Result<(), DrainError> {
    if max_jobs.is_some_and(|most| most < 1) {
        return Err(DrainError::NothingToDo);
    }
    if !may_commit {
        return Err(DrainError::InTransaction);
    }
    if !may_work()? {
        return Err(DrainError::NotWorker);
    }
    let most = max_jobs.and_then(|most| u64::try_from(most).ok()).unwrap_or(u64::MAX);
    procedure::with_commits(|| work(most)).map_err(DrainError::Database)
}

fn work(most: u64) -> DatabaseResult<()> {
    let (wake, woken) = channel();
    let ring = move || {
        // Nobody waits any more if the statement was cancelled.
        let _ = wake.send(());
    };
    let mut database = ForegroundDatabase;
    let mut runner = Runner::new(settings(most), Box::new(ForegroundModels::new()), spawn, ring);
    runner.begin(&mut database)?;
    loop {
        let wait = runner.round(&mut database)?;
        let tally = runner.tally();
        if tally.done + tally.failed >= most || (wait != Wait::Not && tally.in_flight == 0) {
            return runner.end(&mut database);
        }
        if let Wait::AtMost(longest) = wait {
            sleep(longest, &woken);
        }
    }
}

/// Until an answer arrives, or the next round is due.
fn sleep(longest: Duration, woken: &Receiver<()>) {
    let began = Instant::now();
    while began.elapsed() < longest {
        match woken.recv_timeout(LOOK_EVERY) {
            Err(RecvTimeoutError::Timeout) => server::check_for_interrupts(),
            _ => return,
        }
    }
}

fn settings(most: u64) -> Settings {
    let settings = gucs::queue();
    Settings {
        worker: format!("foreground:{}", process::my_pid()),
        lease: LEASE,
        concurrency: settings.concurrency,
        batch: settings.batch,
        maintenance: Duration::from_secs(600),
        heartbeat: None,
        is_servers_own: true,
        most,
    }
}

fn spawn(work: Box<dyn FnOnce() + Send>) -> std::io::Result<()> {
    thread::spawn("memento-call", work).map(drop)
}

/// The session's database; an error ends the CALL, and what was committed stays.
struct ForegroundDatabase;

impl Database for ForegroundDatabase {
    fn transaction(&mut self, work: &mut Work) -> DatabaseResult<()> {
        foreground(|| work(&mut CurrentTransaction))?;
        procedure::commit();
        Ok(())
    }

    fn command(&mut self, command: &str) -> DatabaseResult<()> {
        foreground(|| spi::worker::command(command))?;
        procedure::commit();
        Ok(())
    }

    fn can_run_concurrently(&self) -> bool {
        false
    }

    fn begin_index(&mut self, profile: Uuid, _wake: &Wake) -> DatabaseResult<Box<dyn IndexBuild>> {
        Ok(Built::now(self, profile))
    }
}

//! What people do with the queue: try again, cancel, pause, limit, wait.

use std::time::{Duration, Instant};

use memento_core::access::AccessLevel;
use memento_worker::runner::KINDS;
use pgrx::prelude::*;
use serde_json::{Value, json};

use super::access::{AccessError, as_owner, authorize_current};
use crate::error::{Failure, StatementError, passed_on, reported};
use crate::{ffi, spi};

/// What stands for all kinds of jobs.
const ALL: &str = "*";

/// How long `wait_until_idle` sleeps between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Why the queue does not do what was asked for.
#[derive(Debug, thiserror::Error)]
pub enum QueueError {
    #[error("there is no job {0} in this project")]
    NotFound(i64),
    #[error("job {job} is {state}")]
    WrongState { job: i64, state: String },
    #[error("job {successor} has been asked for in place of job {job}")]
    Succeeded { job: i64, successor: i64 },
    #[error("there are no jobs of kind \"{0}\"")]
    UnknownKind(String),
    #[error("period must be day or month")]
    UnknownPeriod,
    #[error("max_tokens must not be negative")]
    NegativeBudget,
    #[error("this transaction cannot see what others commit")]
    FixedSnapshot,
    #[error(transparent)]
    Access(#[from] AccessError),
    #[error(transparent)]
    Statement(#[from] StatementError),
}

reported!(QueueError);

impl Failure for QueueError {
    passed_on!(Access, Statement);

    fn sqlstate(&self) -> PgSqlErrorCode {
        match self {
            Self::NotFound(_) => PgSqlErrorCode::ERRCODE_NO_DATA_FOUND,
            Self::WrongState { .. } | Self::Succeeded { .. } | Self::FixedSnapshot => {
                PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE
            }
            _ => PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::NotFound(_) => "JOB_NOT_FOUND",
            Self::WrongState { .. } | Self::Succeeded { .. } => "JOB_STATE",
            Self::FixedSnapshot => "FIXED_SNAPSHOT",
            _ => "VALIDATION_ERROR",
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::NotFound(_) => Some("list them: select job_id, kind, state from memento.job".into()),
            Self::WrongState { .. } => {
                Some("failed and cancelled jobs can be tried again, open ones can be cancelled".into())
            }
            Self::Succeeded { successor, .. } => Some(format!(
                "it does the same work; to do it at once: select memento.retry_job({successor})"
            )),
            Self::UnknownKind(_) => {
                Some(format!("use one of: {}, or leave it out for all", KINDS.join(", ")))
            }
            Self::UnknownPeriod => Some("for example: memento.set_budget(1000000, 'day')".into()),
            Self::NegativeBudget => Some("null for no limit, 0 for no calls at all".into()),
            Self::FixedSnapshot => Some("use read committed, the default isolation level".into()),
            Self::Access(_) | Self::Statement(_) => None,
        }
    }
}

/// Tries a job of the session's project again at once, or cancels it.
pub fn change_job(job: i64, retry: bool) -> Result<Value, QueueError> {
    let project = authorize_current(AccessLevel::Write)?;
    let changed =
        as_owner(|| spi::queue::change_job(project, job, retry))?.ok_or(QueueError::NotFound(job))?;
    if let Some(successor) = changed.successor {
        return Err(QueueError::Succeeded { job, successor });
    }
    let Some(state) = changed.is else {
        return Err(QueueError::WrongState { job, state: changed.was });
    };
    as_owner(spi::queue::announce)?;
    Ok(json!({"job_id": job, "state": state, "was": changed.was}))
}

/// Pauses a kind of jobs of the session's project, or all.
pub fn pause(kind: Option<&str>, reason: Option<&str>) -> Result<i64, QueueError> {
    let kind = known_kind(kind)?;
    let project = authorize_current(AccessLevel::Admin)?;
    let role = ffi::identity::current_role();
    Ok(as_owner(|| spi::queue::pause(project, kind, role, reason))?)
}

/// Ends a pause.
pub fn resume(kind: Option<&str>) -> Result<i64, QueueError> {
    let kind = known_kind(kind)?;
    let project = authorize_current(AccessLevel::Admin)?;
    Ok(as_owner(|| {
        spi::queue::announce()?;
        spi::queue::resume(project, kind)
    })?)
}

fn known_kind(kind: Option<&str>) -> Result<&str, QueueError> {
    match kind {
        None => Ok(ALL),
        Some(kind) if KINDS.contains(&kind) => Ok(kind),
        Some(kind) => Err(QueueError::UnknownKind(kind.chars().take(60).collect())),
    }
}

/// Limits the tokens that models are given for the session's project.
pub fn set_budget(max_tokens: Option<i64>, period: &str) -> Result<Value, QueueError> {
    if !["day", "month"].contains(&period) {
        return Err(QueueError::UnknownPeriod);
    }
    if max_tokens.is_some_and(|tokens| tokens < 0) {
        return Err(QueueError::NegativeBudget);
    }
    let project = authorize_current(AccessLevel::Admin)?;
    let role = ffi::identity::current_role();
    let is_spent = as_owner(|| {
        spi::queue::announce()?;
        spi::queue::set_budget(project, max_tokens, period, role)
    })?;
    Ok(json!({"max_tokens": max_tokens, "period": max_tokens.map(|_| period), "spent": is_spent}))
}

/// Waits until nothing is left of the session's project that a worker does without being asked; false if that takes too long.
pub fn wait_until_idle(timeout: Duration) -> Result<bool, QueueError> {
    if ffi::server::has_fixed_snapshot() {
        return Err(QueueError::FixedSnapshot);
    }
    let project = authorize_current(AccessLevel::Read)?;
    let began = Instant::now();
    loop {
        if !as_owner(|| spi::queue::is_busy(project, KINDS))? {
            return Ok(true);
        }
        let left = timeout.saturating_sub(began.elapsed());
        if left.is_zero() {
            return Ok(false);
        }
        ffi::latch::wait(Some(left.min(LOOK_EVERY)), None);
        ffi::server::check_for_interrupts();
    }
}

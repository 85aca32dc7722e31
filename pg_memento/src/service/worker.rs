//! What can be seen of the background processes, and waiting for them.

use std::time::Duration;

use pgrx::prelude::*;

use crate::background::slots::{self, Slot};
use crate::background::wake;
use crate::error::{Failure, reported};
use crate::ffi::{database, server};
use crate::init;

/// Why there is no worker to look at.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    #[error("pg_memento is not preloaded, so there is no background worker")]
    NotPreloaded,
    #[error("the server is a standby, so there is no background worker")]
    Standby,
}

reported!(WorkerError);

impl Failure for WorkerError {
    fn sqlstate(&self) -> PgSqlErrorCode {
        PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE
    }

    fn code(&self) -> &'static str {
        match self {
            Self::NotPreloaded => "NOT_PRELOADED",
            Self::Standby => "STANDBY",
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NotPreloaded => {
                "add pg_memento to shared_preload_libraries in postgresql.conf and restart the server".into()
            }
            Self::Standby => {
                "work is done on the primary; this server starts a worker when it is promoted".into()
            }
        })
    }
}

/// A slot, with the name of its database.
pub struct NamedSlot {
    /// None if the database is gone.
    pub database: Option<String>,
    pub slot: Slot,
}

/// The slots of all databases, by name.
pub fn slots() -> Vec<NamedSlot> {
    let mut found: Vec<NamedSlot> = slots::backend::list()
        .into_iter()
        .map(|slot| NamedSlot { database: database::name(slot.database), slot })
        .collect();
    found.sort_by(|a, b| a.database.cmp(&b.database));
    found
}

/// Waits until this database's worker takes work; false if it does not in that time.
pub fn wait_until_running(timeout: Duration) -> Result<bool, WorkerError> {
    if !init::preloaded() {
        return Err(WorkerError::NotPreloaded);
    }
    if server::in_recovery() {
        return Err(WorkerError::Standby);
    }
    Ok(slots::backend::wait_until_running(database::current(), timeout))
}

/// Wakes this database's worker when the transaction commits.
pub fn wake_at_commit() {
    wake::at_commit();
}

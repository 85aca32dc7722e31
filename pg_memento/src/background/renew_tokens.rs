//! Keeps the technical tokens of chunks up to date: those made by older rules or terms are made anew.

use std::collections::HashMap;
use std::time::Instant;

use pgrx::Uuid;
use pgrx::pg_sys::panic::ErrorReport;

use super::task::{DatabaseTask, Wait};
use crate::ffi::transaction::{Caught, in_transaction};
use crate::service::term;
use crate::spi::term::TokenVersions;

/// How far a project is.
#[derive(Default)]
struct Progress {
    versions: Option<TokenVersions>,
    last_chunk: i64,
    is_done: bool,
}

/// Remembers which projects are up to date, so that a round with nothing to do reads the list of projects only.
#[derive(Default)]
pub struct RenewTokens {
    projects: HashMap<[u8; 16], Progress>,
}

impl DatabaseTask for RenewTokens {
    /// A batch of one project, in a transaction of its own.
    fn run_once(&mut self) -> Result<Wait, Caught> {
        let current = in_transaction(|| term::token_versions().map_err(ErrorReport::from))?;
        self.projects.retain(|id, _| current.iter().any(|(project, _)| project.as_bytes() == id));
        for (project, versions) in current {
            let progress = self.projects.entry(*project.as_bytes()).or_default();
            if progress.versions != Some(versions) {
                *progress = Progress { versions: Some(versions), ..Progress::default() };
            }
            if !progress.is_done {
                progress.renew(project)?;
                return Ok(Wait::Until(Instant::now()));
            }
        }
        Ok(Wait::UntilWoken)
    }
}

impl Progress {
    fn renew(&mut self, project: Uuid) -> Result<(), Caught> {
        let last = in_transaction(|| term::renew_batch(project, self.last_chunk).map_err(ErrorReport::from))?;
        match last {
            Some(chunk) => self.last_chunk = chunk,
            None => self.is_done = true,
        }
        Ok(())
    }
}

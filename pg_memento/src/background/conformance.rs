//! The suite of the worker's crate over this process's own database, when a test asks for it. In builds for tests only.

use memento_worker::conformance;
use memento_worker::database::{Database, DatabaseResult};

use super::queue::OwnDatabase;
use crate::spi::conformance::{report, take_request};

/// Runs all cases if a test has asked for it, and says in a table what came of each.
pub fn run_if_asked() -> DatabaseResult<()> {
    let mut is_asked = false;
    OwnDatabase::default().transaction(&mut |statements| {
        is_asked = take_request(statements)?;
        Ok(())
    })?;
    if !is_asked {
        return Ok(());
    }
    let outcomes = conformance::run(&mut OwnDatabase::default());
    OwnDatabase::default().transaction(&mut |statements| {
        for (name, failure) in &outcomes {
            report(statements, name, failure.clone())?;
        }
        report(statements, "end", None)
    })
}

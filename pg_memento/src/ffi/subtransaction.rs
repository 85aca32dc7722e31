//! A piece of work that may fail without taking the statement with it.

use std::panic::AssertUnwindSafe;

use pgrx::pg_sys;
use pgrx::pg_sys::panic::CaughtError;
use pgrx::prelude::*;

use super::timer::{Deadline, Expired};
use super::transaction::Caught;

/// Why a piece of work has no result.
#[derive(Debug)]
pub enum Abandoned {
    /// It was not done in time.
    TimedOut,
    /// The server raised an error.
    Failed(Caught),
}

/// Runs `work` in a subtransaction, for at most `milliseconds`. If the server raises an error in it, or the time is over, what
/// it did is undone and the caller goes on. A cancellation of the statement, by whomever, is passed on.
///
/// Needs no transaction id, so it can be used on a standby and in read-only transactions.
pub fn attempt<T>(milliseconds: i32, work: impl FnOnce() -> T) -> Result<T, Abandoned> {
    // SAFETY: globals of the server, put back below because a subtransaction leaves others.
    let (context, owner) = unsafe { (pg_sys::CurrentMemoryContext, pg_sys::CurrentResourceOwner) };
    // SAFETY: inside of a transaction, as every function is; the memory context stays the caller's, so that what `work` answers
    // outlives the subtransaction.
    unsafe {
        pg_sys::BeginInternalSubTransaction(std::ptr::null());
        pg_sys::MemoryContextSwitchTo(context);
    }
    let deadline = Deadline::start(milliseconds);
    let outcome = PgTryBuilder::new(AssertUnwindSafe(|| Ok(work()))).catch_others(Err).execute();
    let expired = deadline.stop();
    // SAFETY: ends the subtransaction that was begun above; whatever `work` began itself has ended.
    unsafe {
        match outcome {
            Ok(_) => pg_sys::ReleaseCurrentSubTransaction(),
            Err(_) => pg_sys::RollbackAndReleaseCurrentSubTransaction(),
        }
        pg_sys::MemoryContextSwitchTo(context);
        pg_sys::CurrentResourceOwner = owner;
    }
    outcome.map_err(|error| abandoned(error, expired))
}

fn abandoned(error: CaughtError, expired: Expired) -> Abandoned {
    let caught = Caught::from(&error);
    match (caught.code(), expired) {
        ("57014", Expired::Yes) => Abandoned::TimedOut,
        ("57014", Expired::No) => error.rethrow(),
        _ => Abandoned::Failed(caught),
    }
}

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

/// Runs `work` in a subtransaction. If the server raises an error in it, what it did is undone and the error is given back. A
/// cancellation and an order to end the process are passed on.
///
/// Needs no transaction id, so it can be used on a standby and in read-only transactions.
pub fn attempt<T>(work: impl FnOnce() -> T) -> Result<T, Caught> {
    enclosed(None, work).0.map_err(|error| caught_if(error, is_recoverable))
}

/// The same for at most `milliseconds`, or less if what it is part of has less time left.
pub fn attempt_within<T>(milliseconds: i32, work: impl FnOnce() -> T) -> Result<T, Abandoned> {
    let (outcome, expired) = enclosed(Some(milliseconds), work);
    outcome.map_err(|error| match (Caught::from(&error).code(), expired) {
        ("57014", Expired::Yes) => Abandoned::TimedOut,
        _ => Abandoned::Failed(caught_if(error, is_recoverable)),
    })
}

/// The same without a time limit, and only what the server says when it cannot read its own files is given back: corruption, failures
/// of the system, and internal errors.
pub fn attempt_reading<T>(work: impl FnOnce() -> T) -> Result<T, Caught> {
    let is_broken = |code: &str| code.starts_with("XX") || code.starts_with("58");
    enclosed(None, work).0.map_err(|error| caught_if(error, is_broken))
}

fn enclosed<T>(milliseconds: Option<i32>, work: impl FnOnce() -> T) -> (Result<T, CaughtError>, Expired) {
    // SAFETY: globals of the server, put back below because a subtransaction leaves others.
    let (context, owner) = unsafe { (pg_sys::CurrentMemoryContext, pg_sys::CurrentResourceOwner) };
    // SAFETY: inside of a transaction, as every function is; the memory context stays the caller's, so that what `work` answers
    // outlives the subtransaction.
    unsafe {
        pg_sys::BeginInternalSubTransaction(std::ptr::null());
        pg_sys::MemoryContextSwitchTo(context);
    }
    let deadline = milliseconds.map(Deadline::start);
    let outcome = PgTryBuilder::new(AssertUnwindSafe(|| Ok(work()))).catch_others(Err).execute();
    let expired = deadline.map_or(Expired::No, Deadline::stop);
    // SAFETY: ends the subtransaction that was begun above; whatever `work` began itself has ended.
    unsafe {
        match outcome {
            Ok(_) => pg_sys::ReleaseCurrentSubTransaction(),
            Err(_) => pg_sys::RollbackAndReleaseCurrentSubTransaction(),
        }
        pg_sys::MemoryContextSwitchTo(context);
        pg_sys::CurrentResourceOwner = owner;
    }
    (outcome, expired)
}

/// Class 57 is what an operator wants: the statement or the process to end.
fn is_recoverable(code: &str) -> bool {
    !code.starts_with("57")
}

fn caught_if(error: CaughtError, is_wanted: impl Fn(&str) -> bool) -> Caught {
    let caught = Caught::from(&error);
    if is_wanted(caught.code()) { caught } else { error.rethrow() }
}

//! What a worker does for its database. The process around it is in `worker`.

use std::os::fd::BorrowedFd;
use std::time::Instant;

use crate::ffi::transaction::Caught;

/// How long the worker may sleep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// Until somebody commits new work.
    UntilWoken,
    /// Until then, or until new work is committed. A time that has passed: one round more, at once.
    Until(Instant),
}

/// Work for one database, in rounds. Called outside of a transaction: it opens those that it needs, with
/// `ffi::transaction::in_transaction`, and keeps none open while it waits for anything.
///
/// A round should be short. Between two of them the worker sees whether it must leave.
pub trait DatabaseTask {
    /// Comes first, again until it succeeds.
    fn begin(&mut self) -> Result<(), Caught> {
        Ok(())
    }

    /// Does what is there to do now. After an error it is called again, later and later.
    fn run_once(&mut self) -> Result<Wait, Caught>;

    /// Whether it has nothing in hand, so that its process can make room for another database's.
    fn is_at_rest(&self) -> bool {
        true
    }

    /// Whether a process that it has started has ended, so that another round is due.
    fn has_news(&self) -> bool {
        false
    }

    /// Somebody has the extension locked and may wait for what the task's own processes have locked.
    fn make_way(&mut self) {}

    /// Settings were read again.
    fn reload(&mut self) {}

    /// Comes last, if the process ends in order and the extension is still there. It must be short: somebody waits.
    fn end(&mut self) -> Result<(), Caught> {
        Ok(())
    }

    /// Becomes readable when a thread of the task has something for it; the task reads it empty.
    fn bell(&self) -> Option<BorrowedFd<'_>> {
        None
    }
}

//! Announcing at commit that there is something to do: once for a transaction, whatever it does, and never for one that
//! is rolled back.

use std::cell::{Cell, RefCell};

use pgrx::pg_sys::Oid;

use super::slots;
use crate::ffi::database;
use crate::ffi::transaction_end::{self, End};
use crate::gucs;

/// What the transaction has to announce.
#[derive(Clone, Copy, Default)]
struct Announcement {
    work: bool,
    databases: bool,
}

thread_local! {
    static ANNOUNCEMENT: Cell<Announcement> = const { Cell::new(Announcement { work: false, databases: false }) };
    static HELD: RefCell<Vec<Oid>> = const { RefCell::new(Vec::new()) };
}

/// Wakes the worker of this database when, and if, the transaction commits. To be called by whoever leaves work for it.
/// A subtransaction that is rolled back may wake it for nothing. Without preload it does nothing.
pub fn at_commit() {
    ANNOUNCEMENT.set(Announcement { work: true, ..ANNOUNCEMENT.get() });
    transaction_end::watch();
}

/// Makes the launcher look at the list of databases when the transaction commits.
pub(super) fn databases_at_commit() {
    ANNOUNCEMENT.set(Announcement { databases: true, ..ANNOUNCEMENT.get() });
    transaction_end::watch();
}

/// Ends the hold on a database when the transaction ends, however it does.
pub(super) fn release_at_end(database: Oid) {
    HELD.with_borrow_mut(|held| held.push(database));
    transaction_end::watch();
}

/// Called when a transaction of this backend has ended. Must not fail.
pub(super) fn on_end(end: End) {
    let announcement = ANNOUNCEMENT.take();
    for database in HELD.take() {
        slots::backend::release(database, gucs::restart_policy().first);
    }
    // The work of a prepared transaction is announced by COMMIT PREPARED.
    if end != End::Commit {
        return;
    }
    if announcement.work {
        slots::backend::wake(database::current());
    }
    if announcement.databases {
        slots::backend::databases_changed();
    }
}

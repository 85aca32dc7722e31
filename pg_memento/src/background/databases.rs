//! Commands that concern whole databases, or the extension: who works in the background must not be in their way.

use std::time::Duration;

use super::{slots, wake};
use crate::ffi::utility_hook::Command;
use crate::ffi::{database, identity, process, release};

/// How long a worker may take to end by itself: it looks between two steps.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long it may take to end by a signal, which stops its statement. The server itself waits 5 s for those who are
/// still there afterwards.
const LAST_PATIENCE: Duration = Duration::from_secs(5);

/// Called before a command runs.
pub fn before(command: Command) {
    match command {
        Command::NeedsNobodyIn(name) => {
            wake::databases_at_commit();
            clear(&name);
        }
        Command::ChangesDatabases => wake::databases_at_commit(),
        Command::CommitsPrepared => wake::at_commit(),
        Command::DropsExtension(names) if names.iter().any(|name| name == "pg_memento") => {
            end_index_builder()
        }
        Command::DropsExtension(_) => {}
    }
}

/// Makes the worker of a database leave, if the command has a chance: else anybody could stop it.
fn clear(name: &str) {
    let Some(database) = database::by_name(name) else { return };
    if database == database::current() || !release::owns_database(database, identity::current_role()) {
        return;
    }
    if !slots::backend::hold(database) {
        return;
    }
    wake::release_at_end(database);
    if slots::backend::wait_until_gone(database, PATIENCE) {
        return;
    }
    if let Some(slot) = slots::backend::of(database).filter(|slot| slot.pid != 0) {
        process::terminate(slot.pid);
    }
    // If it does not even leave now, the command says that the database is in use.
    slots::backend::wait_until_gone(database, LAST_PATIENCE);
}

/// An index that is being built waits for older transactions, and so for the one that is about to wait for it: who drops the extension
/// would be told of a deadlock.
fn end_index_builder() {
    let database = database::current();
    if release::owns_database(database, identity::current_role())
        && let Some(pid) = slots::index_builder::pid(database)
    {
        process::terminate(pid);
    }
}

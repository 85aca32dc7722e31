//! What the launcher has to say.

use std::time::Duration;

use pgrx::pg_sys::Oid;

use super::{Place, Slot, State, TABLE, after, position, with};
use crate::ffi::latch::LatchRef;
use crate::ffi::process::{my_pid, now};

/// Becomes the launcher. Workers that an earlier one asked for and that are not there yet are asked for again.
pub fn attach() {
    with(|table| {
        table.header.launcher = LatchRef::mine();
        table.header.launcher_pid = my_pid();
        for slot in table.iter_mut().filter(|slot| slot.state == State::Starting && slot.pid == 0) {
            slot.generation = slot.generation.wrapping_add(1);
            slot.enter(State::Waiting);
        }
    });
}

/// Is no longer the launcher.
pub fn detach() {
    with(|table| {
        if table.header.launcher_pid == my_pid() {
            table.header.launcher = LatchRef::NONE;
            table.header.launcher_pid = 0;
        }
    });
}

/// Whether the list of databases may have changed since this was asked last.
pub fn take_rescan() -> bool {
    with(|table| std::mem::take(&mut table.header.rescan)).unwrap_or(false)
}

/// Whether work came for a database that could have no slot, since this was asked last.
pub fn take_overflow() -> bool {
    with(|table| std::mem::take(&mut table.header.overflow)).unwrap_or(false)
}

/// Whether a database has a slot.
pub fn has_slot(database: Oid) -> bool {
    with(|table| position(table, database).is_some()).unwrap_or(false)
}

/// A slot for a database that has none, to be started at once; false if all are taken.
pub fn add(database: Oid) -> bool {
    with(|table| {
        let Some(free) = table.iter().position(|slot| slot.state == State::Free) else { return false };
        table[free] = Slot { database, generation: table[free].generation, ..Slot::EMPTY };
        table[free].enter(State::Waiting);
        true
    })
    .unwrap_or(false)
}

/// The database that has waited longest beyond its time, and when the next one is due otherwise.
pub fn next_due() -> Result<Oid, Option<i64>> {
    let first = with(|table| {
        let waiting = table.iter().filter(|slot| slot.state == State::Waiting);
        waiting.min_by_key(|slot| slot.next_start).map(|slot| (slot.next_start, slot.database))
    });
    match first.flatten() {
        Some((time, database)) if time <= now() => Ok(database),
        other => Err(other.map(|(time, _)| time)),
    }
}

/// Marks a database's worker as asked for.
pub fn begin_start(database: Oid) -> Option<Place> {
    with(|table| {
        let index = position(table, database)?;
        let slot = &mut table[index];
        if slot.state != State::Waiting {
            return None;
        }
        slot.generation = slot.generation.wrapping_add(1);
        slot.stop = false;
        slot.enter(State::Starting);
        Some(Place { index, generation: slot.generation })
    })?
}

/// Whether a worker that was asked for has not said yet that it is there.
pub fn is_starting(place: Place) -> bool {
    with(|table| place.of(table).is_some_and(|slot| slot.state == State::Starting)).unwrap_or(false)
}

/// A worker could not be started, or never took its place.
pub fn start_failed(place: Place, error: &[u8; 5], delay: Duration) {
    with(|table| {
        let Some(slot) = place.of(table) else { return };
        if slot.pid != 0 || !matches!(slot.state, State::Starting | State::Stopping) {
            return;
        }
        slot.last_error = *error;
        slot.next_start = after(delay);
        slot.enter(if slot.holds > 0 { State::Blocked } else { State::Waiting });
    });
    TABLE.announce_change();
}

/// A database that takes no connections: not to be tried until it is said to have changed.
pub fn block(database: Oid) {
    with(|table| {
        if let Some(index) = position(table, database) {
            table[index].enter(State::Blocked);
        }
    });
}

/// Those that took no connections are tried again.
pub fn unblock(databases: &[Oid]) {
    with(|table| {
        for slot in table.iter_mut().filter(|slot| slot.state == State::Blocked && slot.holds == 0) {
            if databases.contains(&slot.database) {
                slot.enter(State::Waiting);
            }
        }
    });
}

/// Forgets a database that has no process.
pub fn forget(database: Oid) {
    with(|table| {
        if let Some(index) = position(table, database)
            && table[index].pid == 0
            && table[index].holds == 0
        {
            table[index].free();
        }
    });
    TABLE.announce_change();
}

/// Forgets databases that are no more.
pub fn keep_only(existing: &[Oid]) {
    with(|table| {
        for slot in table.iter_mut().filter(|slot| slot.state != State::Free && slot.pid == 0) {
            if slot.state != State::Starting && slot.holds == 0 && !existing.contains(&slot.database) {
                slot.free();
            }
        }
    });
    TABLE.announce_change();
}

//! What a backend has to say to the launcher and the workers.

use std::time::Duration;

use pgrx::pg_sys::Oid;

use super::{Slot, State, TABLE, after, position, with};
use crate::ffi::latch::LatchRef;

/// Tells the worker of a database, or the launcher if there is none, that there may be work.
pub fn wake(database: Oid) {
    let latch = with(|table| {
        let index = position(table, database).or_else(|| {
            let free = table.iter().position(|slot| slot.state == State::Free)?;
            table[free] = Slot { database, generation: table[free].generation, ..Slot::EMPTY };
            table[free].enter(State::Waiting);
            Some(free)
        });
        let Some(slot) = index.map(|index| &mut table[index]) else {
            table.header.overflow = true;
            return table.header.launcher;
        };
        slot.wakes += 1;
        // One who was told already looks once more before it sleeps.
        match std::mem::replace(&mut slot.woken, true) {
            true => LatchRef::NONE,
            false if slot.pid != 0 => slot.latch,
            false => table.header.launcher,
        }
    });
    latch.unwrap_or(LatchRef::NONE).set();
}

/// Tells the launcher to look at the list of databases.
pub fn databases_changed() {
    let latch = with(|table| {
        table.header.rescan = true;
        table.header.launcher
    });
    latch.unwrap_or(LatchRef::NONE).set();
}

/// Keeps a database without a worker until `release`, and asks the one that is there to leave. False if it has no slot.
pub fn hold(database: Oid) -> bool {
    let latch = with(|table| {
        let slot = position(table, database).map(|index| &mut table[index])?;
        slot.holds += 1;
        slot.stop = true;
        let is_there = slot.pid != 0 || slot.state == State::Starting;
        slot.enter(if is_there { State::Stopping } else { State::Blocked });
        Some(slot.latch)
    });
    match latch.flatten() {
        Some(latch) => {
            latch.set();
            true
        }
        None => false,
    }
}

/// Waits until the process of a database that is held has gone; false if it has not.
pub fn wait_until_gone(database: Oid, timeout: Duration) -> bool {
    TABLE.wait_until(timeout, |table| {
        position(table, database).is_none_or(|index| table[index].state == State::Blocked)
    })
}

/// Ends a hold. The launcher sees after a while whether the database is still there.
pub fn release(database: Oid, delay: Duration) {
    let latch = with(|table| {
        let slot = position(table, database).map(|index| &mut table[index])?;
        slot.holds = slot.holds.saturating_sub(1);
        if slot.holds == 0 && slot.state == State::Blocked {
            slot.next_start = after(delay);
            slot.enter(State::Waiting);
        }
        Some(table.header.launcher)
    });
    latch.flatten().unwrap_or(LatchRef::NONE).set();
}

/// Waits until a database's worker takes work; false if it does not.
pub fn wait_until_running(database: Oid, timeout: Duration) -> bool {
    TABLE
        .wait_until(timeout, |table| position(table, database).is_some_and(|index| table[index].is_running()))
}

/// All slots that are somebody's.
pub fn list() -> Vec<Slot> {
    with(|table| table.iter().filter(|slot| slot.state != State::Free).copied().collect()).unwrap_or_default()
}

/// The slot of a database.
pub fn of(database: Oid) -> Option<Slot> {
    with(|table| position(table, database).map(|index| table[index])).flatten()
}

/// The launcher's process; none on a standby.
pub fn launcher_pid() -> Option<i32> {
    with(|table| table.header.launcher_pid).filter(|pid| *pid != 0)
}

//! What a worker has to say.

use std::time::Duration;

use memento_core::restart::RestartPolicy;
use pgrx::pg_sys::Oid;

use super::{Exit, Place, Slot, State, TABLE, after, with};
use crate::ffi::latch::LatchRef;
use crate::ffi::process::my_pid;

/// Takes its place; none if it comes late. The database that it is for.
pub fn attach(place: Place) -> Option<Oid> {
    with(|table| {
        let slot = place.of(table).filter(|slot| slot.pid == 0)?;
        slot.pid = my_pid();
        slot.latch = LatchRef::mine();
        Some(slot.database)
    })?
}

/// Whether it was asked to leave.
pub fn must_stop(place: Place) -> bool {
    with(|table| place.of(table).is_none_or(|slot| slot.stop)).unwrap_or(true)
}

/// What was announced so far is about to be seen.
pub fn take_wake(place: Place) {
    with(|table| {
        if let Some(slot) = place.of(table) {
            slot.woken = false;
        }
    });
}

/// Whether something was announced since.
pub fn is_woken(place: Place) -> bool {
    with(|table| place.of(table).is_some_and(|slot| slot.woken)).unwrap_or(false)
}

/// A round of work begins.
pub fn begin_round(place: Place) {
    change(place, |slot| slot.enter(State::Busy));
}

/// A round has ended, maybe by an error.
pub fn end_round(place: Place, error: Option<[u8; 5]>) {
    change(place, |slot| {
        match error {
            Some(code) => slot.last_error = code,
            None => slot.rounds += 1,
        }
        slot.enter(State::Idle);
    });
}

/// The process is gone, after so long a life.
pub fn detach(place: Place, exit: Exit, lived: Duration, restart: &RestartPolicy) {
    let launcher = with(|table| {
        let slot = place.of(table)?;
        (slot.pid, slot.latch, slot.stop) = (0, LatchRef::NONE, false);
        if exit == Exit::NotNeeded && !slot.woken && slot.holds == 0 {
            slot.free();
            return Some(table.header.launcher);
        }
        slot.restarts += 1;
        if lived >= restart.proved || exit == Exit::Asked {
            slot.failures = 0;
        }
        if exit == Exit::Failed {
            slot.failures += 1;
        }
        slot.next_start = after(restart.delay(slot.failures));
        slot.enter(if slot.holds > 0 { State::Blocked } else { State::Waiting });
        Some(table.header.launcher)
    });
    launcher.flatten().unwrap_or(LatchRef::NONE).set();
    TABLE.announce_change();
}

/// Changes the slot, and lets those know who wait for the worker to take work.
fn change(place: Place, work: impl FnOnce(&mut Slot)) {
    let is_new = with(|table| {
        let slot = place.of(table)?;
        let before = slot.state;
        work(slot);
        if before == State::Stopping {
            // It is still to leave, whatever it does until then.
            slot.state = before;
        }
        (before == State::Starting).then_some(table.header.launcher)
    });
    if let Some(Some(launcher)) = is_new {
        launcher.set();
        TABLE.announce_change();
    }
}

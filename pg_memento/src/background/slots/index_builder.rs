//! What a process that builds an index has to say to the worker that has started it, and who it is, for those in whose way it is.

use pgrx::pg_sys::Oid;

use super::{NO_ERROR, Slot, position, with};

/// What it is taken to have met if it ends without a word: it was terminated, or could not connect.
const ENDED: [u8; 5] = *b"58000";

/// It is about to be started.
pub fn expect(database: Oid) {
    change(database, |slot| slot.index_outcome = ENDED);
}

/// It has begun.
pub fn begin(database: Oid, pid: i32) {
    change(database, |slot| slot.index_builder = pid);
}

/// The process that builds an index of a database, if there is one.
pub fn pid(database: Oid) -> Option<i32> {
    change(database, |slot| slot.index_builder).filter(|pid| *pid != 0)
}

/// It has come to its end, with the SQLSTATE of an error or without one.
pub fn report(database: Oid, sqlstate: Option<String>) {
    let code = sqlstate.map_or(NO_ERROR, |code| code.as_bytes().try_into().unwrap_or(ENDED));
    change(database, |slot| (slot.index_outcome, slot.index_builder) = (code, 0));
}

/// The SQLSTATE of its error; none if it had none.
pub fn take_report(database: Oid) -> Option<String> {
    let taken = change(database, |slot| {
        // It may have ended without a word.
        slot.index_builder = 0;
        std::mem::replace(&mut slot.index_outcome, ENDED)
    });
    let code = taken.unwrap_or(ENDED);
    (code != NO_ERROR).then(|| String::from_utf8_lossy(&code).into_owned())
}

fn change<T>(database: Oid, work: impl FnOnce(&mut Slot) -> T) -> Option<T> {
    with(|table| position(table, database).map(|index| work(&mut table[index]))).flatten()
}

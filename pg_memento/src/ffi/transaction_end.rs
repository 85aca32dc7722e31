//! Tells us how each transaction of this backend ends.

use std::cell::Cell;
use std::sync::OnceLock;

use pgrx::pg_sys;
use pgrx::prelude::*;

/// How a transaction ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Its changes are there for everybody.
    Commit,
    Abort,
    /// Its changes wait for COMMIT PREPARED, in this backend or another one.
    Prepare,
}

static CALLBACK: OnceLock<fn(End)> = OnceLock::new();
thread_local! {
    static REGISTERED: Cell<bool> = const { Cell::new(false) };
}

/// Names the function to call; from _PG_init, for all backends.
pub fn install(callback: fn(End)) {
    let _ = CALLBACK.set(callback);
}

/// Makes sure that the function is called at the end of this transaction and of later ones of this backend. Backends
/// that never need it are spared the call.
pub fn watch() {
    if !REGISTERED.replace(true) {
        // SAFETY: registered once in a process; the function needs no argument.
        unsafe { pg_sys::RegisterXactCallback(Some(on_end), std::ptr::null_mut()) }
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn on_end(event: pg_sys::XactEvent::Type, _argument: *mut std::ffi::c_void) {
    let end = match event {
        pg_sys::XactEvent::XACT_EVENT_COMMIT => End::Commit,
        pg_sys::XactEvent::XACT_EVENT_ABORT => End::Abort,
        pg_sys::XactEvent::XACT_EVENT_PREPARE => End::Prepare,
        _ => return,
    };
    if let Some(callback) = CALLBACK.get() {
        callback(end);
    }
}

//! A time limit for a piece of work inside of a statement, by the server's own timers.

use std::ffi::c_int;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use pgrx::pg_sys;

// Not among pgrx's bindings: utils/timeout.h.
unsafe extern "C" {
    fn RegisterTimeout(id: c_int, handler: extern "C" fn()) -> c_int;
    fn enable_timeout_after(id: c_int, delay_ms: c_int);
    fn disable_timeout(id: c_int, keep_indicator: bool);
}

/// The first id for others than the server: it asks for a free one.
#[cfg(any(feature = "pg15", feature = "pg16"))]
const USER_TIMEOUT: c_int = 12;
#[cfg(any(feature = "pg17", feature = "pg18"))]
const USER_TIMEOUT: c_int = 13;

/// Ours, in this process; asked for once, because the server has only ten to give.
static TIMER: OnceLock<c_int> = OnceLock::new();

/// Set by the signal handler.
static EXPIRED: AtomicBool = AtomicBool::new(false);

/// Runs as a signal handler: does what the server's own handler does for a cancellation.
extern "C" fn on_time() {
    EXPIRED.store(true, Ordering::SeqCst);
    // SAFETY: flags of the server that are made for signal handlers; the latch is this process's own.
    unsafe {
        (&raw mut pg_sys::InterruptPending).write_volatile(1);
        (&raw mut pg_sys::QueryCancelPending).write_volatile(1);
        pg_sys::SetLatch(pg_sys::MyLatch);
    }
}

/// Whether a deadline has passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expired {
    Yes,
    No,
}

/// A running time limit: when it is over, the next look for interrupts raises the error of a cancelled statement. One at a
/// time: an inner one would end the outer one's.
pub struct Deadline {
    timer: c_int,
}

impl Deadline {
    /// Starts it.
    pub fn start(milliseconds: i32) -> Self {
        // SAFETY: in a backend whose timers are set up; the handler is static.
        let timer = *TIMER.get_or_init(|| unsafe { RegisterTimeout(USER_TIMEOUT, on_time) });
        EXPIRED.store(false, Ordering::SeqCst);
        // SAFETY: the timer is registered, and not running: `stop` ends it on every path.
        unsafe { enable_timeout_after(timer, milliseconds.max(1)) };
        Self { timer }
    }

    /// Ends it and says whether it was over. A cancellation that it has asked for and that nobody has looked at yet is taken
    /// back.
    pub fn stop(self) -> Expired {
        // SAFETY: the timer is registered.
        unsafe { disable_timeout(self.timer, false) };
        if !EXPIRED.swap(false, Ordering::SeqCst) {
            return Expired::No;
        }
        // SAFETY: the flag is made to be written here and by signal handlers.
        unsafe { (&raw mut pg_sys::QueryCancelPending).write_volatile(0) };
        Expired::Yes
    }
}

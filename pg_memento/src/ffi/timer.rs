//! A time limit for a piece of work inside of a statement, by the server's own timers.

use std::cell::Cell;
use std::ffi::c_int;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

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

thread_local! {
    /// When the innermost running deadline is over.
    static DUE: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// A running time limit: when it is over, the next look for interrupts raises the error of a cancelled statement. Inside of another
/// one it ends with that at the latest.
pub struct Deadline {
    timer: c_int,
    due: Instant,
    outer: Option<Instant>,
}

impl Deadline {
    /// Starts it.
    pub fn start(milliseconds: i32) -> Self {
        // SAFETY: in a backend whose timers are set up; the handler is static.
        let timer = *TIMER.get_or_init(|| unsafe { RegisterTimeout(USER_TIMEOUT, on_time) });
        let due = Instant::now() + Duration::from_millis(u64::try_from(milliseconds.max(1)).unwrap_or(1));
        let outer = DUE.replace(Some(due));
        if outer.is_none() {
            EXPIRED.store(false, Ordering::SeqCst);
        }
        arm(timer, outer.map_or(due, |outer| outer.min(due)));
        Self { timer, due, outer }
    }

    /// Ends it and says whether it was over. A cancellation that it has asked for and that nobody has looked at yet is taken
    /// back.
    pub fn stop(self) -> Expired {
        // SAFETY: the timer is registered.
        unsafe { disable_timeout(self.timer, false) };
        DUE.set(self.outer);
        let is_over = EXPIRED.swap(false, Ordering::SeqCst);
        if is_over && self.outer.is_some_and(|outer| outer <= self.due) {
            // It was the time of the outer one, which takes it from here.
            EXPIRED.store(true, Ordering::SeqCst);
            return Expired::No;
        }
        if is_over {
            // SAFETY: the flag is made to be written here and by signal handlers.
            unsafe { (&raw mut pg_sys::QueryCancelPending).write_volatile(0) };
        }
        if let Some(outer) = self.outer {
            arm(self.timer, outer);
        }
        if is_over { Expired::Yes } else { Expired::No }
    }
}

fn arm(timer: c_int, due: Instant) {
    let left = due.saturating_duration_since(Instant::now()).as_millis();
    let left = c_int::try_from(left).unwrap_or(c_int::MAX).max(1);
    // SAFETY: the timer is registered; one that runs is set anew.
    unsafe { enable_timeout_after(timer, left) };
}

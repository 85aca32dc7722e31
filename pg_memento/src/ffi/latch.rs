//! Sleeping until somebody has something for us.

use std::os::fd::{AsRawFd, BorrowedFd};
use std::time::Duration;

use pgrx::pg_sys;

/// The latch of some process, in shared memory. Setting that of a process that has gone wakes at worst the one
/// that has its place now, to find nothing to do.
#[derive(Clone, Copy)]
pub struct LatchRef(*mut pg_sys::Latch);

impl LatchRef {
    /// Nobody's.
    pub const NONE: Self = Self(std::ptr::null_mut());

    /// This process's own.
    pub fn mine() -> Self {
        // SAFETY: reads a global of the server.
        Self(unsafe { pg_sys::MyLatch })
    }

    /// Wakes its process, if there is one.
    pub fn set(self) {
        if !self.0.is_null() {
            // SAFETY: latches are in the array of processes, which lives as long as the server.
            unsafe { pg_sys::SetLatch(self.0) }
        }
    }
}

/// Sleeps until the latch is set, the socket is readable, or the time is over; without a time-out, for ever. Ends the
/// process when the postmaster is gone. The latch is reset: look at what there is to do afterwards, not before. Says
/// whether the socket is readable.
pub fn wait(timeout: Option<Duration>, socket: Option<BorrowedFd<'_>>) -> bool {
    let mut events = pg_sys::WL_LATCH_SET | pg_sys::WL_EXIT_ON_PM_DEATH;
    let mut milliseconds = -1;
    if let Some(timeout) = timeout {
        events |= pg_sys::WL_TIMEOUT;
        // Rounded up, so that a rest of less than a millisecond is not a busy loop.
        milliseconds = timeout.as_micros().div_ceil(1000).min(i32::MAX as u128) as i64;
    }
    if socket.is_some() {
        events |= pg_sys::WL_SOCKET_READABLE;
    }
    let socket = socket.map_or(pg_sys::PGINVALID_SOCKET, |socket| socket.as_raw_fd());
    // SAFETY: our own latch, and a socket that is open as long as it is borrowed.
    unsafe {
        let happened = pg_sys::WaitLatchOrSocket(
            pg_sys::MyLatch,
            events as i32,
            socket,
            milliseconds,
            pg_sys::PG_WAIT_EXTENSION,
        );
        pg_sys::ResetLatch(pg_sys::MyLatch);
        happened as u32 & pg_sys::WL_SOCKET_READABLE != 0
    }
}

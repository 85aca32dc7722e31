//! Threads in a process of the server. They never call the server; they ring a bell when they have something.

use std::io;
use std::thread::{Builder, JoinHandle};

/// Starts a thread that gets no signals: the server's handlers belong to the main thread.
pub fn spawn<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    without_signals(|| Builder::new().name(name.to_owned()).spawn(work))
}

/// Does something that may start threads. They inherit the mask of the one that starts them, and threads that they start
/// inherit theirs.
pub fn without_signals<T>(work: impl FnOnce() -> T) -> T {
    let _blocked = Blocked::all();
    work()
}

/// All signals are blocked for this thread while it lives.
struct Blocked(libc::sigset_t);

impl Blocked {
    fn all() -> Self {
        let mut previous = std::mem::MaybeUninit::uninit();
        let mut all = std::mem::MaybeUninit::uninit();
        // SAFETY: both sets are written before they are read.
        unsafe {
            libc::sigfillset(all.as_mut_ptr());
            libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), previous.as_mut_ptr());
            Self(previous.assume_init())
        }
    }
}

impl Drop for Blocked {
    fn drop(&mut self) {
        // SAFETY: the mask that was in force before.
        unsafe {
            libc::pthread_sigmask(libc::SIG_SETMASK, &self.0, std::ptr::null_mut());
        }
    }
}

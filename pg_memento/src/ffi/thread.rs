//! Threads in a process of the server. They never call the server; they ring a bell when they have something.

use std::io;
use std::thread::{Builder, JoinHandle};

/// Starts a thread that gets no signals: the server's handlers belong to the main thread.
pub fn spawn<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    let mut previous = std::mem::MaybeUninit::uninit();
    let mut all = std::mem::MaybeUninit::uninit();
    // SAFETY: both sets are written before they are read. A new thread inherits the mask of the one that starts it,
    // and threads that it starts inherit its own.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), previous.as_mut_ptr());
    }
    let thread = Builder::new().name(name.to_owned()).spawn(work);
    // SAFETY: the mask that was in force before.
    unsafe {
        libc::pthread_sigmask(libc::SIG_SETMASK, previous.as_ptr(), std::ptr::null_mut());
    }
    thread
}

//! The process that holds the local model, once for the server: backends and workers ask it over a socket. It is
//! connected to no database, and is there on a standby too, because searches are.
//!
//! The model runs on a thread that never touches the server. The main thread waits for signals.

use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::slots;
use crate::ffi::{latch, process, thread};
use crate::gucs;

/// Which model to serve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// The directory with the model's files.
    pub directory: String,
    /// The ONNX Runtime library, if one is named.
    pub library: Option<String>,
}

/// Serves a model until the flag is set, or fails and says why: no paths of others, no secrets. Runs on a thread of its own.
pub type Serve = fn(&Model, &AtomicBool) -> Result<(), String>;

/// What serves it. None: there is nothing that could, and the process is not registered.
#[cfg(not(feature = "pg_test"))]
pub const SERVE: Option<Serve> = None;
#[cfg(feature = "pg_test")]
pub const SERVE: Option<Serve> = Some(crate::tests::serve_its_own_name);

/// A model that was served so long was worth starting.
const PROVED: Duration = Duration::from_secs(60);

/// How long a model may take to stop before the process ends without it.
const PATIENCE: Duration = Duration::from_secs(5);

/// The main function of the process.
pub fn run() {
    process::at_exit(slots::model_host::detach);
    process::take_signals_without_statements();
    let failures = slots::model_host::attach();
    process::reload_settings();
    let model = configured();
    if failures > 0 {
        pause(gucs::restart_policy().delay(failures), &model);
    }
    match (SERVE, model) {
        (Some(serve), Some(model)) => host(serve, model),
        _ => wait_for_change(&None),
    }
}

/// The model that the settings name.
fn configured() -> Option<Model> {
    Some(Model { directory: gucs::model_dir()?, library: gucs::onnx_library() })
}

/// Sleeps for so long, or until the settings name another model.
fn pause(delay: Duration, model: &Option<Model>) {
    let end = Instant::now() + delay;
    loop {
        leave_if_asked(model);
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        latch::wait(Some(left), None);
    }
}

fn wait_for_change(model: &Option<Model>) -> ! {
    loop {
        leave_if_asked(model);
        latch::wait(None, None);
    }
}

/// Leaves when the server stops, and when the settings name another model: the library can be loaded once in a process.
fn leave_if_asked(model: &Option<Model>) {
    if process::must_end() {
        process::leave(true);
    }
    if process::reload_settings() && configured() != *model {
        slots::model_host::forgive();
        process::leave(true);
    }
}

/// A model that is being served by a thread.
struct Host {
    thread: JoinHandle<Result<(), String>>,
    stop: Arc<AtomicBool>,
    /// Its other end is closed when the thread ends.
    ended: UnixStream,
}

impl Host {
    fn start(serve: Serve, model: Model) -> io::Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let (ended, alive) = UnixStream::pair()?;
        let flag = Arc::clone(&stop);
        let thread = thread::spawn("memento-model", move || {
            let _alive = alive;
            serve(&model, &flag)
        })?;
        Ok(Self { thread, stop, ended })
    }

    /// Sleeps until a signal comes or the thread has ended, or for so long; says whether the thread has ended.
    fn wait(&mut self, timeout: Option<Duration>) -> bool {
        latch::wait(timeout, Some(self.ended.as_fd())) && matches!(self.ended.read(&mut [0]), Ok(0))
    }
}

/// Serves a model until there is a reason not to.
fn host(serve: Serve, model: Model) -> ! {
    let began = Instant::now();
    let wanted = Some(model.clone());
    let mut host = match Host::start(serve, model) {
        Ok(host) => host,
        Err(error) => fail(&format!("no thread for the model: {}", error.kind())),
    };
    loop {
        if process::must_end() || (process::reload_settings() && configured() != wanted) {
            break;
        }
        if host.wait(None) {
            if began.elapsed() >= PROVED {
                slots::model_host::forgive();
            }
            match host.thread.join() {
                Ok(Ok(())) => fail("it ended by itself"),
                Ok(Err(reason)) => fail(&reason),
                Err(_) => fail("it panicked"),
            }
        }
    }
    slots::model_host::forgive();
    host.stop.store(true, Ordering::Relaxed);
    let end = Instant::now() + PATIENCE;
    while Instant::now() < end && !host.wait(Some(end - Instant::now())) {}
    process::leave(true)
}

fn fail(reason: &str) -> ! {
    let failures = slots::model_host::failed();
    let delay = gucs::restart_policy().delay(failures);
    pgrx::warning!(
        "pg_memento: the local model is not served: {reason}; trying again in {} ms",
        delay.as_millis()
    );
    process::leave(true)
}

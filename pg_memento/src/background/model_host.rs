//! The process that holds the local models, once for the server: backends and workers ask it over a socket. It is
//! connected to no database, and is there on a standby too, because searches are.
//!
//! The model runs on threads that never touch the server. The main thread waits for signals.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use memento_worker::model_socket::{Loader, RerankerLoader, Server, ServerOptions};
use memento_worker::provider::{LocalEmbedder, LocalReranker, LocalSettings, ProviderError};

use super::slots;
use crate::ffi::{latch, process, thread};
use crate::gucs;
use crate::service::models::{self, MODEL_SOCKET};

/// A model that was served so long was worth starting.
const PROVED: Duration = Duration::from_secs(60);

/// The main function of the process.
pub fn run() {
    process::take_signals_without_statements();
    let failures = slots::model_host::failures();
    process::reload_settings();
    let wanted = models::policy().local;
    if failures > 0 {
        pause(gucs::restart_policy().delay(failures), &wanted);
    }
    match serve(&wanted) {
        Ok(server) => stay(server, &wanted),
        Err(error) => fail(&error.message),
    }
}

/// Serves the models that the settings name; none if they name none. Each is loaded when somebody first asks for it.
fn serve(wanted: &LocalSettings) -> Result<Option<Server>, ProviderError> {
    if wanted.model_dir.is_none() && wanted.reranker_dir.is_none() {
        return Ok(None);
    }
    let (settings, of_reranker) = (wanted.clone(), wanted.clone());
    let load: Loader = Box::new(move |profile| Ok(Arc::new(LocalEmbedder::new(profile, &settings)?)));
    let load_reranker: RerankerLoader =
        Box::new(move || Ok(Arc::new(LocalReranker::of_default_length(&of_reranker)?)));
    let options = ServerOptions::default();
    // Its threads, and those of the library, inherit the mask.
    thread::without_signals(|| Server::start(Path::new(MODEL_SOCKET), load, load_reranker, options)).map(Some)
}

/// Waits until there is a reason to leave.
fn stay(server: Option<Server>, wanted: &LocalSettings) -> ! {
    let began = Instant::now();
    let mut server = server;
    loop {
        if began.elapsed() >= PROVED {
            slots::model_host::forgive();
        }
        if must_leave(wanted) {
            // Waits for what is under way.
            drop(server.take());
            process::leave(true);
        }
        latch::wait(None, None);
    }
}

/// Sleeps for so long, or until the settings name another model.
fn pause(delay: Duration, wanted: &LocalSettings) {
    let end = Instant::now() + delay;
    while !must_leave(wanted) {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        latch::wait(Some(left), None);
    }
    process::leave(true)
}

/// When the server stops, and when the settings name another model: the library can be loaded once in a process.
fn must_leave(wanted: &LocalSettings) -> bool {
    let has_changed = process::reload_settings() && models::policy().local != *wanted;
    if has_changed {
        slots::model_host::forgive();
    }
    has_changed || process::must_end()
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

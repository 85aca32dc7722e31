//! A worker on another machine: the same loop as the background worker's, over a connection.
//!
//! Several may run at once, beside the background worker.
#![forbid(unsafe_code)]

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use memento_worker::client::{ClientDatabase, connect, listen};
use memento_worker::command_line::{Options, USAGE};
use memento_worker::database::Database;
use memento_worker::metrics::MetricsServer;
use memento_worker::models::Configured;
use memento_worker::runner::{Runner, Wait};

/// After this many rounds in a row that failed, the delay does not grow any more.
const MOST_DOUBLINGS: u32 = 6;

fn main() -> ExitCode {
    let options = match Options::from_arguments(std::env::args().skip(1), |name| std::env::var(name).ok()) {
        Ok(Some(options)) => options,
        Ok(None) => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        Err(mistake) => {
            eprintln!("memento-worker: {mistake}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match work(options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("memento-worker: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn work(options: Options) -> Result<(), String> {
    let stop = Arc::new(AtomicBool::new(false));
    let (wake, woken) = channel();
    stop_on_signal(&stop, wake.clone())?;
    if !options.once {
        listen(options.database.clone(), wake.clone());
    }
    let ring = {
        let wake = wake.clone();
        // Nobody waits any more when the process is about to end.
        move || {
            let _ = wake.send(());
        }
    };
    let mut database = ClientDatabase::new(options.database, connect);
    let models = Box::new(Configured::new(options.policy));
    let mut runner = Runner::new(options.settings, models, spawn, ring);
    let _metrics = options
        .metrics_port
        .map(|port| {
            let wake = move || {
                let _ = wake.send(());
            };
            MetricsServer::start(options.metrics_address, port, runner.metrics(), spawn, wake)
        })
        .transpose()
        .map_err(|error| format!("metrics cannot be served: {error}"))?;
    let outcome = run(&mut runner, &mut database, &woken, &stop, options.once);
    runner
        .end(&mut database)
        .map_err(|error| format!("the jobs under way could not be given back: {error}"))?;
    outcome
}

fn run(
    runner: &mut Runner,
    database: &mut dyn Database,
    woken: &Receiver<()>,
    stop: &AtomicBool,
    once: bool,
) -> Result<(), String> {
    runner.begin(database).map_err(|error| format!("the database cannot be used: {error}"))?;
    let mut failures = 0;
    while !stop.load(Ordering::Relaxed) {
        let wait = match runner.round(database) {
            Ok(wait) => {
                failures = 0;
                wait
            }
            Err(error) if once => return Err(error.to_string()),
            Err(error) => {
                failures = (failures + 1).min(MOST_DOUBLINGS);
                eprintln!("memento-worker: {error}; trying again");
                Wait::AtMost(Duration::from_millis(500) * 2_u32.pow(failures))
            }
        };
        if once && wait != Wait::Not && runner.tally().in_flight == 0 {
            return Ok(());
        }
        sleep(wait, woken);
    }
    Ok(())
}

fn sleep(wait: Wait, woken: &Receiver<()>) {
    if let Wait::AtMost(longest) = wait {
        // The heartbeat and the maintenance are due long before.
        let longest = longest.min(Duration::from_secs(3600));
        if woken.recv_timeout(longest) == Err(RecvTimeoutError::Timeout) {
            return;
        }
    }
    // One round answers any number of calls.
    while woken.try_recv().is_ok() {}
}

fn spawn(work: Box<dyn FnOnce() + Send>) -> std::io::Result<()> {
    std::thread::Builder::new().name("model call".into()).spawn(work).map(drop)
}

fn stop_on_signal(stop: &Arc<AtomicBool>, wake: Sender<()>) -> Result<(), String> {
    let stop = Arc::clone(stop);
    ctrlc::set_handler(move || {
        stop.store(true, Ordering::Relaxed);
        let _ = wake.send(());
    })
    .map_err(|error| format!("signals cannot be handled: {error}"))
}

//! The process that starts workers: one for each database that has the extension, one after the other, and again when
//! they have died. It is connected to no database and sleeps until something changes.

use std::collections::{HashSet, VecDeque};
use std::time::{Duration, Instant};

use pgrx::pg_sys::Oid;

use super::slots::{self, Place};
use crate::ffi::database::{self, Database};
use crate::ffi::latch;
use crate::ffi::process::{self, Started};
use crate::ffi::transaction::in_transaction;
use crate::gucs;

/// How long the next database waits for a worker that does not say that it is there.
const PATIENCE: Duration = Duration::from_secs(10);

/// When to try again if all places for background processes are taken, or the list of databases cannot be read.
const SLOW_RETRY: Duration = Duration::from_secs(15);

/// SQLSTATE for a limit of the configuration, and for a process that could not be made.
const LIMIT_EXCEEDED: &[u8; 5] = b"53400";
const NO_PROCESS: &[u8; 5] = b"58000";

/// The main function of the process.
pub fn run() {
    process::at_exit(slots::launcher::detach);
    process::take_signals();
    process::connect(None);
    slots::launcher::attach();
    let mut launcher = Launcher::default();
    loop {
        if process::must_end() {
            // Not for good: the postmaster starts another one, unless the server stops.
            process::leave(true);
        }
        process::serve_others();
        // The first time too: `take_signals` asks for it.
        if process::reload_settings() {
            launcher.know_nothing();
        }
        let timeout = launcher.step();
        latch::wait(timeout, None);
    }
}

/// A worker that the postmaster was asked for.
struct Starting {
    place: Place,
    process: Started,
    since: Instant,
}

#[derive(Default)]
struct Launcher {
    must_scan: bool,
    /// Databases that were looked at, or are in `unseen`.
    known: HashSet<Oid>,
    /// Databases that may have the extension.
    unseen: VecDeque<Oid>,
    starting: Vec<Starting>,
    /// What was complained about already.
    complained_of_slots: bool,
    complained_of_processes: bool,
}

impl Launcher {
    /// Every database is to be looked at.
    fn know_nothing(&mut self) {
        self.known.clear();
        self.unseen.clear();
        self.must_scan = true;
        (self.complained_of_slots, self.complained_of_processes) = (false, false);
    }

    /// Does what is due; says how long to sleep at most.
    fn step(&mut self) -> Option<Duration> {
        self.must_scan |= slots::launcher::take_rescan();
        if slots::launcher::take_overflow() {
            self.complain_of_slots();
        }
        if !gucs::worker() {
            return None;
        }
        if self.must_scan && !self.scan() {
            return Some(SLOW_RETRY);
        }
        loop {
            self.see_who_has_started();
            if let Some(patience) = self.patience_left() {
                return Some(patience);
            }
            match slots::launcher::next_due() {
                Ok(database) => {
                    if !self.start(database) {
                        return Some(SLOW_RETRY);
                    }
                }
                Err(next) => {
                    if !self.add_unseen() {
                        return next.map(until);
                    }
                }
            }
        }
    }

    /// Compares the list of databases with what is known; false if it could not be read.
    fn scan(&mut self) -> bool {
        let Some(databases) = read_databases() else { return false };
        self.must_scan = false;
        let existing: Vec<Oid> = databases.iter().map(|database| database.oid).collect();
        let served: Vec<Oid> = databases.iter().filter(|d| is_served(d)).map(|d| d.oid).collect();
        slots::launcher::keep_only(&existing);
        slots::launcher::unblock(&served);
        self.known.retain(|database| served.contains(database));
        self.unseen.retain(|database| served.contains(database));
        for database in served {
            if self.known.insert(database) && !slots::launcher::has_slot(database) {
                self.unseen.push_back(database);
            }
        }
        true
    }

    fn see_who_has_started(&mut self) {
        self.starting.retain(|starting| {
            if starting.process.has_ended() {
                // Does nothing if it has been there.
                slots::launcher::start_failed(starting.place, NO_PROCESS, SLOW_RETRY);
                return false;
            }
            slots::launcher::is_starting(starting.place)
        });
    }

    /// How long to wait for a worker that is starting before the next one is started.
    fn patience_left(&self) -> Option<Duration> {
        let latest = self.starting.iter().map(|starting| starting.since).max()?;
        PATIENCE.checked_sub(latest.elapsed()).filter(|left| !left.is_zero())
    }

    /// Gives a slot to the next database that nobody has looked at; false if there is none, or no slot.
    fn add_unseen(&mut self) -> bool {
        let Some(database) = self.unseen.pop_front() else { return false };
        let added = slots::launcher::has_slot(database) || slots::launcher::add(database);
        if !added {
            // Kept for when one becomes free.
            self.unseen.push_front(database);
            self.complain_of_slots();
        }
        added
    }

    /// Starts the worker of a database that has a slot and waits; false if nothing can be started now.
    fn start(&mut self, database: Oid) -> bool {
        let Some(databases) = read_databases() else { return false };
        match databases.iter().find(|candidate| candidate.oid == database) {
            Some(found) if is_served(found) => {}
            Some(found) if !found.is_template => {
                slots::launcher::block(database);
                return true;
            }
            _ => {
                slots::launcher::forget(database);
                return true;
            }
        }
        let Some(place) = slots::launcher::begin_start(database) else { return true };
        match process::start_worker(place.packed()) {
            Some(process) => {
                self.complained_of_processes = false;
                self.starting.push(Starting { place, process, since: Instant::now() });
            }
            None => {
                slots::launcher::start_failed(place, LIMIT_EXCEEDED, SLOW_RETRY);
                self.complain_of_processes();
            }
        }
        true
    }

    fn complain_of_slots(&mut self) {
        if !std::mem::replace(&mut self.complained_of_slots, true) {
            pgrx::warning!(
                "pg_memento: more databases need a worker than memento.max_databases ({}); raise it and restart the server",
                gucs::max_databases()
            );
        }
    }

    fn complain_of_processes(&mut self) {
        if !std::mem::replace(&mut self.complained_of_processes, true) {
            pgrx::warning!(
                "pg_memento: no place for a background worker; raise max_worker_processes and restart the server"
            );
        }
    }
}

fn is_served(database: &Database) -> bool {
    !database.is_template && database.takes_connections
}

fn read_databases() -> Option<Vec<Database>> {
    match in_transaction(|| Ok(database::list())) {
        Ok(databases) => Some(databases),
        Err(caught) => {
            pgrx::warning!("pg_memento launcher: {caught}");
            None
        }
    }
}

/// The time until then.
fn until(time: i64) -> Duration {
    Duration::from_micros(time.saturating_sub(process::now()).max(0) as u64)
}

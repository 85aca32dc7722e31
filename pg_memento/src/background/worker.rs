//! The process that works for one database.

use std::cell::Cell;
use std::time::{Duration, Instant};

use super::index_builder;
use super::queue::Queue;
use super::slots::{self, Exit, Place};
use super::task::{DatabaseTask, Wait};
use crate::ffi::transaction::{Caught, flush_statistics, in_transaction, override_setting, report_activity};
use crate::ffi::{database, latch, process, release};
use crate::gucs;

/// What the exit callback must know.
#[derive(Clone, Copy)]
struct Life {
    place: Place,
    began: Instant,
    /// None until the process has decided to end.
    exit: Option<Exit>,
}

thread_local! {
    static LIFE: Cell<Option<Life>> = const { Cell::new(None) };
}

/// The main function of the process.
pub fn run(argument: i64) {
    let place = Place::unpacked(argument);
    // Another one was started in the meantime, or the launcher did not wait for this one.
    let Some(database) = slots::worker::attach(place) else { process::leave(false) };
    LIFE.set(Some(Life { place, began: Instant::now(), exit: None }));
    process::at_exit(on_exit);
    process::take_signals();
    if slots::worker::must_stop(place) {
        leave(Exit::Asked);
    }
    process::connect(Some(database));
    set_up_session();
    match Queue::new() {
        Ok(task) => Worker { place, task, has_begun: false, errors: 0 }.run(),
        // No descriptors are left: the launcher tries again later.
        Err(_) => process::leave(false),
    }
}

/// What the statements rely on, whatever the database or the role says.
pub fn set_up_session() {
    override_setting(c"search_path", "pg_catalog, pg_temp");
    override_setting(c"application_name", "pg_memento worker");
    override_setting(c"default_transaction_isolation", "read committed");
    override_setting(c"role", "none");
    // The end of a transaction that takes its time would be the end of the process.
    if let Some(setting) = release::TRANSACTION_TIMEOUT {
        override_setting(setting, "0");
    }
    // Of two who wait for each other the one that looks first gives way: not the user's command.
    override_setting(c"deadlock_timeout", "100ms");
}

fn on_exit() {
    // One that leaves in order has waited for it.
    index_builder::terminate();
    if let Some(life) = LIFE.take() {
        let otherwise = if process::must_end() { Exit::Asked } else { Exit::Failed };
        let exit = life.exit.unwrap_or(otherwise);
        slots::worker::detach(life.place, exit, life.began.elapsed(), &gucs::restart_policy());
    }
}

fn leave(exit: Exit) -> ! {
    LIFE.set(LIFE.get().map(|life| Life { exit: Some(exit), ..life }));
    process::leave(false)
}

/// How long to sleep, and from when on new work ends the sleep.
struct Sleep {
    until: Option<Instant>,
    deaf_until: Instant,
}

struct Worker<T: DatabaseTask> {
    place: Place,
    task: T,
    has_begun: bool,
    /// How many rounds in a row have failed.
    errors: u32,
}

impl<T: DatabaseTask> Worker<T> {
    fn run(&mut self) -> ! {
        loop {
            self.leave_if_asked();
            process::serve_others();
            if process::reload_settings() {
                if !gucs::worker() {
                    self.leave_in_order(Exit::Asked);
                }
                self.task.reload();
            }
            let sleep = self.round();
            self.sleep(&sleep);
        }
    }

    fn leave_if_asked(&mut self) {
        if process::must_end() || slots::worker::must_stop(self.place) {
            self.leave_in_order(Exit::Asked);
        }
    }

    /// Makes room for the worker of another database.
    fn rest_if_asked(&mut self, sleep: &Sleep) {
        if !slots::worker::must_rest(self.place) || !self.task.is_at_rest() {
            return;
        }
        let until = sleep.until.map(|until| slots::after(until.saturating_duration_since(Instant::now())));
        // After an error new work must not bring it back at once.
        self.leave_in_order(if self.errors == 0 {
            Exit::Rested(until.unwrap_or(slots::NEVER))
        } else {
            Exit::Failed
        })
    }

    fn leave_in_order(&mut self, exit: Exit) -> ! {
        if self.has_begun {
            process::put_off_ending();
            if let Err(caught) = self.task.end() {
                pgrx::warning!("pg_memento worker: {caught}, while ending");
            }
        }
        leave(exit)
    }

    /// One round of work, if the extension is still there.
    fn round(&mut self) -> Sleep {
        report_activity(Some(c"memento: looking for work"));
        // First: if the extension is made now, that is announced once more, and somebody looks again.
        slots::worker::take_wake(self.place);
        let outcome = match in_transaction(|| Ok(database::lock_extension(c"pg_memento"))) {
            Ok(true) => {
                slots::worker::begin_round(self.place);
                self.work()
            }
            Ok(false) => leave(Exit::NotNeeded),
            Err(caught) => {
                self.task.make_way();
                Err(caught)
            }
        };
        report_activity(None);
        flush_statistics(true);
        slots::worker::end_round(self.place, outcome.as_ref().err().map(|caught| caught.sqlstate));
        let now = Instant::now();
        match outcome {
            Ok(wait) => {
                self.errors = 0;
                let until = match wait {
                    Wait::UntilWoken => None,
                    Wait::Until(time) => Some(time),
                };
                Sleep { until, deaf_until: now }
            }
            Err(caught) => {
                let delay = self.after_error(&caught);
                Sleep { until: Some(now + delay), deaf_until: now + delay }
            }
        }
    }

    fn work(&mut self) -> Result<Wait, Caught> {
        if !self.has_begun {
            self.task.begin()?;
            self.has_begun = true;
        }
        self.task.run_once()
    }

    /// Says what went wrong, and how long to wait. New work does not shorten it: it would fail in the same way.
    fn after_error(&mut self, caught: &Caught) -> Duration {
        self.errors = self.errors.saturating_add(1);
        let delay = gucs::restart_policy().delay(self.errors);
        pgrx::warning!("pg_memento worker: {caught}; trying again in {} ms", delay.as_millis());
        delay
    }

    /// Sleeps until there is something to do. Without a time it costs nothing.
    fn sleep(&mut self, sleep: &Sleep) {
        loop {
            self.leave_if_asked();
            self.rest_if_asked(sleep);
            process::serve_others();
            let now = Instant::now();
            let listens = sleep.deaf_until <= now;
            let is_over = sleep.until.is_some_and(|until| until <= now);
            let is_called = self.task.has_news() || slots::worker::is_woken(self.place);
            if is_over || process::settings_changed() || (listens && is_called) {
                return;
            }
            let bell = if listens { self.task.bell() } else { None };
            if latch::wait(sleep.until.map(|until| until - now), bell) {
                return;
            }
        }
    }
}

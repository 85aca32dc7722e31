//! Who works for which database: a table in shared memory that the launcher, the workers and all backends see.
//!
//! A slot belongs to one database. `generation` tells the process that was started for it last from one that comes late.

pub mod backend;
pub mod index_builder;
pub mod launcher;
pub mod model_host;
pub mod worker;

use std::time::Duration;

use pgrx::pg_sys::Oid;

use crate::ffi::latch::LatchRef;
use crate::ffi::process::now;
use crate::ffi::shmem::{Locked, SharedTable};

/// What a database's worker is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// The slot is nobody's.
    Free,
    /// The launcher is to start it when `next_start` has come.
    Waiting,
    /// The same, but new work starts it at once: its process has left to make room for others.
    Resting,
    /// The postmaster was asked for it.
    Starting,
    Idle,
    Busy,
    /// It was asked to leave.
    Stopping,
    /// It must not be started: a command needs the database for itself, or it takes no connections.
    Blocked,
}

impl State {
    /// The word that SQL shows.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Waiting => "waiting",
            Self::Resting => "resting",
            Self::Starting => "starting",
            Self::Idle => "idle",
            Self::Busy => "busy",
            Self::Stopping => "stopping",
            Self::Blocked => "blocked",
        }
    }
}

/// Later than any time.
pub const NEVER: i64 = i64::MAX;

/// No error so far.
const NO_ERROR: [u8; 5] = [0; 5];

/// There is no place for a process; a process could not be made. Both are over when there is one.
const LIMIT_EXCEEDED: [u8; 5] = *b"53400";
const NO_PROCESS: [u8; 5] = *b"58000";

/// A database and its worker.
#[derive(Clone, Copy)]
pub struct Slot {
    pub database: Oid,
    pub state: State,
    /// When it came into this state; times are those of `ffi::process::now`.
    pub since: i64,
    pub generation: u32,
    /// Zero while there is no process.
    pub pid: i32,
    latch: LatchRef,
    /// There may be new work.
    woken: bool,
    /// It is to leave.
    stop: bool,
    /// It is to leave when it has nothing in hand, because others wait for its place.
    rest: bool,
    /// There was no place for its process.
    refused: bool,
    /// How many commands need the database for themselves.
    holds: u32,
    /// How often its process ended and another one was to follow.
    pub restarts: i64,
    /// How often in a row it died before it had proved itself.
    failures: u32,
    /// How often a commit announced work.
    pub wakes: i64,
    /// Rounds that came to their end.
    pub rounds: i64,
    /// When its process began.
    began: i64,
    /// When it is to be started; `NEVER` if only new work starts it.
    pub next_start: i64,
    pub last_error: [u8; 5],
    /// What came of the index that was built for it last: see `index_builder`.
    index_outcome: [u8; 5],
    /// The process that builds one; 0 if there is none.
    index_builder: i32,
}

impl Slot {
    const EMPTY: Self = Self {
        database: Oid::INVALID,
        state: State::Free,
        since: 0,
        generation: 0,
        pid: 0,
        latch: LatchRef::NONE,
        woken: false,
        stop: false,
        rest: false,
        refused: false,
        holds: 0,
        restarts: 0,
        failures: 0,
        wakes: 0,
        rounds: 0,
        began: 0,
        next_start: 0,
        last_error: NO_ERROR,
        index_outcome: NO_ERROR,
        index_builder: 0,
    };

    fn enter(&mut self, state: State) {
        if self.state != state {
            self.state = state;
            self.since = now();
        }
    }

    fn free(&mut self) {
        // The generation goes on, so that a process of the database that was here before finds itself late.
        *self = Self { generation: self.generation, ..Self::EMPTY };
    }

    /// Whether its process takes work.
    pub fn is_running(&self) -> bool {
        matches!(self.state, State::Idle | State::Busy)
    }

    /// Whether it is to be started at `next_start`.
    pub fn is_startable(&self) -> bool {
        matches!(self.state, State::Waiting | State::Resting)
    }

    /// When it is to be started, if that is known.
    pub fn start_time(&self) -> Option<i64> {
        (self.is_startable() && self.next_start != NEVER).then_some(self.next_start)
    }

    /// Whether it has no process because there was no place for one.
    pub fn is_refused(&self) -> bool {
        self.is_startable() && self.refused
    }

    /// The SQLSTATE of its last error.
    pub fn error_code(&self) -> Option<String> {
        (self.last_error != NO_ERROR).then(|| String::from_utf8_lossy(&self.last_error).into_owned())
    }
}

/// What there is once in a server.
#[derive(Clone, Copy)]
pub struct Header {
    launcher: LatchRef,
    launcher_pid: i32,
    /// Databases have come, gone or changed.
    rescan: bool,
    /// Work came for a database when all slots were taken.
    overflow: bool,
    model_host_failures: u32,
}

static TABLE: SharedTable<Header, Slot> = SharedTable::new(
    c"pg_memento",
    Header {
        launcher: LatchRef::NONE,
        launcher_pid: 0,
        rescan: false,
        overflow: false,
        model_host_failures: 0,
    },
    Slot::EMPTY,
);

type Table<'a> = Locked<'a, Header, Slot>;

/// Asks for the memory, for so many databases.
pub fn install(databases: usize) {
    TABLE.install(databases);
}

fn with<T>(work: impl FnOnce(&mut Table) -> T) -> Option<T> {
    TABLE.lock().map(|mut table| work(&mut table))
}

fn position(table: &Table, database: Oid) -> Option<usize> {
    table.iter().position(|slot| slot.state != State::Free && slot.database == database)
}

/// A process's place in the table.
#[derive(Clone, Copy)]
pub struct Place {
    index: usize,
    generation: u32,
}

impl Place {
    /// As one number, to give to a new process.
    pub fn packed(self) -> i64 {
        ((self.index as i64) << 32) | i64::from(self.generation)
    }

    /// The reverse.
    pub fn unpacked(packed: i64) -> Self {
        Self { index: (packed >> 32) as usize, generation: packed as u32 }
    }

    fn of<'a>(self, table: &'a mut Table) -> Option<&'a mut Slot> {
        table
            .get_mut(self.index)
            .filter(|slot| slot.state != State::Free && slot.generation == self.generation)
    }
}

/// A time from now.
pub fn after(delay: Duration) -> i64 {
    now().saturating_add(delay.as_micros() as i64)
}

/// How a worker ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// By an error.
    Failed,
    /// It was asked to: by a command, by an administrator, by a setting.
    Asked,
    /// There is no extension in the database.
    NotNeeded,
    /// To make room for others, until that time or until there is work.
    Rested(i64),
}

//! Background processes: their registration, their entry points, and what they must do to live in a server.

use std::ffi::{CStr, c_char};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use pgrx::pg_sys::{self, Oid};
use pgrx::prelude::*;

use super::release::handle_signal;

/// The name of the library, as the server finds it.
const LIBRARY: &CStr = c"pg_memento";

/// What each kind of process does.
pub struct Mains {
    /// Starts workers.
    pub launcher: fn(),
    /// Works for one database; gets the argument that it was started with.
    pub worker: fn(i64),
    /// Serves the local model.
    pub model_host: fn(),
    /// Builds an index; gets the argument and the bytes that it was started with.
    pub index_builder: fn(i64, Extra),
}

/// What a process is told beside its argument.
pub type Extra = [u8; 16];

static MAINS: OnceLock<Mains> = OnceLock::new();

/// Names the functions that the processes run; from _PG_init, before any of them is registered.
pub fn install(mains: Mains) {
    let _ = MAINS.set(mains);
}

#[pg_guard]
#[unsafe(no_mangle)]
extern "C-unwind" fn pg_memento_launcher_main(_argument: pg_sys::Datum) {
    if let Some(mains) = MAINS.get() {
        (mains.launcher)();
    }
}

#[pg_guard]
#[unsafe(no_mangle)]
extern "C-unwind" fn pg_memento_worker_main(argument: pg_sys::Datum) {
    if let Some(mains) = MAINS.get() {
        (mains.worker)(argument.value() as i64);
    }
}

#[pg_guard]
#[unsafe(no_mangle)]
extern "C-unwind" fn pg_memento_model_host_main(_argument: pg_sys::Datum) {
    if let Some(mains) = MAINS.get() {
        (mains.model_host)();
    }
}

#[pg_guard]
#[unsafe(no_mangle)]
extern "C-unwind" fn pg_memento_index_builder_main(argument: pg_sys::Datum) {
    if let Some(mains) = MAINS.get() {
        // SAFETY: the server's description of this process, which lives as long as it; only bytes are read.
        let extra = unsafe { (*pg_sys::MyBgworkerEntry).bgw_extra };
        (mains.index_builder)(argument.value() as i64, std::array::from_fn(|place| extra[place] as u8));
    }
}

fn describe(name: &CStr, main: &CStr, needs_database: bool) -> pg_sys::BackgroundWorker {
    let mut process =
        pg_sys::BackgroundWorker { bgw_restart_time: pg_sys::BGW_NEVER_RESTART, ..Default::default() };
    copy(&mut process.bgw_name, name);
    copy(&mut process.bgw_type, name);
    copy(&mut process.bgw_library_name, LIBRARY);
    copy(&mut process.bgw_function_name, main);
    process.bgw_flags = pg_sys::BGWORKER_SHMEM_ACCESS as i32;
    if needs_database {
        process.bgw_flags |= pg_sys::BGWORKER_BACKEND_DATABASE_CONNECTION as i32;
    }
    process
}

/// Copies a name that fits; the rest stays zero.
fn copy(target: &mut [c_char], source: &CStr) {
    for (to, from) in target.iter_mut().zip(source.to_bytes_with_nul()) {
        *to = *from as c_char;
    }
}

/// Registers the launcher: on a primary, or once a standby is promoted.
pub fn register_launcher(restart: Duration) {
    let mut process = describe(c"pg_memento launcher", c"pg_memento_launcher_main", true);
    process.bgw_start_time = pg_sys::BgWorkerStartTime::BgWorkerStart_RecoveryFinished;
    register(process, restart);
}

/// Registers the process of the local model: also on a standby, where searches run too.
pub fn register_model_host(restart: Duration) {
    let mut process = describe(c"pg_memento model host", c"pg_memento_model_host_main", false);
    process.bgw_start_time = pg_sys::BgWorkerStartTime::BgWorkerStart_ConsistentState;
    register(process, restart);
}

fn register(mut process: pg_sys::BackgroundWorker, restart: Duration) {
    process.bgw_restart_time = restart.as_secs() as i32;
    // SAFETY: called while the library is preloaded; the server copies the description.
    unsafe { pg_sys::RegisterBackgroundWorker(&mut process) }
}

/// A process that was asked for.
pub struct Started(*mut pg_sys::BackgroundWorkerHandle);

/// Asks the postmaster for a worker, with an argument for it. None if all places for processes are taken. This process
/// is woken when it starts and when it ends.
pub fn start_worker(argument: i64) -> Option<Started> {
    start(describe(c"pg_memento worker", c"pg_memento_worker_main", true), argument)
}

/// The same for a process that builds an index.
pub fn start_index_builder(argument: i64, extra: Extra) -> Option<Started> {
    let mut process = describe(c"pg_memento index builder", c"pg_memento_index_builder_main", true);
    for (to, from) in process.bgw_extra.iter_mut().zip(extra) {
        *to = from as c_char;
    }
    start(process, argument)
}

fn start(mut process: pg_sys::BackgroundWorker, argument: i64) -> Option<Started> {
    process.bgw_start_time = pg_sys::BgWorkerStartTime::BgWorkerStart_RecoveryFinished;
    process.bgw_main_arg = pg_sys::Datum::from(argument);
    let mut handle = std::ptr::null_mut();
    // SAFETY: the server copies the description; the handle outlives every transaction.
    unsafe {
        process.bgw_notify_pid = pg_sys::MyProcPid;
        let outer = pg_sys::MemoryContextSwitchTo(pg_sys::TopMemoryContext);
        let registered = pg_sys::RegisterDynamicBackgroundWorker(&mut process, &mut handle);
        pg_sys::MemoryContextSwitchTo(outer);
        registered.then(|| Started(handle))
    }
}

impl Started {
    /// Whether it has ended, or will never start.
    pub fn has_ended(&self) -> bool {
        let mut pid = 0;
        // SAFETY: the handle is the one that the server gave us.
        let status = unsafe { pg_sys::GetBackgroundWorkerPid(self.0, &mut pid) };
        status == pg_sys::BgwHandleStatus::BGWH_STOPPED
    }

    /// Asks it to end, or not to begin.
    pub fn terminate(&self) {
        // SAFETY: as above.
        unsafe { pg_sys::TerminateBackgroundWorker(self.0) }
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        // SAFETY: allocated by the server for us, and not used afterwards.
        unsafe { pg_sys::pfree(self.0.cast()) }
    }
}

// The server's own handlers.
unsafe extern "C-unwind" {
    fn die(signal: i32);
    fn SignalHandlerForShutdownRequest(signal: i32);
    fn SignalHandlerForConfigReload(signal: i32);
}

/// The server forgets SIGTERM when it acts on it; who wants to know why the process ends asks here.
static TOLD_TO_END: AtomicBool = AtomicBool::new(false);

unsafe extern "C-unwind" fn note_and_die(signal: i32) {
    TOLD_TO_END.store(true, Ordering::Relaxed);
    // SAFETY: the server's handler, in the place where the server would call it.
    unsafe { die(signal) }
}

/// Takes signals, for a process that runs statements: one that is running is ended by SIGTERM.
pub fn take_signals() {
    handle_signal(pg_sys::SIGTERM, note_and_die);
    unblock_signals();
}

/// Takes signals, for a process that runs no statements.
pub fn take_signals_without_statements() {
    handle_signal(pg_sys::SIGTERM, SignalHandlerForShutdownRequest);
    unblock_signals();
}

fn unblock_signals() {
    handle_signal(pg_sys::SIGHUP, SignalHandlerForConfigReload);
    // SAFETY: in a background process whose handlers are in place.
    unsafe {
        pg_sys::BackgroundWorkerUnblockSignals();
        // The settings were inherited from the postmaster, and a signal that came since then was lost.
        (&raw mut pg_sys::ConfigReloadPending).write_volatile(1);
    }
}

/// Lets a process that has been told to end run its last statements. Told again, it ends in the middle of them.
pub fn put_off_ending() {
    TOLD_TO_END.store(true, Ordering::Relaxed);
    // SAFETY: a flag that the handler sets; the process ends all the same.
    unsafe {
        (&raw mut pg_sys::ProcDiePending).write_volatile(0);
    }
}

/// Whether SIGTERM has come, or the process is about to end anyway.
pub fn must_end() -> bool {
    // SAFETY: a flag that the handler sets.
    TOLD_TO_END.load(Ordering::Relaxed)
        || unsafe { (&raw const pg_sys::ShutdownRequestPending).read_volatile() != 0 }
}

/// Whether SIGHUP has come since the configuration was read.
pub fn settings_changed() -> bool {
    // SAFETY: a flag that the handler sets.
    unsafe { (&raw const pg_sys::ConfigReloadPending).read_volatile() != 0 }
}

/// Reads the configuration again if SIGHUP has come; says whether.
pub fn reload_settings() -> bool {
    if !settings_changed() {
        return false;
    }
    // SAFETY: a flag that the handler sets; outside of a transaction, where the server reloads too.
    unsafe {
        (&raw mut pg_sys::ConfigReloadPending).write_volatile(0);
        pg_sys::ProcessConfigFile(pg_sys::GucContext::PGC_SIGHUP);
        true
    }
}

/// Does what other processes wait for (closing the files of a dropped database, for one). To be called after every
/// wait, outside of a transaction and not when the process is about to end.
pub fn serve_others() {
    // SAFETY: there is no statement that a cancellation could be meant for, and an error would end the process.
    unsafe { (&raw mut pg_sys::QueryCancelPending).write_volatile(0) }
    pgrx::check_for_interrupts!();
}

/// Connects to a database as the bootstrap superuser, or to none, for the shared catalogues only. Ends the process if it
/// cannot.
pub fn connect(database: Option<Oid>) {
    // SAFETY: once, in a background process that was registered for this.
    unsafe {
        match database {
            Some(oid) => pg_sys::BackgroundWorkerInitializeConnectionByOid(oid, Oid::INVALID, 0),
            None => pg_sys::BackgroundWorkerInitializeConnection(std::ptr::null(), std::ptr::null(), 0),
        }
    }
}

static EXIT_CALLBACK: OnceLock<fn()> = OnceLock::new();

/// Calls a function when this process ends, however it ends. Called before `connect`, it runs when the process is no
/// longer counted as connected.
pub fn at_exit(callback: fn()) {
    if EXIT_CALLBACK.set(callback).is_ok() {
        // SAFETY: the function needs no argument, and takes the place that the server has for it.
        unsafe { pg_sys::on_shmem_exit(Some(on_exit), pg_sys::Datum::from(0)) }
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn on_exit(_code: i32, _argument: pg_sys::Datum) {
    if let Some(callback) = EXIT_CALLBACK.get() {
        callback();
    }
}

/// Ends the process. With `restart`, the postmaster starts it again if it was registered to be.
pub fn leave(restart: bool) -> ! {
    // SAFETY: runs the exit callbacks and does not come back, which the bindings of some releases do not say.
    #[allow(unreachable_code)]
    unsafe {
        pg_sys::proc_exit(i32::from(restart));
        std::process::abort()
    }
}

/// The id of this process.
pub fn my_pid() -> i32 {
    // SAFETY: reads a global of the server.
    unsafe { pg_sys::MyProcPid }
}

/// Asks a process of this server to end.
pub fn terminate(pid: i32) {
    // SAFETY: sends a signal; a process that has gone is an error that does not matter.
    unsafe {
        libc::kill(pid, libc::SIGTERM);
    }
}

/// The time, as the server counts it: microseconds after 2000-01-01.
pub fn now() -> i64 {
    // SAFETY: reads the clock.
    unsafe { pg_sys::GetCurrentTimestamp() }
}

//! Facts about the running server.

use std::ffi::CStr;

use pgrx::pg_sys;

/// Whether pg_upgrade started this server.
pub fn in_binary_upgrade() -> bool {
    // SAFETY: a global of the server, written once at start.
    unsafe { pg_sys::IsBinaryUpgrade }
}

/// Whether the library is being loaded by shared_preload_libraries.
pub fn preloading() -> bool {
    // SAFETY: a global of the server, read in the main thread.
    unsafe { pg_sys::process_shared_preload_libraries_in_progress }
}

/// Whether the server is a standby, or still recovering.
pub fn in_recovery() -> bool {
    // SAFETY: reads the state of the server in shared memory.
    unsafe { pg_sys::RecoveryInProgress() }
}

/// Makes unknown settings with this prefix an error.
pub fn reserve_setting_prefix(prefix: &'static CStr) {
    // SAFETY: the string is static and the server copies it.
    unsafe { pg_sys::MarkGUCPrefixReserved(prefix.as_ptr()) }
}

/// The day that the transaction began on, where the session is: as days after 1970-01-01.
pub fn current_day() -> i64 {
    const DAYS_FROM_1970_TO_2000: i64 = 10_957;
    // SAFETY: reads the time of the transaction and the session's time zone; inside of a transaction, as all functions are.
    i64::from(unsafe { pg_sys::GetSQLCurrentDate() }) + DAYS_FROM_1970_TO_2000
}

/// Ends the statement if the user has cancelled it or it has timed out. To be called in every long loop.
pub fn check_for_interrupts() {
    pgrx::check_for_interrupts!();
}

/// Keeps backtraces out of the server's errors: with these in its environment, pgrx puts one into the DETAIL of each, where
/// our code is. Before any thread is started, and before the first error is made.
pub fn forget_backtrace_settings() {
    for name in ["RUST_BACKTRACE", "RUST_LIB_BACKTRACE"] {
        // SAFETY: called when the library is loaded, by the only thread of the process.
        unsafe { std::env::remove_var(name) }
    }
}

/// Whether the transaction sees the database as it was when it began, whatever others commit.
pub fn has_fixed_snapshot() -> bool {
    // SAFETY: reads a global of the server.
    unsafe { pg_sys::XactIsoLevel >= pg_sys::XACT_REPEATABLE_READ as i32 }
}

/// Whether this transaction can write, here and now: not on a standby, not read-only, and not while a parallel query runs.
pub fn can_write() -> bool {
    // SAFETY: reads the state of the transaction and of the server.
    unsafe { !pg_sys::XactReadOnly && !pg_sys::RecoveryInProgress() && !pg_sys::IsInParallelMode() }
}

/// The time by the clock, in microseconds since 1970.
pub fn unix_micros() -> u64 {
    const FROM_1970_TO_2000: i64 = 10_957 * 86_400 * 1_000_000;
    // SAFETY: reads the clock.
    let since_2000 = unsafe { pg_sys::GetCurrentTimestamp() };
    u64::try_from(since_2000 + FROM_1970_TO_2000).unwrap_or(0)
}

/// Random bytes that nobody can guess.
pub fn random_bytes() -> [u8; 16] {
    let mut bytes = [0_u8; 16];
    // SAFETY: writes as many bytes as it is told to.
    let is_random = unsafe { pg_sys::pg_strong_random(bytes.as_mut_ptr().cast(), bytes.len()) };
    if is_random { bytes } else { pgrx::error!("the server has no random numbers") }
}

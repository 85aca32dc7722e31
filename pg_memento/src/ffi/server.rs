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

/// Whether the transaction can write: not on a standby, nor where it was made read-only.
pub fn can_write() -> bool {
    // SAFETY: reads a global of the server.
    !in_recovery() && unsafe { !pg_sys::XactReadOnly }
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

/// Whether the transaction sees the database as it was when it began, whatever others commit.
pub fn has_fixed_snapshot() -> bool {
    // SAFETY: reads a global of the server.
    unsafe { pg_sys::XactIsoLevel >= pg_sys::XACT_REPEATABLE_READ as i32 }
}

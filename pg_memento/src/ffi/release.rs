//! Where the supported major versions of the server differ. Nowhere else is there a `cfg` for a version.

use std::ffi::CStr;

use pgrx::pg_sys;

/// The setting that ends transactions which take long, where the server has it.
pub const TRANSACTION_TIMEOUT: Option<&CStr> =
    if cfg!(any(feature = "pg15", feature = "pg16")) { None } else { Some(c"transaction_timeout") };

/// Installs a handler for a signal.
pub fn handle_signal(signal: u32, handler: unsafe extern "C-unwind" fn(i32)) {
    // SAFETY: the handlers passed here are the server's own and async-signal-safe.
    unsafe {
        #[cfg(not(feature = "pg18"))]
        pg_sys::pqsignal(signal as i32, Some(handler));
        #[cfg(feature = "pg18")]
        pg_sys::pqsignal_be(signal as i32, Some(handler));
    }
}

/// Whether a role owns a database, or owns everything.
pub fn owns_database(database: pg_sys::Oid, role: pg_sys::Oid) -> bool {
    // SAFETY: a catalogue look-up in a transaction, of a database that exists.
    unsafe {
        #[cfg(feature = "pg15")]
        return pg_sys::pg_database_ownercheck(database, role);
        #[cfg(not(feature = "pg15"))]
        return pg_sys::object_ownercheck(pg_sys::DatabaseRelationId, database, role);
    }
}

//! Transactions of a process that is not driven by a client: begun, committed and, after an error, aborted by us.

use std::ffi::{CStr, CString};
use std::panic::AssertUnwindSafe;

use pgrx::pg_sys;
use pgrx::pg_sys::panic::{CaughtError, ErrorReport, ErrorReportWithLevel, ErrorReportable};
use pgrx::prelude::*;

/// An error that ended a transaction, as a value.
#[derive(Debug, Clone)]
pub struct Caught {
    /// Its SQLSTATE.
    pub sqlstate: [u8; 5],
    /// The server's message. Messages of class 22 quote the value that was wrong, so they are not kept: it may be
    /// what somebody wanted remembered.
    pub message: String,
}

impl Caught {
    fn new(report: &ErrorReportWithLevel) -> Self {
        let sqlstate = sqlstate(report.sql_error_code());
        let message = if sqlstate.starts_with(b"22") { "a value was refused" } else { report.message() };
        Self { sqlstate, message: message.to_owned() }
    }

    /// One that was passed on as text.
    pub fn new_from(sqlstate: &str, message: String) -> Self {
        Self { sqlstate: sqlstate.as_bytes().try_into().unwrap_or(*b"XX000"), message }
    }

    /// A mistake of our own.
    pub fn internal(message: &str) -> Self {
        Self { sqlstate: *b"XX000", message: message.to_owned() }
    }

    /// The SQLSTATE as text.
    pub fn code(&self) -> &str {
        std::str::from_utf8(&self.sqlstate).unwrap_or("XX000")
    }
}

impl From<&CaughtError> for Caught {
    fn from(error: &CaughtError) -> Self {
        match error {
            CaughtError::PostgresError(report)
            | CaughtError::ErrorReport(report)
            | CaughtError::RustPanic { ereport: report, .. } => Self::new(report),
        }
    }
}

impl std::fmt::Display for Caught {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} (SQLSTATE {})", self.message, self.code())
    }
}

/// Runs `work` in a transaction of its own and commits it. If `work` answers an error, or the server raises one, also
/// at commit, or it panics, then the transaction is aborted and the error is given back; the process can go on.
///
/// Must not be called inside of a transaction.
pub fn in_transaction<T>(work: impl FnOnce() -> Result<T, ErrorReport>) -> Result<T, Caught> {
    // SAFETY: reads a global of the server; restored below, because the end of a transaction leaves another one.
    let outer = unsafe { pg_sys::CurrentMemoryContext };
    let result = PgTryBuilder::new(AssertUnwindSafe(|| {
        begin();
        // Only raised errors can be asked for their SQLSTATE.
        let value = work().unwrap_or_report();
        commit();
        Ok(value)
    }))
    .catch_others(|error| Err(Caught::from(&error)))
    .execute();
    if result.is_err() {
        end_failed();
    }
    // SAFETY: the transaction is over, one way or the other, and we are the outermost caller.
    unsafe {
        pg_sys::MemoryContextSwitchTo(outer);
    }
    flush_statistics(false);
    result
}

/// Aborts whatever is open after an error, also where beginning or committing failed half-way.
pub(super) fn end_failed() {
    // SAFETY: the error has been taken, and we are the outermost caller.
    unsafe {
        pg_sys::AbortOutOfAnyTransaction();
        // A cancellation that came too late was meant for what has just ended.
        (&raw mut pg_sys::QueryCancelPending).write_volatile(0);
    }
}

fn begin() {
    // SAFETY: outside of a transaction, as the caller promises; the snapshot belongs to the transaction.
    unsafe {
        pg_sys::SetCurrentStatementStartTimestamp();
        pg_sys::StartTransactionCommand();
        pg_sys::PushActiveSnapshot(pg_sys::GetTransactionSnapshot());
    }
}

fn commit() {
    // SAFETY: the snapshot is the one that `begin` pushed.
    unsafe {
        pg_sys::PopActiveSnapshot();
        pg_sys::CommitTransactionCommand();
    }
}

/// Lets everybody, and autovacuum, see what this process has written: at most once in a while, or now.
pub fn flush_statistics(now: bool) {
    // SAFETY: outside of a transaction.
    unsafe {
        pg_sys::pgstat_report_stat(now);
    }
}

/// Says in pg_stat_activity what this process is doing; nothing when it is idle.
pub fn report_activity(doing: Option<&CStr>) {
    let state = match doing {
        Some(_) => pg_sys::BackendState::STATE_RUNNING,
        None => pg_sys::BackendState::STATE_IDLE,
    };
    // SAFETY: the server copies the text.
    unsafe { pg_sys::pgstat_report_activity(state, doing.map_or(std::ptr::null(), CStr::as_ptr)) }
}

/// Changes a setting of this process, over whatever the database or the role has.
pub fn override_setting(name: &CStr, value: &str) {
    let Ok(value) = CString::new(value) else { return };
    // SAFETY: the server copies both texts.
    unsafe {
        pg_sys::SetConfigOption(
            name.as_ptr(),
            value.as_ptr(),
            pg_sys::GucContext::PGC_SUSET,
            pg_sys::GucSource::PGC_S_OVERRIDE,
        );
    }
}

/// Five characters of six bits each, the first one lowest.
fn sqlstate(code: PgSqlErrorCode) -> [u8; 5] {
    let packed = code as isize;
    std::array::from_fn(|index| ((packed >> (6 * index)) & 0x3f) as u8 + b'0')
}

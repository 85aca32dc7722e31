//! Commands that cannot be part of a transaction, in a process without a client.

use std::ffi::CString;
use std::panic::AssertUnwindSafe;

use pgrx::prelude::*;
use pgrx::{PgBox, PgList, pg_sys};

use super::transaction::{Caught, end_failed};

/// Runs one command at the top level, as if a client had sent it: CREATE INDEX CONCURRENTLY and the like begin and end their own
/// transactions. Must not be called inside of a transaction.
pub fn run(command: &str) -> Result<(), Caught> {
    let Ok(command) = CString::new(command) else {
        return Err(Caught::internal("a command has a null character"));
    };
    // SAFETY: reads a global of the server; restored below, because the end of a transaction leaves another one.
    let outer = unsafe { pg_sys::CurrentMemoryContext };
    // SAFETY: a context that outlives the transactions of the command; deleted below.
    let context = unsafe {
        pg_sys::AllocSetContextCreateExtended(
            pg_sys::TopMemoryContext,
            c"pg_memento command".as_ptr(),
            pg_sys::ALLOCSET_DEFAULT_MINSIZE as usize,
            pg_sys::ALLOCSET_DEFAULT_INITSIZE as usize,
            pg_sys::ALLOCSET_DEFAULT_MAXSIZE as usize,
        )
    };
    let result = PgTryBuilder::new(AssertUnwindSafe(|| {
        // SAFETY: outside of a transaction, as the caller promises; the tree lives in the context made above.
        unsafe { execute(&command, context) };
        Ok(())
    }))
    .catch_others(|error| Err(Caught::from(&error)))
    .execute();
    if result.is_err() {
        end_failed();
    }
    // SAFETY: no transaction is open, and nothing of the context is used any more.
    unsafe {
        pg_sys::MemoryContextSwitchTo(outer);
        pg_sys::MemoryContextDelete(context);
    }
    result
}

/// # Safety
/// Outside of a transaction; `context` must outlive the call.
unsafe fn execute(command: &CString, context: pg_sys::MemoryContext) {
    // SAFETY: as the server's own loop does for a simple query that is one utility statement.
    unsafe {
        pg_sys::SetCurrentStatementStartTimestamp();
        pg_sys::StartTransactionCommand();
        pg_sys::PushActiveSnapshot(pg_sys::GetTransactionSnapshot());
        pg_sys::MemoryContextSwitchTo(context);
        let trees = PgList::<pg_sys::RawStmt>::from_pg(pg_sys::pg_parse_query(command.as_ptr()));
        for tree in trees.iter_ptr() {
            let mut statement = PgBox::<pg_sys::PlannedStmt>::alloc_node(pg_sys::NodeTag::T_PlannedStmt);
            statement.commandType = pg_sys::CmdType::CMD_UTILITY;
            statement.canSetTag = true;
            statement.utilityStmt = (*tree).stmt;
            statement.stmt_location = (*tree).stmt_location;
            statement.stmt_len = (*tree).stmt_len;
            pg_sys::ProcessUtility(
                statement.as_ptr(),
                command.as_ptr(),
                false,
                pg_sys::ProcessUtilityContext::PROCESS_UTILITY_TOPLEVEL,
                std::ptr::null_mut(),
                std::ptr::null_mut(),
                pg_sys::CreateDestReceiver(pg_sys::CommandDest::DestNone),
                std::ptr::null_mut(),
            );
        }
        if pg_sys::ActiveSnapshotSet() {
            pg_sys::PopActiveSnapshot();
        }
        pg_sys::CommitTransactionCommand();
    }
}

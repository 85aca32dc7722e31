//! Transactions of a procedure that was called outside of any: it may commit between its steps.

use pgrx::pg_sys;

/// Whether CALL came from the top level. Inside of a function, or of BEGIN ... COMMIT, a procedure cannot commit.
pub fn may_commit(call: pg_sys::FunctionCallInfo) -> bool {
    // SAFETY: the server's own record of the call; its context is a CallContext for a procedure, and is looked at only then.
    unsafe {
        let context = (*call).context;
        !context.is_null()
            && (*context).type_ == pg_sys::NodeTag::T_CallContext
            && !(*context.cast::<pg_sys::CallContext>()).atomic
    }
}

/// Runs what commits. Only where [`may_commit`] says so.
pub fn with_commits<T>(work: impl FnOnce() -> T) -> T {
    // SAFETY: connects to SPI so that commits are allowed; an error disconnects by itself.
    unsafe {
        pg_sys::SPI_connect_ext(pg_sys::SPI_OPT_NONATOMIC as i32);
    }
    let result = work();
    // SAFETY: the connection made above.
    unsafe {
        pg_sys::SPI_finish();
    }
    result
}

/// Ends the transaction and begins the next. No snapshot is left, so nothing is held back while a model is waited for.
pub fn commit() {
    // SAFETY: inside of [`with_commits`], with no statement open.
    unsafe {
        pg_sys::SPI_commit();
        pg_sys::SetCurrentStatementStartTimestamp();
    }
}

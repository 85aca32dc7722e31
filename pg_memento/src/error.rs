//! The boundary between our errors and the server's: each area has an enum, all are converted here.

use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

/// What a function that SQL can call returns. (Set-returning ones spell it out: pgrx reads their signature.)
pub type ApiResult<T> = Result<T, ErrorReport>;

/// What an area's error says about itself, beside its message: lower case, no full stop, no content of a memory. By
/// default it is a bad argument, the most common one.
pub trait Failure: std::error::Error {
    /// The SQLSTATE by meaning; see docs/errors.md.
    fn sqlstate(&self) -> PgSqlErrorCode {
        PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE
    }
    /// The name that clients match on, sent as `code=...` in DETAIL.
    fn code(&self) -> &'static str {
        "VALIDATION_ERROR"
    }
    /// What to do about it, to be pasted where possible.
    fn hint(&self) -> Option<String>;
    /// The error of another area that this one passes on: it has the SQLSTATE, the code and the hint.
    fn inner(&self) -> Option<&dyn Failure> {
        None
    }
}

/// The one conversion.
pub fn report(failure: &dyn Failure) -> ErrorReport {
    let mut cause = failure;
    while let Some(deeper) = cause.inner() {
        cause = deeper;
    }
    let report = ErrorReport::new(cause.sqlstate(), failure.to_string(), "pg_memento")
        .set_detail(format!("code={}", cause.code()));
    match cause.hint() {
        Some(hint) => report.set_hint(hint),
        None => report,
    }
}

/// A statement of ours that failed without the server raising an error: a bug, shown as such.
#[derive(Debug, thiserror::Error)]
#[error("internal statement failed: {0}")]
pub struct StatementError(#[from] pgrx::spi::Error);

impl Failure for StatementError {
    fn sqlstate(&self) -> PgSqlErrorCode {
        PgSqlErrorCode::ERRCODE_INTERNAL_ERROR
    }

    fn code(&self) -> &'static str {
        "INTERNAL_ERROR"
    }

    fn hint(&self) -> Option<String> {
        Some("this is a bug in pg_memento: please report it with the statement that led to it".into())
    }
}

/// Lets `?` in an API function turn an area's error into a server error.
macro_rules! reported {
    ($($error:ty),+ $(,)?) => {$(
        impl From<$error> for pgrx::pg_sys::panic::ErrorReport {
            fn from(error: $error) -> Self {
                $crate::error::report(&error)
            }
        }
    )+};
}
pub(crate) use reported;

/// In an `impl Failure`: these variants hold the error of another area, which speaks for them.
macro_rules! passed_on {
    ($($variant:ident),+ $(,)?) => {
        fn inner(&self) -> Option<&dyn $crate::error::Failure> {
            match self {
                $(Self::$variant(error) => Some(error),)+
                _ => None,
            }
        }
    };
}
pub(crate) use passed_on;

reported!(StatementError);

/// An argument that has no default was null.
#[derive(Debug, thiserror::Error)]
#[error("{0} must not be null")]
pub struct NullArgument(&'static str);

impl Failure for NullArgument {
    fn hint(&self) -> Option<String> {
        Some(format!("give a value for {}", self.0))
    }
}

reported!(NullArgument);

/// The value of an argument that has no default. A strict function would do nothing, without a word.
pub fn given<T>(name: &'static str, value: Option<T>) -> Result<T, NullArgument> {
    value.ok_or(NullArgument(name))
}

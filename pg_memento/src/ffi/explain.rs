//! What the planner thinks of a statement, without a transaction id: pgrx asks for one before it runs anything that the server does
//! not take for a read, and EXPLAIN is such; a standby has none to give.

use std::ffi::{CStr, CString, c_char};

use pgrx::datum::DatumWithOid;
use pgrx::pg_sys;
use pgrx::prelude::*;

/// The first value that an EXPLAIN statement gives, as text.
pub fn explain(statement: &str, arguments: &[DatumWithOid]) -> Option<String> {
    let source = CString::new(statement).ok()?;
    let count = i32::try_from(arguments.len()).ok()?;
    let mut types: Vec<pg_sys::Oid> = arguments.iter().map(DatumWithOid::oid).collect();
    let datum = |argument: &DatumWithOid| argument.datum().map(|datum| datum.sans_lifetime());
    let mut values: Vec<pg_sys::Datum> =
        arguments.iter().map(|argument| datum(argument).unwrap_or(pg_sys::Datum::null())).collect();
    let is_null = |argument: &DatumWithOid| if argument.datum().is_none() { b'n' } else { b' ' };
    let nulls: Vec<c_char> = arguments.iter().map(|argument| is_null(argument) as c_char).collect();
    Spi::connect(|_| {
        // SAFETY: connected; the arrays have as many entries as there are arguments and outlive the call; the result is copied
        // before the connection ends.
        unsafe {
            let status = pg_sys::SPI_execute_with_args(
                source.as_ptr(),
                count,
                types.as_mut_ptr(),
                values.as_mut_ptr(),
                nulls.as_ptr(),
                false,
                1,
            );
            if status < 0 || pg_sys::SPI_tuptable.is_null() || (*pg_sys::SPI_tuptable).numvals == 0 {
                return None;
            }
            let table = &*pg_sys::SPI_tuptable;
            let value = pg_sys::SPI_getvalue(*table.vals, table.tupdesc, 1);
            (!value.is_null()).then(|| CStr::from_ptr(value).to_string_lossy().into_owned())
        }
    })
}

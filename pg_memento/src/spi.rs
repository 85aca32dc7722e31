//! The statements, as typed functions. Each is a file in `queries/`; values are bound, names are fixed. They run
//! with the search_path that the calling function pins.

pub mod canonical;
pub mod catalog;
pub mod commit;
pub mod item;
pub mod job;
pub mod lexical;
pub mod lexical_engine;
pub mod profile;
pub mod queue;
pub mod search;
pub mod store;
pub mod tenancy;
pub mod term;
pub mod worker;

use pgrx::datum::DatumWithOid;
use pgrx::prelude::*;
use pgrx::spi::{SpiHeapTupleData, SpiTupleTable};

use crate::error::StatementError;

/// What a statement gives, or a bug.
pub type StatementResult<T> = Result<T, StatementError>;

/// Runs a statement and turns each of its rows into a value.
fn rows<T>(
    statement: &str,
    arguments: &[DatumWithOid],
    read: impl Fn(SpiHeapTupleData) -> pgrx::spi::Result<T>,
) -> StatementResult<Vec<T>> {
    Spi::connect(|client| client.select(statement, None, arguments)?.map(read).collect::<Result<_, _>>())
        .map_err(StatementError::from)
}

/// Runs a statement that writes and turns each row that it returns into a value.
fn write<T>(
    statement: &str,
    arguments: &[DatumWithOid],
    read: impl Fn(SpiHeapTupleData) -> pgrx::spi::Result<T>,
) -> StatementResult<Vec<T>> {
    Spi::connect_mut(|client| {
        let table: SpiTupleTable = client.update(statement, None, arguments)?;
        table.map(read).collect::<Result<_, _>>()
    })
    .map_err(StatementError::from)
}

/// Runs a statement that writes one row and returns one value of it.
fn write_one<T: FromDatum + IntoDatum>(statement: &str, arguments: &[DatumWithOid]) -> StatementResult<T> {
    let mut returned = write(statement, arguments, |row| required(&row, 1))?;
    returned.pop().ok_or_else(|| StatementError::from(pgrx::spi::Error::InvalidPosition))
}

/// A column that is never null.
fn required<T: FromDatum + IntoDatum>(row: &SpiHeapTupleData, ordinal: usize) -> pgrx::spi::Result<T> {
    row.get(ordinal)?.ok_or(pgrx::spi::Error::InvalidPosition)
}

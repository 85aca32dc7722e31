//! The statements, as typed functions. Each is a file in `queries/`; values are bound, names are fixed. They run
//! with the search_path that the calling function pins.

pub mod artifact;
pub mod audit;
pub mod canonical;
pub mod catalog;
pub mod chat_profile;
pub mod commit;
#[cfg(feature = "pg_test")]
pub mod conformance;
pub mod dense;
pub mod erase;
pub mod eval;
pub mod event;
pub mod event_place;
pub mod event_search;
pub mod event_walk;
pub mod extract;
pub mod history;
pub mod item;
pub mod job;
pub mod lexical;
pub mod lexical_engine;
pub mod lineage;
pub mod model_call;
pub mod profile;
pub mod project;
pub mod queue;
pub mod rate;
pub mod retrieve;
pub mod search;
pub mod store;
pub mod tenancy;
pub mod term;
pub mod worker;

use std::cell::RefCell;
use std::collections::HashMap;

use pgrx::datum::DatumWithOid;
use pgrx::pg_sys::PgOid;
use pgrx::prelude::*;
use pgrx::spi::{OwnedPreparedStatement, SpiClient, SpiHeapTupleData, SpiTupleTable};

use crate::error::StatementError;
use crate::ffi::relayed::Rows;

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

thread_local! {
    /// By the address of the text, and whether it writes. The server plans a kept statement again when what it is about
    /// changes. They are never freed: there are as many as there are statements, and when the process ends there is no
    /// server left to free them.
    static KEPT: RefCell<HashMap<(*const u8, bool), &'static OwnedPreparedStatement>> = RefCell::default();
}

/// A statement that the session keeps, for those that are to answer in well under a millisecond: parsed once, and planned
/// once where the plan does not depend on the arguments.
fn kept(
    client: &SpiClient,
    statement: &'static str,
    writes: bool,
    arguments: &[DatumWithOid],
) -> pgrx::spi::Result<&'static OwnedPreparedStatement> {
    let key = (statement.as_ptr(), writes);
    if let Some(known) = KEPT.with_borrow(|kept| kept.get(&key).copied()) {
        return Ok(known);
    }
    let types: Vec<PgOid> = arguments.iter().map(|argument| argument.oid().into()).collect();
    let prepared =
        if writes { client.prepare_mut(statement, &types)? } else { client.prepare(statement, &types)? };
    let prepared: &'static _ = Box::leak(Box::new(prepared.keep()));
    KEPT.with_borrow_mut(|kept| kept.insert(key, prepared));
    Ok(prepared)
}

/// Like [`rows`], of a kept statement.
fn kept_rows<T>(
    statement: &'static str,
    arguments: &[DatumWithOid],
    read: impl Fn(SpiHeapTupleData) -> pgrx::spi::Result<T>,
) -> StatementResult<Vec<T>> {
    Spi::connect(|client| {
        let prepared = kept(client, statement, false, arguments)?;
        client.select(prepared, None, arguments)?.map(read).collect::<Result<_, _>>()
    })
    .map_err(StatementError::from)
}

/// The rows of a kept statement as they are, for a function that gives them back.
fn relayed(statement: &'static str, arguments: &[DatumWithOid]) -> StatementResult<Rows> {
    Spi::connect(|client| {
        let prepared = kept(client, statement, false, arguments)?;
        client.select(prepared, None, arguments)?;
        Ok(Rows::of_last_statement())
    })
    .map_err(|error: pgrx::spi::Error| StatementError::from(error))
}

/// Like [`write`], of a kept statement.
fn kept_write<T>(
    statement: &'static str,
    arguments: &[DatumWithOid],
    read: impl Fn(SpiHeapTupleData) -> pgrx::spi::Result<T>,
) -> StatementResult<Vec<T>> {
    Spi::connect_mut(|client| {
        let prepared = kept(client, statement, true, arguments)?;
        client.update(prepared, None, arguments)?.map(read).collect::<Result<_, _>>()
    })
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

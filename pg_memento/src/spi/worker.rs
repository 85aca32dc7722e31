//! The statements of the job loop, inside of a transaction of this process.

use memento_worker::database::{DatabaseError, DatabaseResult, Row, Statements, Value};
use pgrx::datum::DatumWithOid;
use pgrx::prelude::*;
use pgrx::spi::SpiHeapTupleDataEntry;
use uuid::Uuid;

use super::{StatementResult, required, rows};
use crate::ffi::jsonb::Jsonb;

/// Statements of the transaction that is open.
pub struct CurrentTransaction;

impl Statements for CurrentTransaction {
    fn query(&mut self, statement: &str, parameters: &[Value]) -> DatabaseResult<Vec<Row>> {
        let parameters: Vec<DatumWithOid> = parameters.iter().map(datum).collect();
        Spi::connect_mut(|client| {
            let table = client.update(statement, None, &parameters)?;
            let columns = match table.columns() {
                // A command that gives no rows at all.
                Err(pgrx::spi::Error::NoTupleTable) => return Ok(Vec::new()),
                columns => columns?,
            };
            table
                .map(|row| (1..=columns).map(|place| read(row.get_datum_by_ordinal(place)?)).collect())
                .collect::<Result<Vec<Row>, pgrx::spi::Error>>()
        })
        .map_err(failure)
    }
}

fn failure(error: pgrx::spi::Error) -> DatabaseError {
    DatabaseError { sqlstate: "XX000".into(), message: error.to_string() }
}

fn datum(value: &Value) -> DatumWithOid<'static> {
    match value.clone() {
        // The statement says by its casts or its function what it is.
        Value::Null => None::<String>.into(),
        Value::Bool(value) => value.into(),
        Value::Int(value) => value.into(),
        Value::BigInt(value) => value.into(),
        Value::Double(value) => value.into(),
        Value::Text(value) => value.into(),
        Value::Uuid(value) => server_uuid(value).into(),
        Value::Json(value) => Jsonb::from(value).into(),
        Value::Ints(values) => values.into(),
        Value::BigInts(values) => values.into(),
        Value::Reals(values) => values.into(),
        Value::Texts(values) => values.into(),
        Value::Uuids(values) => values.into_iter().map(server_uuid).collect::<Vec<_>>().into(),
        Value::Jsons(values) => values.into_iter().map(Jsonb::from).collect::<Vec<_>>().into(),
    }
}

fn server_uuid(value: Uuid) -> pgrx::Uuid {
    pgrx::Uuid::from_bytes(value.into_bytes())
}

fn read(column: &SpiHeapTupleDataEntry) -> pgrx::spi::Result<Value> {
    fn get<T: IntoDatum + FromDatum>(
        column: &SpiHeapTupleDataEntry,
        make: impl Fn(T) -> Value,
    ) -> pgrx::spi::Result<Value> {
        Ok(column.value::<T>()?.map_or(Value::Null, make))
    }
    match column.oid() {
        pg_sys::BOOLOID => get(column, Value::Bool),
        pg_sys::INT4OID => get(column, Value::Int),
        pg_sys::INT8OID => get(column, Value::BigInt),
        pg_sys::FLOAT8OID => get(column, Value::Double),
        pg_sys::TEXTOID => get(column, Value::Text),
        pg_sys::UUIDOID => {
            get::<pgrx::Uuid>(column, |value| Value::Uuid(Uuid::from_bytes(*value.as_bytes())))
        }
        pg_sys::JSONBOID => get::<Jsonb>(column, |value| Value::Json(value.parse().unwrap_or_default())),
        _ => Ok(Value::Null),
    }
}

/// Whether the caller may speak for a worker.
pub fn may_work() -> StatementResult<bool> {
    let found = rows(
        "select pg_catalog.has_function_privilege('memento._claim_jobs(text, text, int, interval)', 'execute')",
        &[],
        |row| required::<bool>(&row, 1),
    )?;
    Ok(found.into_iter().any(|may| may))
}

/// Runs statements of a session under the search_path that they rely on, until the end of the transaction. (A procedure that commits
/// cannot pin it.)
pub fn foreground<T>(work: impl FnOnce() -> DatabaseResult<T>) -> DatabaseResult<T> {
    command("set local search_path = pg_catalog, pg_temp")?;
    work()
}

/// Runs a command in the transaction that is open.
pub fn command(command: &str) -> DatabaseResult<()> {
    Spi::connect_mut(|client| client.update(command, None, &[]).map(drop)).map_err(failure)
}

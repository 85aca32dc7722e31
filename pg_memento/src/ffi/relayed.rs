//! Tables that a function gives back as a statement made them: no row is decoded on its way through.

use std::marker::PhantomData;

use pgrx::callconv::RetAbi;
use pgrx::iter::TableIterator as CalledForEachRow;
use pgrx::pg_sys::Oid;
use pgrx::pgrx_sql_entity_graph::metadata::{
    ArgumentError, ReturnsError, ReturnsRef, SqlMappingRef, SqlTranslatable, TypeOrigin,
};
use pgrx::prelude::*;

/// Rows of a statement, in the memory of the function that is being called.
pub struct Rows {
    tuples: Vec<pg_sys::HeapTuple>,
    types: Vec<Oid>,
}

impl Rows {
    /// Those of the statement that SPI has run last. To be called while it is connected.
    pub fn of_last_statement() -> Self {
        // SAFETY: SPI's result is null or a table with so many tuples of that descriptor. The copies are made in the
        // memory context from which SPI was connected, which outlives the call.
        unsafe {
            let table = pg_sys::SPI_tuptable;
            if table.is_null() || (*table).numvals == 0 {
                return Self { tuples: Vec::new(), types: Vec::new() };
            }
            let found = std::slice::from_raw_parts((*table).vals, (*table).numvals as usize);
            Self {
                tuples: found.iter().map(|tuple| pg_sys::SPI_copytuple(*tuple)).collect(),
                types: column_types((*table).tupdesc),
            }
        }
    }

    /// Tuples of columns of these types, in the memory of the function that is being called.
    pub(super) fn of_tuples(tuples: Vec<pg_sys::HeapTuple>, types: Vec<Oid>) -> Self {
        Self { tuples, types }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.tuples.is_empty()
    }
}

/// # Safety
/// The descriptor is a valid one.
unsafe fn column_types(descriptor: pg_sys::TupleDesc) -> Vec<Oid> {
    // SAFETY: as above; columns are numbered from 1.
    unsafe { (1..=(*descriptor).natts).map(|column| pg_sys::SPI_gettypeid(descriptor, column)).collect() }
}

/// A table of such rows. pgrx knows by this name that a function returns a table, and reads its columns from `Row`.
pub struct TableIterator<'a, Row> {
    rows: Rows,
    columns: PhantomData<(&'a (), Row)>,
}

impl<Row> From<Rows> for TableIterator<'_, Row> {
    fn from(rows: Rows) -> Self {
        Self { rows, columns: PhantomData }
    }
}

// SAFETY: the columns are declared as pgrx declares them; rows of others are refused below.
unsafe impl<'a, Row> SqlTranslatable for TableIterator<'a, Row>
where
    CalledForEachRow<'a, Row>: SqlTranslatable,
{
    const TYPE_IDENT: &'static str = CalledForEachRow::<'a, Row>::TYPE_IDENT;
    const TYPE_ORIGIN: TypeOrigin = CalledForEachRow::<'a, Row>::TYPE_ORIGIN;
    const ARGUMENT_SQL: Result<SqlMappingRef, ArgumentError> = CalledForEachRow::<'a, Row>::ARGUMENT_SQL;
    const RETURN_SQL: Result<ReturnsRef, ReturnsError> = CalledForEachRow::<'a, Row>::RETURN_SQL;
}

// SAFETY: answers as a function in materialize mode must: a store and a descriptor in the call's ReturnSetInfo.
unsafe impl<Row> RetAbi for TableIterator<'_, Row> {
    type Item = Self;
    type Ret = Self;

    fn to_ret(self) -> Self {
        self
    }

    unsafe fn box_ret_in_fcinfo(fcinfo: pg_sys::FunctionCallInfo, table: Self) -> pg_sys::Datum {
        // SAFETY: the call is valid, and that of a function that returns a table: the server checks that it can take
        // one at once, and has set up store and descriptor after that.
        let (store, declared) = unsafe {
            pg_sys::InitMaterializedSRF(fcinfo, 0);
            (*fcinfo).isnull = true;
            let set = (*fcinfo).resultinfo.cast::<pg_sys::ReturnSetInfo>();
            ((*set).setResult, column_types((*set).setDesc))
        };
        if !table.rows.is_empty() && table.rows.types != declared {
            pgrx::error!("a statement has other columns than the function that relays its rows");
        }
        for tuple in table.rows.tuples {
            // SAFETY: the tuple has the columns of the store, as was just seen; the store makes a copy.
            unsafe { pg_sys::tuplestore_puttuple(store, tuple) };
        }
        pg_sys::Datum::null()
    }

    unsafe fn move_into_fcinfo_fcx(self, _: pg_sys::FunctionCallInfo) {}

    unsafe fn fill_fcinfo_fcx(&self, _: pg_sys::FunctionCallInfo) {}
}

//! A row that is about to be inserted, in a trigger before that.

use pgrx::pg_sys::{self, Datum};
use pgrx::prelude::*;
use pgrx::tupdesc::PgTupleDesc;
use pgrx::{AllocatedByPostgres, PgTrigger};

use super::index_scan::{Column, Table};

/// The row that is about to be inserted.
pub struct NewRow<'a> {
    table: &'a Table,
    tuple: pg_sys::HeapTuple,
}

/// The row as it is inserted, made by the trigger.
pub type Placed<'a> = PgHeapTuple<'a, AllocatedByPostgres>;

impl<'a> NewRow<'a> {
    /// The row of a trigger for each row, before an INSERT into that table.
    pub fn of(trigger: &PgTrigger, table: &'a Table) -> Self {
        let is_of_table = trigger.relation().is_ok_and(|relation| relation.oid() == table.oid());
        match trigger.new() {
            Some(row) if is_of_table => Self { table, tuple: row.into_pg() },
            _ => pgrx::error!("this is a trigger for rows of event_store"),
        }
    }

    /// A value of it.
    pub fn get<T: FromDatum>(&self, column: &Column<T>) -> Option<T> {
        let (number, mut is_null) = (self.table.number(column) as i32, false);
        // SAFETY: the tuple is one of the table, whose column has this type.
        unsafe {
            let value = pg_sys::SPI_getbinval(self.tuple, self.table.descriptor(), number, &mut is_null);
            T::from_datum(value, is_null)
        }
    }

    /// The same row with other values in some columns.
    pub fn with<const N: usize>(&self, values: [(i32, Option<Datum>); N]) -> Placed<'static> {
        // Servers before 17 take them as if they would change them.
        let mut numbers = values.map(|(number, _)| number);
        let mut nulls = values.map(|(_, value)| value.is_none());
        let mut values = values.map(|(_, value)| value.unwrap_or(Datum::null()));
        // SAFETY: the tuple is one of the table; each value was made for its column, by `value()`. The result is allocated where
        // the server wants it, and its descriptor is the table's, which outlives the trigger.
        unsafe {
            let descriptor = self.table.descriptor();
            let tuple = pg_sys::heap_modify_tuple_by_cols(
                self.tuple,
                descriptor,
                N as i32,
                numbers.as_mut_ptr(),
                values.as_mut_ptr(),
                nulls.as_mut_ptr(),
            );
            PgHeapTuple::from_heap_tuple(PgTupleDesc::from_pg_unchecked(descriptor), tuple)
        }
    }

    /// A value for a column.
    pub fn value<T: IntoDatum>(&self, column: &Column<T>, value: Option<T>) -> (i32, Option<Datum>) {
        (self.table.number(column) as i32, value.and_then(IntoDatum::into_datum))
    }
}

//! Rows made of the columns of a row that a scan has read, as they are, and of values beside them.

use std::ffi::CStr;

use pgrx::pg_sys::{self, Datum, Oid};

use super::index_scan::{Scan, Table};
use super::relayed::Rows;

/// What a column of a result is.
#[derive(Clone, Copy)]
pub enum Part {
    /// A column of the table.
    Column(&'static CStr),
    /// A number that comes with each row.
    Number,
    /// Something that is true or not, and comes with each row.
    Flag,
}

/// A value that comes with a row.
#[derive(Clone, Copy)]
pub enum Given {
    Number(i32),
    Flag(bool),
}

/// The most columns that such a result has.
const MOST_COLUMNS: usize = 8;

/// What the rows of a result are like.
pub struct Shape {
    descriptor: pg_sys::TupleDesc,
    /// The number of the table's column, or none for what comes with the row.
    sources: Vec<Option<usize>>,
    types: Vec<Oid>,
}

/// A row, in the memory of the function that is being called.
pub struct Row(pg_sys::HeapTuple);

impl Shape {
    /// Of these parts, in their order.
    pub fn new(table: &Table, parts: &[Part]) -> Self {
        assert!(parts.len() <= MOST_COLUMNS);
        let sources: Vec<Option<usize>> = parts
            .iter()
            .map(|part| if let Part::Column(name) = part { Some(table.number_of(name)) } else { None })
            .collect();
        let type_of = |(part, source): (&Part, &Option<usize>)| match (part, source) {
            // SAFETY: the descriptor is that of an open table, and the column one of it.
            (_, Some(number)) => unsafe { pg_sys::SPI_gettypeid(table.descriptor(), *number as i32) },
            (Part::Flag, _) => pg_sys::BOOLOID,
            _ => pg_sys::INT4OID,
        };
        let types: Vec<Oid> = parts.iter().zip(&sources).map(type_of).collect();
        // SAFETY: a descriptor of so many columns, each of which is set, counted from 1.
        let descriptor = unsafe {
            let descriptor = pg_sys::CreateTemplateTupleDesc(types.len() as i32);
            for (place, kind) in types.iter().enumerate() {
                pg_sys::TupleDescInitEntry(descriptor, place as i16 + 1, std::ptr::null(), *kind, -1, 0);
            }
            descriptor
        };
        Self { descriptor, sources, types }
    }

    /// Of the row that the scan has read last, and of values for the other parts, in their order.
    pub fn row(&self, scan: &Scan, given: &[Given]) -> Row {
        let mut values = [Datum::null(); MOST_COLUMNS];
        let mut nulls = [false; MOST_COLUMNS];
        let mut given = given.iter();
        for (place, source) in self.sources.iter().enumerate() {
            match source {
                Some(number) => (values[place], nulls[place]) = scan.datum(*number),
                None => values[place] = self.checked(place, given.next()),
            }
        }
        // SAFETY: the values have the types of the columns, and those that are pointers point into the row that the scan holds;
        // the tuple is a copy of them.
        Row(unsafe { pg_sys::heap_form_tuple(self.descriptor, values.as_mut_ptr(), nulls.as_mut_ptr()) })
    }

    /// The same row with another value in its last column.
    pub fn with_last(&self, row: &Row, value: Given) -> Row {
        // Servers before 17 take them as if they would change them.
        let mut last = self.types.len() as i32;
        let mut value = self.checked(self.types.len() - 1, Some(&value));
        let mut is_null = false;
        // SAFETY: the row is one of this shape, and the value has the type of that column.
        Row(unsafe {
            pg_sys::heap_modify_tuple_by_cols(
                row.0,
                self.descriptor,
                1,
                &raw mut last,
                &raw mut value,
                &raw mut is_null,
            )
        })
    }

    /// The rows as a result.
    pub fn rows(&self, rows: impl IntoIterator<Item = Row>) -> Rows {
        Rows::of_tuples(rows.into_iter().map(|row| row.0).collect(), self.types.clone())
    }

    fn checked(&self, place: usize, given: Option<&Given>) -> Datum {
        match (given, self.types[place]) {
            (Some(Given::Number(number)), pg_sys::INT4OID) => Datum::from(*number),
            (Some(Given::Flag(flag)), pg_sys::BOOLOID) => Datum::from(*flag),
            _ => pgrx::error!("a row has other values than its shape"),
        }
    }
}

impl Row {
    /// Gives its memory back before the function ends.
    pub fn free(self) {
        // SAFETY: it was allocated by the server, and nothing else refers to it.
        unsafe { pg_sys::heap_freetuple(self.0) }
    }
}

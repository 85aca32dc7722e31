//! Tables that a function fills at once, in the server's own store of tuples, which goes to disk where it gets large.
//!
//! pgrx's `TableIterator` is called for each row, and makes a tuple that the server then copies into that store. Where rows
//! are many and small that costs more than the rows themselves; and it cannot give rows that borrow from what the
//! function has made.

use pgrx::PgMemoryContexts;
use pgrx::callconv::RetAbi;
use pgrx::iter::TableIterator as CalledForEachRow;
use pgrx::pgrx_sql_entity_graph::metadata::{
    ArgumentError, ReturnsError, ReturnsRef, SqlMappingRef, SqlTranslatable, TypeOrigin,
};
use pgrx::prelude::*;

use super::jsonb::Jsonb;

/// A table that is still to be filled. pgrx knows by this name that a function returns a table, and reads its columns.
pub struct TableIterator<'a, Row> {
    fill: Box<Fill<'a, Row>>,
}

type Fill<'a, Row> = dyn FnOnce(&mut dyn FnMut(Row)) + 'a;

impl<'a, Row: 'a> TableIterator<'a, Row> {
    /// `fill` hands over row after row.
    pub fn filled_by(fill: impl FnOnce(&mut dyn FnMut(Row)) + 'a) -> Self {
        Self { fill: Box::new(fill) }
    }
}

// SAFETY: the columns are declared as pgrx declares them for the same row, whose types give the datums.
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
unsafe impl<Row: Columns> RetAbi for TableIterator<'_, Row> {
    type Item = Self;
    type Ret = Self;

    fn to_ret(self) -> Self {
        self
    }

    unsafe fn box_ret_in_fcinfo(fcinfo: pg_sys::FunctionCallInfo, table: Self) -> pg_sys::Datum {
        // SAFETY: the call is valid, and that of a function that returns a table: the server checks that it can take
        // one at once, and has set up store and descriptor after that.
        let (store, descriptor) = unsafe {
            pg_sys::InitMaterializedSRF(fcinfo, 0);
            (*fcinfo).isnull = true;
            let set = (*fcinfo).resultinfo.cast::<pg_sys::ReturnSetInfo>();
            ((*set).setResult, (*set).setDesc)
        };
        let mut scratch = Scratch::default();
        (table.fill)(&mut |row| {
            row.with_datums(&mut scratch, |values, nulls| {
                // SAFETY: there are as many values as the row has columns, and so the descriptor; what they point to
                // stays until the scratch is cleared, and the store makes a copy.
                unsafe {
                    pg_sys::tuplestore_putvalues(store, descriptor, values.as_mut_ptr(), nulls.as_mut_ptr());
                }
            });
            scratch.clear();
        });
        pg_sys::Datum::null()
    }

    unsafe fn move_into_fcinfo_fcx(self, _: pg_sys::FunctionCallInfo) {}

    unsafe fn fill_fcinfo_fcx(&self, _: pg_sys::FunctionCallInfo) {}
}

/// Where values of one row are, until the store has copied them. Kept from row to row.
#[derive(Default)]
pub struct Scratch {
    /// Room for texts, in words: they must be aligned.
    words: Vec<u32>,
    used: usize,
    /// Room that was too small for the row, but is pointed into.
    outgrown: Vec<Vec<u32>>,
    /// What the server's functions make.
    context: Option<PgMemoryContexts>,
}

impl Scratch {
    /// A text datum of so many bytes, which `write` writes.
    fn text(&mut self, length: usize, write: impl FnOnce(&mut [u8])) -> pg_sys::Datum {
        const HEADER: usize = size_of::<u32>();
        const LEAST_ROOM: usize = 1024;
        let needed = 1 + length.div_ceil(HEADER);
        if self.words.len() - self.used < needed {
            let larger = vec![0; needed.max(2 * self.words.len()).max(LEAST_ROOM)];
            self.outgrown.push(std::mem::replace(&mut self.words, larger));
            self.used = 0;
        }
        let place = &mut self.words[self.used..self.used + needed];
        self.used += needed;
        let start = place.as_mut_ptr();
        // SAFETY: the place has the words of a header and of the bytes after it; any bytes are words, and words bytes.
        unsafe {
            pgrx::set_varsize_4b(start.cast(), (HEADER + length) as i32);
            write(std::slice::from_raw_parts_mut(start.add(1).cast(), length));
        }
        start.into()
    }

    /// Makes a datum by functions of the server.
    fn by_server<T>(&mut self, make: impl FnOnce() -> T) -> T {
        let context = self.context.get_or_insert_with(|| PgMemoryContexts::new("pg_memento row"));
        // SAFETY: the context lives as long as the scratch, which outlives the call.
        unsafe { context.switch_to(|_| make()) }
    }

    fn clear(&mut self) {
        self.used = 0;
        self.outgrown.clear();
        if let Some(context) = &mut self.context {
            // SAFETY: nothing points into it any more: the store has its copy.
            unsafe { context.reset() };
        }
    }
}

/// A value of a column.
pub trait Column {
    /// As a datum, which may point into the scratch; none for null.
    fn datum(self, scratch: &mut Scratch) -> Option<pg_sys::Datum>;
}

/// Text whose ASCII letters become small on the way, without a string of its own.
pub struct Lowered<'a>(pub &'a str);

impl Column for Lowered<'_> {
    fn datum(self, scratch: &mut Scratch) -> Option<pg_sys::Datum> {
        Some(scratch.text(self.0.len(), |place| {
            place.iter_mut().zip(self.0.bytes()).for_each(|(small, byte)| *small = byte.to_ascii_lowercase());
        }))
    }
}

impl Column for &str {
    fn datum(self, scratch: &mut Scratch) -> Option<pg_sys::Datum> {
        Some(scratch.text(self.len(), |place| place.copy_from_slice(self.as_bytes())))
    }
}

impl Column for String {
    fn datum(self, scratch: &mut Scratch) -> Option<pg_sys::Datum> {
        self.as_str().datum(scratch)
    }
}

impl Column for i32 {
    fn datum(self, _: &mut Scratch) -> Option<pg_sys::Datum> {
        self.into_datum()
    }
}

impl Column for i64 {
    fn datum(self, _: &mut Scratch) -> Option<pg_sys::Datum> {
        self.into_datum()
    }
}

impl Column for Jsonb {
    fn datum(self, scratch: &mut Scratch) -> Option<pg_sys::Datum> {
        scratch.by_server(|| self.into_datum())
    }
}

impl<T: Column> Column for Option<T> {
    fn datum(self, scratch: &mut Scratch) -> Option<pg_sys::Datum> {
        self.and_then(|value| value.datum(scratch))
    }
}

/// A row: a tuple of columns.
pub trait Columns {
    /// Hands over the datums, and which of them are null.
    fn with_datums(self, scratch: &mut Scratch, take: impl FnOnce(&mut [pg_sys::Datum], &mut [bool]));
}

macro_rules! rows {
    ($($column:ident),+) => {
        #[allow(non_snake_case)]
        impl<$($column: Column),+> Columns for ($($column,)+) {
            fn with_datums(
                self,
                scratch: &mut Scratch,
                take: impl FnOnce(&mut [pg_sys::Datum], &mut [bool]),
            ) {
                let ($($column,)+) = self;
                let given = [$($column.datum(scratch)),+];
                let mut nulls = given.map(|datum| datum.is_none());
                let mut datums = given.map(|datum| datum.unwrap_or(pg_sys::Datum::null()));
                take(&mut datums, &mut nulls);
            }
        }
    };
}

rows!(A, B, C, D);
rows!(A, B, C, D, E, F, G, H, I, J, K);

// SAFETY: declared as the text that it gives.
unsafe impl SqlTranslatable for Lowered<'_> {
    const TYPE_IDENT: &'static str = <&str as SqlTranslatable>::TYPE_IDENT;
    const TYPE_ORIGIN: TypeOrigin = TypeOrigin::External;
    const ARGUMENT_SQL: Result<SqlMappingRef, ArgumentError> =
        Err(ArgumentError::NotValidAsArgument("Lowered"));
    const RETURN_SQL: Result<ReturnsRef, ReturnsError> = <&str as SqlTranslatable>::RETURN_SQL;
}

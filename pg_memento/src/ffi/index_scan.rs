//! Scans of an index by hand, for walks that take hundreds of look-ups: what a statement costs for each of them (its executor,
//! its result, the copies of that) is several times the look-up itself.
//!
//! Nothing here asks who is calling. Only behind a check of membership, with the project among the conditions.

use std::ffi::CStr;
use std::marker::PhantomData;

use pgrx::Uuid;
use pgrx::pg_sys::{self, Datum, Oid};
use pgrx::prelude::*;

/// A table of the extension that is open for reading. It stays locked until the transaction ends, as by a statement.
pub struct Table {
    relation: pg_sys::Relation,
    schema: Oid,
}

/// A column of a table, of a type that was checked.
pub struct Column<T> {
    table: Oid,
    number: usize,
    kind: PhantomData<T>,
}

/// What an entry of an index is to be like in one of its columns.
#[derive(Clone, Copy)]
pub enum Condition {
    Is(Uuid),
    AtMost(i32),
}

/// Which rows are seen.
#[derive(Clone, Copy)]
pub enum Visible {
    /// Those that the statement sees.
    ToStatement,
    /// All that is committed or of this transaction, also of the command that is being run.
    ToTransactionNow,
}

/// The order of entries.
#[derive(Clone, Copy)]
pub enum Order {
    Rising,
    Falling,
}

impl Table {
    /// Opens a table.
    pub fn open(schema: &CStr, name: &CStr) -> Self {
        // SAFETY: names that live for the calls; a table that is not there is an error of the server.
        unsafe {
            let schema = pg_sys::get_namespace_oid(schema.as_ptr(), false);
            let table = pg_sys::get_relname_relid(name.as_ptr(), schema);
            Self { relation: pg_sys::table_open(table, pg_sys::AccessShareLock as i32), schema }
        }
    }

    /// A column by its name; it must have the type.
    pub fn column<T: IntoDatum>(&self, name: &CStr) -> Column<T> {
        let number = self.number_of(name);
        // SAFETY: the descriptor is that of an open table, and the column one of it.
        let found = unsafe { pg_sys::SPI_gettypeid((*self.relation).rd_att, number as i32) };
        if found != T::type_oid() {
            pgrx::error!("column {name:?} has another type than was expected");
        }
        Column { table: self.oid(), number, kind: PhantomData }
    }

    /// The number of a column, counted from 1.
    pub(super) fn number_of(&self, name: &CStr) -> usize {
        // SAFETY: the descriptor is that of an open table, and the name lives for the call.
        let number = unsafe { pg_sys::SPI_fnumber((*self.relation).rd_att, name.as_ptr()) };
        match usize::try_from(number) {
            Ok(number) if number > 0 => number,
            _ => pgrx::error!("there is no column {name:?}"),
        }
    }

    /// The number of a column of this table.
    pub(super) fn number<T>(&self, column: &Column<T>) -> usize {
        assert!(column.table == self.oid());
        column.number
    }

    pub(super) fn descriptor(&self) -> pg_sys::TupleDesc {
        // SAFETY: the table is open.
        unsafe { (*self.relation).rd_att }
    }

    pub(super) fn oid(&self) -> Oid {
        // SAFETY: the table is open.
        unsafe { (*self.relation).rd_id }
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        // After an error the server closes what it has opened.
        if !std::thread::panicking() {
            // SAFETY: it is open, and closed once. The lock stays.
            unsafe { pg_sys::table_close(self.relation, pg_sys::NoLock as i32) }
        }
    }
}

/// The most columns that an index can be searched by here.
const MOST_CONDITIONS: usize = 4;

/// A scan of one of the table's indexes.
pub struct Scan<'table> {
    table: &'table Table,
    index: pg_sys::Relation,
    scan: pg_sys::IndexScanDesc,
    slot: *mut pg_sys::TupleTableSlot,
    order: Order,
    /// What the conditions of the scan point to.
    values: Box<[Uuid; MOST_CONDITIONS]>,
}

impl<'table> Scan<'table> {
    /// Of an index that is searched by its first `conditions` columns.
    pub fn open(table: &'table Table, index: &CStr, conditions: usize, visible: Visible) -> Self {
        assert!(conditions <= MOST_CONDITIONS);
        // SAFETY: table and index are open, and the snapshot is one that lives until the statement ends, or for ever. What the
        // scan has opened is closed when this is dropped.
        unsafe {
            let oid = pg_sys::get_relname_relid(index.as_ptr(), table.schema);
            let index = pg_sys::index_open(oid, pg_sys::AccessShareLock as i32);
            let snapshot = match visible {
                Visible::ToStatement => pg_sys::GetActiveSnapshot(),
                Visible::ToTransactionNow => &raw mut pg_sys::SnapshotSelfData,
            };
            #[cfg(not(feature = "pg18"))]
            let scan = pg_sys::index_beginscan(table.relation, index, snapshot, conditions as i32, 0);
            #[cfg(feature = "pg18")]
            let scan = pg_sys::index_beginscan(
                table.relation,
                index,
                snapshot,
                std::ptr::null_mut(),
                conditions as i32,
                0,
            );
            // Entries are looked at before their rows are.
            (*scan).xs_want_itup = true;
            let slot = pg_sys::table_slot_create(table.relation, std::ptr::null_mut());
            let values = Box::new([Uuid::from_bytes([0; 16]); MOST_CONDITIONS]);
            Self { table, index, scan, slot, order: Order::Rising, values }
        }
    }

    /// Begins anew, before the first entry that meets the conditions: one for each column that was announced, in their order.
    pub fn seek(&mut self, conditions: &[Condition], order: Order) {
        let mut keys = [pg_sys::ScanKeyData::default(); MOST_CONDITIONS];
        // SAFETY: the scan was begun for so many conditions, it copies the keys, and what they point to lives as long as it.
        unsafe {
            assert!((*self.scan).numberOfKeys == conditions.len() as i32);
            for (place, condition) in conditions.iter().enumerate() {
                let (strategy, procedure, value) = match *condition {
                    Condition::Is(id) => {
                        self.values[place] = id;
                        let value = Datum::from(self.values[place].as_bytes().as_ptr());
                        (pg_sys::BTEqualStrategyNumber, pg_sys::F_UUID_EQ, value)
                    }
                    Condition::AtMost(most) => {
                        (pg_sys::BTLessEqualStrategyNumber, pg_sys::F_INT4LE, Datum::from(most))
                    }
                };
                let procedure = Oid::from(procedure);
                pg_sys::ScanKeyInit(&mut keys[place], place as i16 + 1, strategy as u16, procedure, value);
            }
            pg_sys::index_rescan(
                self.scan,
                keys.as_mut_ptr(),
                conditions.len() as i32,
                std::ptr::null_mut(),
                0,
            );
        }
        self.order = order;
    }

    /// Goes to the next entry, whose row may not be visible. False at the end.
    pub fn next_entry(&mut self) -> bool {
        pgrx::check_for_interrupts!();
        // SAFETY: the scan was begun, and positioned by seek().
        unsafe { !pg_sys::index_getnext_tid(self.scan, self.direction()).is_null() }
    }

    /// A depth and an id, which the entry has in its last two columns of four.
    pub fn entry(&self) -> (i32, Uuid) {
        let mut values = [Datum::null(); MOST_CONDITIONS];
        let mut nulls = [false; MOST_CONDITIONS];
        // SAFETY: after next_entry() the scan has the entry, as it was asked for; the columns are counted and their types
        // looked at before they are read; no column of it can be null.
        unsafe {
            let descriptor = (*self.scan).xs_itupdesc;
            assert!((*descriptor).natts as usize == MOST_CONDITIONS);
            pg_sys::index_deform_tuple(
                (*self.scan).xs_itup,
                descriptor,
                values.as_mut_ptr(),
                nulls.as_mut_ptr(),
            );
            let types = [3, 4].map(|column| pg_sys::SPI_gettypeid(descriptor, column));
            assert!(types == [pg_sys::INT4OID, pg_sys::UUIDOID] && nulls == [false; MOST_CONDITIONS]);
            let id = *values[3].cast_mut_ptr::<[u8; 16]>();
            (values[2].value() as i32, Uuid::from_bytes(id))
        }
    }

    /// Reads the row of the entry, if it is visible.
    pub fn fetch(&mut self) -> bool {
        // SAFETY: after next_entry() the scan is at an entry; the slot is one of the table's.
        unsafe { pg_sys::index_fetch_heap(self.scan, self.slot) }
    }

    /// Goes to the next visible row. False at the end.
    pub fn next_row(&mut self) -> bool {
        pgrx::check_for_interrupts!();
        // SAFETY: the scan was begun, and positioned by seek(); the slot is one of the table's.
        unsafe { pg_sys::index_getnext_slot(self.scan, self.direction(), self.slot) }
    }

    /// A value of the row that was read last.
    pub fn get<T: FromDatum>(&self, column: &Column<T>) -> Option<T> {
        let (value, is_null) = self.datum(self.table.number(column));
        // SAFETY: the column has this type, as was checked, and the row is still held by the slot.
        unsafe { T::from_datum(value, is_null) }
    }

    /// The same of a column that is never null.
    pub fn required<T: FromDatum>(&self, column: &Column<T>) -> T {
        self.get(column).unwrap_or_else(|| pgrx::error!("a column that is never null has no value"))
    }

    /// Whether this transaction has made that row, so that nobody else can see it.
    pub fn is_own_row(&self) -> bool {
        let mut is_null = false;
        // SAFETY: the slot holds a row of the heap; its tuple is looked at before anything else happens to it.
        unsafe {
            let tuple = pg_sys::ExecFetchSlotHeapTuple(self.slot, false, std::ptr::null_mut());
            let column = pg_sys::MinTransactionIdAttributeNumber;
            let made_by = pg_sys::heap_getsysattr(tuple, column, self.table.descriptor(), &mut is_null);
            pg_sys::TransactionIdIsCurrentTransactionId((made_by.value() as u32).into())
        }
    }

    /// Locks the row that was read last, as a foreign key does, so that its key stays until the transaction ends. False where that
    /// takes more than a moment: somebody else is changing it, or the transaction must not see what came after its beginning.
    pub fn lock_key(&mut self) -> bool {
        let mut failure = pg_sys::TM_FailureData::default();
        // SAFETY: the slot holds a row of the open table, whose place is copied because the row is read into the slot anew. What is
        // called is the table's own method, with the arguments that it is declared with; an error of it passes through the guard.
        unsafe {
            if pg_sys::XactIsoLevel >= pg_sys::XACT_REPEATABLE_READ as i32 {
                return false;
            }
            let Some(lock) = (*(*self.table.relation).rd_tableam).tuple_lock else { return false };
            let mut place = (*self.slot).tts_tid;
            let (table, slot) = (self.table.relation, self.slot);
            let outcome = pg_sys::ffi::pg_guard_ffi_boundary(|| {
                lock(
                    table,
                    &mut place,
                    (*self.scan).xs_snapshot,
                    slot,
                    pg_sys::GetCurrentCommandId(false),
                    pg_sys::LockTupleMode::LockTupleKeyShare,
                    pg_sys::LockWaitPolicy::LockWaitSkip,
                    0,
                    &mut failure,
                )
            });
            outcome == pg_sys::TM_Result::TM_Ok
        }
    }

    /// The value of a column of the row that was read last, as it is: it points into the row.
    pub(super) fn datum(&self, number: usize) -> (Datum, bool) {
        // SAFETY: the slot holds a row of the table, whose columns are counted from 1.
        unsafe {
            if ((*self.slot).tts_nvalid as usize) < number {
                pg_sys::slot_getsomeattrs_int(self.slot, number as i32);
            }
            (*(*self.slot).tts_values.add(number - 1), *(*self.slot).tts_isnull.add(number - 1))
        }
    }

    fn direction(&self) -> pg_sys::ScanDirection::Type {
        match self.order {
            Order::Rising => pg_sys::ScanDirection::ForwardScanDirection,
            Order::Falling => pg_sys::ScanDirection::BackwardScanDirection,
        }
    }
}

impl Drop for Scan<'_> {
    fn drop(&mut self) {
        // After an error the server lets go of what the scan holds.
        if !std::thread::panicking() {
            // SAFETY: each is open, and closed once.
            unsafe {
                pg_sys::ExecDropSingleTupleTableSlot(self.slot);
                pg_sys::index_endscan(self.scan);
                pg_sys::index_close(self.index, pg_sys::NoLock as i32);
            }
        }
    }
}

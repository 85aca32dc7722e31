//! The databases of the server, also for a process that is connected to none.

use std::ffi::{CStr, CString};

use pgrx::pg_sys::{self, Oid};

/// A row of pg_database.
pub struct Database {
    /// Its oid.
    pub oid: Oid,
    /// Whether it is a template or is half created or half dropped.
    pub is_template: bool,
    /// Whether it takes connections.
    pub takes_connections: bool,
}

/// All databases. SPI needs a database; this needs only a transaction.
pub fn list() -> Vec<Database> {
    let mut found = Vec::new();
    // SAFETY: a scan of a shared catalogue in a transaction. The tuple is read before the next one is fetched; its
    // fixed part has the layout of the struct.
    unsafe {
        let relation = pg_sys::table_open(pg_sys::DatabaseRelationId, pg_sys::AccessShareLock as i32);
        let scan = pg_sys::systable_beginscan(
            relation,
            Oid::INVALID,
            false,
            std::ptr::null_mut(),
            0,
            std::ptr::null_mut(),
        );
        loop {
            let tuple = pg_sys::systable_getnext(scan);
            if tuple.is_null() {
                break;
            }
            let row = &*pg_sys::heap_tuple_get_struct::<pg_sys::FormData_pg_database>(tuple);
            found.push(Database {
                oid: row.oid,
                is_template: row.datistemplate || row.datconnlimit == pg_sys::DATCONNLIMIT_INVALID_DB,
                takes_connections: row.datallowconn,
            });
        }
        pg_sys::systable_endscan(scan);
        pg_sys::table_close(relation, pg_sys::AccessShareLock as i32);
    }
    found
}

/// The database that this process is connected to; invalid if none.
pub fn current() -> Oid {
    // SAFETY: reads a global of the server.
    unsafe { pg_sys::MyDatabaseId }
}

/// The oid of a database, if there is one of that name.
pub fn by_name(name: &str) -> Option<Oid> {
    let name = CString::new(name).ok()?;
    // SAFETY: a catalogue look-up in a transaction; the name lives until the end of the call.
    let oid = unsafe { pg_sys::get_database_oid(name.as_ptr(), true) };
    (oid != Oid::INVALID).then_some(oid)
}

/// Its name, if it is still there.
pub fn name(database: Oid) -> Option<String> {
    // SAFETY: a catalogue look-up in a transaction; the answer is null or a C string that is copied here.
    unsafe {
        let name = pg_sys::get_database_name(database);
        (!name.is_null()).then(|| CStr::from_ptr(name).to_string_lossy().into_owned())
    }
}

/// Whether the current database has the extension; if so, it cannot be dropped until the transaction ends.
///
/// DROP EXTENSION locks the extension before its tables: who locks the tables first, and waits for another one, would
/// deadlock with it.
pub fn lock_extension(name: &CStr) -> bool {
    // SAFETY: catalogue look-ups in a transaction; the second one sees what was dropped while we waited for the lock.
    unsafe {
        let oid = pg_sys::get_extension_oid(name.as_ptr(), true);
        if oid == Oid::INVALID {
            return false;
        }
        pg_sys::LockDatabaseObject(
            pg_sys::ExtensionRelationId,
            oid,
            0,
            pg_sys::AccessShareLock as pg_sys::LOCKMODE,
        );
        pg_sys::get_extension_oid(name.as_ptr(), true) == oid
    }
}

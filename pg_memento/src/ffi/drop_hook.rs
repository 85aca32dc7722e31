//! Tells us that a table of schema memento is about to be dropped, by whatever command, and that an extension comes or
//! goes.

use std::sync::OnceLock;

use pgrx::pg_sys;
use pgrx::prelude::*;

/// Whom to tell.
#[derive(Clone, Copy)]
pub struct Callbacks {
    /// Gets the table's oid while its rows can still be read, and may raise an error.
    pub before_table_drop: fn(pg_sys::Oid),
    /// An extension, whichever, is made or dropped in this transaction.
    pub extension_changes: fn(),
}

static CALLBACKS: OnceLock<Callbacks> = OnceLock::new();
static PREVIOUS: OnceLock<pg_sys::object_access_hook_type> = OnceLock::new();

/// Installs the hook.
pub fn install(callbacks: Callbacks) {
    if CALLBACKS.set(callbacks).is_err() {
        return;
    }
    // SAFETY: called once, from _PG_init, in the only thread; the hook found here is kept and called first.
    unsafe {
        let _ = PREVIOUS.set(pg_sys::object_access_hook);
        pg_sys::object_access_hook = Some(on_object_access);
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn on_object_access(
    access: pg_sys::ObjectAccessType::Type,
    class: pg_sys::Oid,
    object: pg_sys::Oid,
    sub_object: i32,
    argument: *mut std::ffi::c_void,
) {
    if let Some(Some(previous)) = PREVIOUS.get() {
        // SAFETY: the hook that was there before us, called with the arguments we were given.
        unsafe { previous(access, class, object, sub_object, argument) }
    }
    let Some(callbacks) = CALLBACKS.get() else { return };
    if class == pg_sys::ExtensionRelationId
        && matches!(access, pg_sys::ObjectAccessType::OAT_POST_CREATE | pg_sys::ObjectAccessType::OAT_DROP)
    {
        (callbacks.extension_changes)();
    }
    let drops_table = access == pg_sys::ObjectAccessType::OAT_DROP
        && class == pg_sys::RelationRelationId
        && sub_object == 0
        && is_our_table(object);
    if drops_table {
        (callbacks.before_table_drop)(object);
    }
}

fn is_our_table(relation: pg_sys::Oid) -> bool {
    // SAFETY: catalogue look-ups inside the transaction that drops the object; nothing is kept.
    unsafe {
        pg_sys::get_rel_relkind(relation) as u8 == pg_sys::RELKIND_RELATION
            && pg_sys::get_rel_namespace(relation) == pg_sys::get_namespace_oid(c"memento".as_ptr(), true)
    }
}

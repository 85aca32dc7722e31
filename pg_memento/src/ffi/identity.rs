//! Who is asking, and doing a piece of work as somebody else.
//!
//! Row-level security keeps the planner from using GIN indexes (their operators are not leakproof), and members
//! of a project have no write privilege on the tables. So functions check the caller's membership first and
//! then run their statements as the owner of the extension, in the same C call: there is no SECURITY DEFINER
//! function that could be called with somebody else's project.

use std::ffi::CStr;

use pgrx::pg_sys;

/// The role whose privileges count: `current_user`.
pub fn current_role() -> pg_sys::Oid {
    // SAFETY: reads a global of the server.
    unsafe { pg_sys::GetUserId() }
}

/// Whether that role is a superuser, and so not bound by membership.
pub fn is_superuser(role: pg_sys::Oid) -> bool {
    // SAFETY: a catalogue look-up in a transaction; unknown roles are answered with false.
    unsafe { pg_sys::superuser_arg(role) }
}

/// The owner of an extension of the current database; none if it is not installed. Every call of every function asks, more
/// than once, so there is no statement about it.
pub fn extension_owner(name: &CStr) -> Option<pg_sys::Oid> {
    // SAFETY: a scan of a catalogue in a transaction, by its index on the name, which lives until the end of the call. The
    // tuple is read before the scan ends; its fixed part has the layout of the struct.
    unsafe {
        let relation = pg_sys::table_open(pg_sys::ExtensionRelationId, pg_sys::AccessShareLock as i32);
        let mut key = pg_sys::ScanKeyData::default();
        pg_sys::ScanKeyInit(
            &mut key,
            pg_sys::Anum_pg_extension_extname as i16,
            pg_sys::BTEqualStrategyNumber as u16,
            pg_sys::Oid::from(pg_sys::F_NAMEEQ),
            name.as_ptr().into(),
        );
        let scan = pg_sys::systable_beginscan(
            relation,
            pg_sys::Oid::from(pg_sys::ExtensionNameIndexId),
            true,
            std::ptr::null_mut(),
            1,
            &mut key,
        );
        let tuple = pg_sys::systable_getnext(scan);
        let owner = (!tuple.is_null())
            .then(|| (*pg_sys::heap_tuple_get_struct::<pg_sys::FormData_pg_extension>(tuple)).extowner);
        pg_sys::systable_endscan(scan);
        pg_sys::table_close(relation, pg_sys::AccessShareLock as i32);
        owner
    }
}

/// Runs `work` with the privileges of `role`. The caller's are back when it ends, also by a panic; an error that
/// aborts the (sub)transaction restores them as well.
///
/// `SET ROLE` is refused meanwhile, and the owner is not held to its own tables' policies.
pub fn run_as<T>(role: pg_sys::Oid, work: impl FnOnce() -> T) -> T {
    let _guard = IdentityGuard::switch_to(role);
    work()
}

struct IdentityGuard {
    role: pg_sys::Oid,
    context: i32,
}

impl IdentityGuard {
    fn switch_to(role: pg_sys::Oid) -> Self {
        let mut saved = Self { role: pg_sys::Oid::INVALID, context: 0 };
        let flags = (pg_sys::SECURITY_LOCAL_USERID_CHANGE | pg_sys::SECURITY_NOFORCE_RLS) as i32;
        // SAFETY: both pointers are to live locals; the role is an existing one, read from the catalogue.
        unsafe {
            pg_sys::GetUserIdAndSecContext(&mut saved.role, &mut saved.context);
            pg_sys::SetUserIdAndSecContext(role, saved.context | flags);
        }
        saved
    }
}

impl Drop for IdentityGuard {
    fn drop(&mut self) {
        // SAFETY: the values are the ones that were in force before.
        unsafe { pg_sys::SetUserIdAndSecContext(self.role, self.context) }
    }
}

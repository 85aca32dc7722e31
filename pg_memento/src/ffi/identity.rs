//! Who is asking, and doing a piece of work as somebody else.
//!
//! Row-level security keeps the planner from using GIN indexes (their operators are not leakproof), and members
//! of a project have no write privilege on the tables. So functions check the caller's membership first and
//! then run their statements as the owner of the extension, in the same C call: there is no SECURITY DEFINER
//! function that could be called with somebody else's project.

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

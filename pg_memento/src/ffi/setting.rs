//! Settings of the server for the time of a piece of work.

use std::ffi::{CStr, CString};

use pgrx::pg_sys;

/// Runs `work` with other values of settings, which are back afterwards as they were, whatever happens. A setting that the
/// server does not know is left alone.
pub fn with_settings<T>(settings: &[(&CStr, String)], work: impl FnOnce() -> T) -> T {
    let _level = Level::enter();
    for (name, value) in settings {
        set(name, value);
    }
    work()
}

/// A level of settings, as a function with a SET clause has it.
struct Level(i32);

impl Level {
    fn enter() -> Self {
        // SAFETY: inside of a transaction; ended by `drop`.
        Self(unsafe { pg_sys::NewGUCNestLevel() })
    }
}

impl Drop for Level {
    fn drop(&mut self) {
        // SAFETY: the level that was entered. After an error the end of the (sub)transaction would do the same, later.
        unsafe { pg_sys::AtEOXact_GUC(true, self.0) }
    }
}

fn set(name: &CStr, value: &str) {
    let Ok(value) = CString::new(value) else { return };
    // SAFETY: the server copies the texts. The context is that of a user, so nothing is set that the user could not set.
    unsafe {
        if pg_sys::GetConfigOption(name.as_ptr(), true, false).is_null() {
            return;
        }
        pg_sys::set_config_option(
            name.as_ptr(),
            value.as_ptr(),
            pg_sys::GucContext::PGC_USERSET,
            pg_sys::GucSource::PGC_S_SESSION,
            pg_sys::GucAction::GUC_ACTION_SAVE,
            true,
            0,
            false,
        );
    }
}

//! What happens when the library is loaded.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::{ffi, gucs};

static PRELOADED: AtomicBool = AtomicBool::new(false);

/// Works preloaded and not. During pg_upgrade nothing is set up: the old cluster's catalogue is being copied
/// and no memory may be looked at.
pub fn init() {
    if ffi::server::in_binary_upgrade() {
        return;
    }
    ffi::server::forget_backtrace_settings();
    PRELOADED.store(ffi::server::preloading(), Ordering::Relaxed);
    gucs::init();
    ffi::drop_hook::install(crate::service::drop_guard::before_table_drop);
}

/// Whether shared_preload_libraries names the library. Inherited by every backend from the postmaster.
pub fn preloaded() -> bool {
    PRELOADED.load(Ordering::Relaxed)
}

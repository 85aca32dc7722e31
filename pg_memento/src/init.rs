//! What happens when the library is loaded.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::{background, ffi, gucs, service};

static PRELOADED: AtomicBool = AtomicBool::new(false);

/// Works preloaded and not. During pg_upgrade nothing is set up: the old cluster's catalogue is being copied
/// and no memory may be looked at.
pub fn init() {
    if ffi::server::in_binary_upgrade() {
        return;
    }
    ffi::server::forget_backtrace_settings();
    let preloading = ffi::server::preloading();
    PRELOADED.store(preloading, Ordering::Relaxed);
    gucs::init(preloading);
    ffi::drop_hook::install(ffi::drop_hook::Callbacks {
        before_table_drop: service::drop_guard::before_table_drop,
        extension_changes: background::wake::at_commit,
    });
    if preloading {
        background::start::install();
    }
}

/// Whether shared_preload_libraries names the library. Inherited by every backend from the postmaster.
pub fn preloaded() -> bool {
    PRELOADED.load(Ordering::Relaxed)
}

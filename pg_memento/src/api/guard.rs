//! See sql/61_guard.sql.

use pgrx::prelude::*;

/// Does nothing but make the server load the library, and with it the hook that protects memories.
#[pg_extern(
    volatile,
    parallel_unsafe,
    sql = "create function memento._load_library() returns event_trigger
  language c volatile parallel unsafe as 'MODULE_PATHNAME', '_load_library_wrapper';"
)]
pub fn _load_library() {}

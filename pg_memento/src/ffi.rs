//! The only place with `unsafe`: thin, safe wrappers over the server's C functions.
#![allow(unsafe_code)]

pub mod command;
pub mod database;
pub mod drop_hook;
pub mod explain;
pub mod identity;
pub mod index_scan;
pub mod jsonb;
pub mod latch;
pub mod new_row;
pub mod procedure;
pub mod process;
pub mod regclass;
pub mod relayed;
pub mod release;
pub mod server;
pub mod setting;
pub mod shaped;
pub mod shmem;
pub mod stored;
pub mod subtransaction;
pub mod thread;
pub mod timer;
pub mod transaction;
pub mod transaction_end;
pub mod tsvector;
pub mod utility_hook;

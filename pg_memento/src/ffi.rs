//! The only place with `unsafe`: thin, safe wrappers over the server's C functions.
#![allow(unsafe_code)]

pub mod drop_hook;
pub mod identity;
pub mod jsonb;
pub mod regclass;
pub mod server;

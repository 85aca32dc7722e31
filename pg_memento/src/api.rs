//! The functions that SQL can call: decode, call, encode. No SQL text, no unsafe.

pub mod canonical;
pub mod commit;
pub mod diff;
pub mod evidence;
pub mod guard;
mod interval;
pub mod lexical;
pub mod memory;
pub mod operate;
pub mod profile;
pub mod query;
pub mod queue;
pub mod search;
pub mod tenancy;
pub mod term;
pub mod text;
pub mod transcript;
pub mod worker;

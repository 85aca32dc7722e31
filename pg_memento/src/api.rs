//! The functions that SQL can call: decode, call, encode. No SQL text, no unsafe.

pub mod canonical;
pub mod commit;
pub mod diff;
pub mod evidence;
pub mod guard;
pub mod lineage;
pub mod memory;
pub mod operate;
pub mod query;
pub mod search;
pub mod tenancy;
pub mod term;
pub mod text;
pub mod transcript;

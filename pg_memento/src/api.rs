//! The functions that SQL can call: decode, call, encode. No SQL text, no unsafe.

pub mod artifact;
pub mod audit;
pub mod canonical;
pub mod commit;
pub mod diff;
pub mod erase;
pub mod eval;
pub mod evidence;
pub mod guard;
pub mod history;
pub mod ingest;
mod interval;
pub mod lexical;
pub mod lineage;
pub mod memory;
pub mod operate;
pub mod profile;
pub mod query;
pub mod queue;
pub mod rate;
pub mod retrieve;
pub mod search;
pub mod tenancy;
pub mod term;
pub mod text;
pub mod transcript;
pub mod worker;

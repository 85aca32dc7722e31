//! Use cases: who may do it, what the core computes, which statements run. No Datum, no SQL text.

pub mod access;
pub mod canonical;
pub mod commit;
pub mod doctor;
pub mod drop_guard;
pub mod evidence;
pub mod item;
pub mod lineage;
pub mod list;
pub mod memory;
pub mod search;
pub mod secret;
pub mod tenancy;
pub mod term;
pub mod text;
pub mod transcript;

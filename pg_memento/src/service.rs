//! Use cases: who may do it, what the core computes, which statements run. No Datum, no SQL text.

pub mod access;
pub mod canonical;
pub mod commit;
pub mod doctor;
pub mod drop_guard;
pub mod embed;
pub mod eval;
pub mod evidence;
pub mod grouped;
pub mod item;
pub mod list;
pub mod memory;
pub mod models;
pub mod profile;
pub mod queue;
pub mod retrieve;
pub mod search;
pub mod secret;
pub mod tenancy;
pub mod term;
pub mod text;
pub mod transcript;
pub mod worker;

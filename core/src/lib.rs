//! The pure part of pg_memento: no Postgres, no IO, no clock, no unsafe.
//!
//! Everything here is a function of its arguments, so it can be tested by properties and called from any
//! layer above.
#![forbid(unsafe_code)]

pub mod access;
pub mod backoff;
pub mod bm25;
pub mod chunk;
pub mod citation;
pub mod diff;
pub mod event;
pub mod filter;
pub mod fusion;
pub mod job_state;
pub mod lineage;
pub mod memory_kind;
pub mod metric;
pub mod nearest;
pub mod placing;
pub mod project;
pub mod query;
pub mod quote;
pub mod restart;
pub mod retention;
pub mod secret;
pub mod sentence;
pub mod similarity;
pub mod snippet;
pub mod tech;
pub mod token;
pub mod transcript;
pub mod version;

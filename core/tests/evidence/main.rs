//! Evidence that text is cut as it should be: against another parser, over corpora, by snapshots, and with random input.

#![allow(clippy::unwrap_used)] // Also in functions that only tests call.

mod commonmark;
mod corpus;
mod data;
mod fuzz;
mod invariant;
mod snapshot;
mod stated;
mod target;
mod unicode;

//! Evidence that text is cut as it should be: against another parser, over corpora, by snapshots, and with random input.

mod commonmark;
mod corpus;
mod data;
mod fuzz;
mod invariant;
mod snapshot;
mod stated;
mod target;
mod unicode;

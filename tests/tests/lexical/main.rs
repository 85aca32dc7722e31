//! The lexical lane: ranked by BM25 with counts that are always right, for any query, with and without an engine.

mod counting;
mod engine_trouble;
mod engines;
mod queries;
mod scene;

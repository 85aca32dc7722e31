//! The layer between `memento-core` and the outside world: the job loop and the model providers, without pgrx,
//! so that the background worker and a separate process can run the same code.
#![forbid(unsafe_code)]

pub mod batch;
pub mod caller;
pub mod database;
mod embedding;
pub mod job;
pub mod models;
pub mod provider;
pub mod runner;
pub mod store;

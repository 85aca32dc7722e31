//! What runs without a client: a launcher, a worker for each database that has the extension, one more while it has an
//! index built, and a process for the local model. Processes share the table of `slots`; nothing here is unsafe and nothing has SQL text.

#[cfg(feature = "pg_test")]
mod conformance;
mod databases;
mod index_builder;
pub mod launcher;
pub mod model_host;
pub mod queue;
pub mod slots;
pub mod start;
pub mod task;
pub mod wake;
pub mod worker;

//! The layer between `memento-core` and the outside world: the job loop and the model providers, without pgrx,
//! so that the background worker and a separate process can run the same code.
#![forbid(unsafe_code)]

pub mod batch;
pub mod caller;
#[cfg(feature = "client")]
pub mod client;
#[cfg(feature = "client")]
pub mod command_line;
#[cfg(feature = "testing")]
pub mod conformance;
pub mod database;
mod debt;
mod embedding;
mod extraction;
mod http;
pub mod index;
pub mod job;
mod local;
pub mod metrics;
pub mod model_socket;
pub mod models;
pub mod provider;
mod record;
pub mod runner;
mod scene;
pub mod secret;
pub mod store;
mod unusable;

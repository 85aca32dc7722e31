//! The layer between `memento-core` and the outside world: the job loop and the model providers, without pgrx,
//! so that the background worker and a separate process can run the same code.
//!
//! There is no asynchronous work yet: `remember` chunks and indexes in its own transaction.
#![forbid(unsafe_code)]

mod http;
mod local;
pub mod model_socket;
pub mod provider;
pub mod secret;

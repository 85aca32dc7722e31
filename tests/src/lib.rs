//! A throw-away Postgres cluster for each test file, and what tests of the extension share.
//!
//! `scripts/test` says through the environment which server to use; see [`server::Server::from_environment`].
#![forbid(unsafe_code)]

pub mod catalogue;
pub mod cluster;
pub mod failure;
pub mod server;
pub mod snippet;

pub use cluster::{Cluster, Settings};
pub use server::Server;

use std::path::PathBuf;

/// The root of the checkout.
pub fn checkout() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is in the workspace").to_owned()
}

/// The version of the workspace, which is the extension's.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

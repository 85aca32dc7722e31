//! A throw-away Postgres cluster for each test file, and what tests of the extension share.
//!
//! `scripts/test` says through the environment which server to use; see [`server::Server::from_environment`].
#![forbid(unsafe_code)]

pub mod catalogue;
pub mod cluster;
pub mod external;
pub mod failure;
pub mod hostile;
pub mod server;
pub mod snippet;
pub mod wait;

pub use cluster::{Cluster, Settings};
pub use server::Server;
pub use wait::eventually;

use std::path::PathBuf;

/// The root of the checkout.
pub fn checkout() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is in the workspace").to_owned()
}

/// The version of the workspace, which is the extension's.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Compares a file of the checkout with what it should contain. With MEMENTO_UPDATE=1 it is written instead.
#[track_caller]
pub fn assert_file(path: &std::path::Path, expected: &str) {
    if updating() {
        std::fs::write(path, expected).expect("the checkout is writable");
        return;
    }
    let actual = std::fs::read_to_string(path).unwrap_or_default();
    if actual != expected {
        let line =
            actual.lines().zip(expected.lines()).position(|(a, b)| a != b).unwrap_or(actual.lines().count());
        panic!(
            "{} is out of date at line {}: run scripts/update-expected\n  is:        {:?}\n  should be: {:?}",
            path.display(),
            line + 1,
            actual.lines().nth(line),
            expected.lines().nth(line),
        );
    }
}

/// Whether expected files are to be written rather than compared.
pub fn updating() -> bool {
    std::env::var_os("MEMENTO_UPDATE").is_some()
}

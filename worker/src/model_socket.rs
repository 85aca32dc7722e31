//! The local models for other processes of the same machine: one process holds them, the others ask over a Unix socket, so that a
//! hundred connections do not hold a hundred copies.
//!
//! A connection carries one request and one response, each a frame: a byte for the version, a byte for what it is, four bytes
//! for the length (little-endian), and the content. Sizes and times have limits on both sides.

mod client;
mod frame;
mod server;

use serde::{Deserialize, Serialize};

pub use self::client::{Call, SocketEmbedder};
pub use self::server::{Loader, RerankerLoader, Server, ServerOptions};
use crate::provider::{ProviderError, Purpose};

/// What can be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// One vector for each text.
    Embed {
        /// The texts.
        texts: Vec<String>,
        /// What they are embedded for.
        purpose: Purpose,
    },
    /// One score for each text.
    Rerank {
        /// What the texts may answer.
        query: String,
        /// The texts.
        texts: Vec<String>,
    },
    /// Whether the embedding model is loaded. Never waits, and does not load it.
    Status,
}

/// What is answered.
#[derive(Clone, Debug, PartialEq)]
pub enum Response {
    /// The vectors, in the order of the texts, and the tokens of all texts.
    Vectors {
        /// The vectors.
        vectors: Vec<Vec<f32>>,
        /// How many tokens the texts had.
        tokens: u64,
    },
    /// The scores, in the order of the texts, and the tokens of all pairs.
    Scores {
        /// The scores.
        scores: Vec<f32>,
        /// How many tokens query and texts had, together.
        tokens: u64,
    },
    /// The state of the model.
    Status(Status),
}

/// The state of the model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "lowercase")]
pub enum Status {
    /// Nobody has asked for it yet.
    Idle,
    /// Being loaded.
    Loading,
    /// Loaded.
    Ready,
    /// It could not be loaded.
    Failed {
        /// The code of the error.
        code: String,
        /// Why.
        message: String,
        /// What to do about it.
        hint: Option<String>,
    },
}

impl Status {
    fn failed(error: &ProviderError) -> Self {
        let ProviderError { code, message, hint, .. } = error.clone();
        Self::Failed { code: code.name().into(), message, hint }
    }
}

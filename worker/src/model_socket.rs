//! The local models for other processes of the same machine: one process holds them, the others ask over a Unix socket, so that a
//! hundred connections do not hold a hundred copies.
//!
//! A connection carries one request and one response, each a frame: a byte for the version, a byte for what it is, four bytes
//! for the length (little-endian), and the content. Sizes and times have limits on both sides.

mod client;
mod frame;
mod server;

pub use self::client::{Call, SocketEmbedder, time_for};
pub use self::server::{Loader, RerankerLoader, Server, ServerOptions};
use crate::provider::{ProfileSpec, Purpose};

/// What can be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// One vector for each text.
    Embed {
        /// The profile: which model, and how it is used.
        spec: ProfileSpec,
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
        /// Of the model that made them.
        fingerprint: String,
    },
    /// The scores, in the order of the texts, and the tokens of all pairs.
    Scores {
        /// The scores.
        scores: Vec<f32>,
        /// How many tokens query and texts had, together.
        tokens: u64,
    },
}

//! What the loop reads from the database and enters into it.

use std::time::Duration;

use serde_json::Value as Json;
use uuid::Uuid;

use crate::job::{Held, Input};

/// An embedding profile as the database has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Its key.
    pub profile: Uuid,
    /// The provider's name.
    pub provider: String,
    /// The model's name.
    pub model: String,
    /// How many numbers a vector has.
    pub dims: usize,
    /// How it is reached.
    pub config: Json,
    /// Who it shares pauses with.
    pub endpoint: String,
}

/// A call of a model, for the ledger.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The job that it was for, or one of them.
    pub held: Held,
    /// ok, or the code of the failure.
    pub outcome: String,
    /// How many texts it had.
    pub items: usize,
    /// What it used.
    pub tokens: u64,
    /// Bytes of the request.
    pub sent: u64,
    /// Bytes of the answer.
    pub received: u64,
    /// How long it took.
    pub duration: Duration,
}

/// What a worker says about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many jobs it has now.
    pub in_flight: usize,
    /// How many it has done.
    pub done: u64,
    /// How many attempts have failed.
    pub failed: u64,
    /// The code of the last failure.
    pub last_error: Option<String>,
}

/// A vector for each of some inputs, in their order.
pub struct Vectors<'a> {
    /// What was embedded.
    pub inputs: &'a [Input],
    /// The vectors.
    pub vectors: &'a [Vec<f32>],
}

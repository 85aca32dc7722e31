//! What all lanes of a search have in common.

use std::time::Duration;

/// What a lane found: chunks, best first, with its own scores; ties by chunk. What it used, and how long it took.
pub struct LaneHits {
    pub hits: Vec<LaneHit>,
    pub used: String,
    pub took: Duration,
}

/// A chunk with the lane's own score.
#[derive(Clone, Copy)]
pub struct LaneHit {
    pub chunk_id: i64,
    pub score: f64,
}

/// What became of a lane.
pub enum LaneOutcome {
    Ran(LaneHits),
    Off { reason: String },
}

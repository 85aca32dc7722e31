//! What all lanes of a search have in common.

use std::time::{Duration, Instant};

use crate::ffi::subtransaction::{Abandoned, attempt_within};
use crate::gucs;
use crate::service::model_call;
use crate::spi::StatementResult;

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

impl LaneOutcome {
    /// Off for a reason.
    pub fn off(reason: impl Into<String>) -> Self {
        Self::Off { reason: reason.into() }
    }

    /// What it found; nothing if it did not run.
    pub fn hits(&self) -> &[LaneHit] {
        match self {
            Self::Ran(found) => &found.hits,
            Self::Off { .. } => &[],
        }
    }
}

/// Runs a lane in a subtransaction and under the time limit for lanes: its failure is noted, and the others answer.
pub fn guarded(name: &str, lane: impl FnOnce() -> LaneOutcome) -> LaneOutcome {
    let limit = gucs::lane_timeout_ms();
    model_call::begin();
    let reason = match attempt_within(limit, lane) {
        Ok(outcome) => return outcome,
        Err(Abandoned::TimedOut) => {
            model_call::give_up();
            format!("not done after {limit} ms (memento.lane_timeout)")
        }
        Err(Abandoned::Failed(caught)) => caught.to_string(),
    };
    pgrx::notice!("search goes on without lane {name}: {reason}");
    LaneOutcome::Off { reason }
}

/// Runs the statements of a lane and takes the time; what cannot be is noted like any failure.
pub fn timed(run: impl FnOnce() -> StatementResult<Result<(String, Vec<LaneHit>), String>>) -> LaneOutcome {
    let start = Instant::now();
    match run() {
        Ok(Ok((used, hits))) => LaneOutcome::Ran(LaneHits { hits, used, took: start.elapsed() }),
        Ok(Err(reason)) => LaneOutcome::Off { reason },
        Err(error) => LaneOutcome::off(error.to_string()),
    }
}

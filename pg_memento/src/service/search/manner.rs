//! How a search is made, beside what it asks for. It is kept with a pack, so that the pack can be made again.

use memento_core::query::{Date, Intent, LaneWeights};
use pgrx::Uuid;

use super::weights;
use crate::ffi::server::current_day;
use crate::gucs;
use crate::spi::StatementResult;

/// What a search takes from its session and its caller.
pub struct Manner {
    /// The day that "yesterday" is seen from.
    pub day: Date,
    /// How many chunks of one item come before those of others.
    pub max_per_item: usize,
    /// Whether a model looks at the best candidates again.
    pub rerank: bool,
    /// Whether documents are chosen first.
    pub hierarchical: bool,
    /// What the project multiplies the weights of lanes by.
    pub weights: LaneWeights,
    /// What kind of answer is wanted, where the caller says so; otherwise the query tells.
    pub intent: Option<Intent>,
}

impl Manner {
    /// As the session's settings and the project have it.
    pub fn of(project: Uuid) -> StatementResult<Self> {
        Ok(Self {
            day: Date::from_days(current_day()).unwrap_or(Date::EPOCH),
            max_per_item: gucs::max_per_item(),
            rerank: gucs::rerank(),
            hierarchical: false,
            weights: weights::of(project)?,
            intent: None,
        })
    }
}

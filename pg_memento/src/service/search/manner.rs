//! How a search is made, beside what it asks for. It is kept with a pack, so that the pack can be made again.

use memento_core::query::Date;

use crate::ffi::server::current_day;
use crate::gucs;

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
}

impl Manner {
    /// As the session's settings have it.
    pub fn of_session() -> Self {
        Self {
            day: Date::from_days(current_day()).unwrap_or(Date::EPOCH),
            max_per_item: gucs::max_per_item(),
            rerank: gucs::rerank(),
            hierarchical: false,
        }
    }
}

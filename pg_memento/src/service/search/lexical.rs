//! The lexical lane: words of the query in the text.

use super::lane::{LaneHit, LaneOutcome, timed};
use crate::spi;
use crate::spi::search::Scope;

/// Full-text search.
pub fn run(scope: &Scope, query: &str, limit: i32) -> LaneOutcome {
    timed(|| {
        let found = spi::search::full_text(scope, query, limit)?;
        let hits = found.into_iter().map(|(chunk_id, score)| LaneHit { chunk_id, score }).collect();
        Ok(Ok(("full-text search".into(), hits)))
    })
}

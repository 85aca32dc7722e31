//! The lexical lane: words of the query in the text, ranked by BM25. By an engine where one is set up and can answer, else by
//! full-text search.

pub mod engine;
mod floor;
pub mod setup;

pub use floor::tsquery;

use std::time::Instant;

use super::lane::{LaneHit, LaneHits, LaneOutcome};
use crate::service::access::as_owner;
use crate::spi::StatementResult;
use crate::spi::search::Scope;

/// What is used where no engine is.
const FULL_TEXT: &str = "full-text search";

/// Whether an engine is what was used.
pub fn is_engine(used: &str) -> bool {
    used != FULL_TEXT
}

/// What was found, and by what.
type Answer = (Vec<LaneHit>, String);

/// The best chunks of a scope for a query. No query is an error.
pub fn run(scope: &Scope, query: &str, limit: i32) -> LaneOutcome {
    let start = Instant::now();
    match as_owner(|| find(scope, query, limit)) {
        Ok((hits, used)) => LaneOutcome::Ran(LaneHits { hits, used, took: start.elapsed() }),
        Err(error) => LaneOutcome::Off { reason: error.to_string() },
    }
}

fn find(scope: &Scope, query: &str, limit: i32) -> StatementResult<Answer> {
    match engine::find(scope, query, limit)? {
        Some(answer) => Ok(answer),
        None => floor::find(scope, query, limit),
    }
}

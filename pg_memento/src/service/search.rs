//! Finding memories again.

pub mod lane;
pub mod lexical;

use memento_core::access::AccessLevel;
use memento_core::filter::{Filter, FilterError};
use pgrx::prelude::*;

use self::lane::LaneOutcome;
use super::access::{AccessError, as_owner, authorize_current};
use crate::error::{Failure, StatementError, passed_on, reported};
use crate::ffi::jsonb::Jsonb;
use crate::spi;
use crate::spi::search::{Hit, Scope};

/// The most results of one search: beyond it a caller wants a list, not a search.
pub const MAX_RESULTS: i32 = 1000;

/// Why a search cannot run.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    #[error("k must be between 1 and {MAX_RESULTS}, not {0}")]
    BadLimit(i32),
    #[error(transparent)]
    Filter(#[from] FilterError),
    #[error(transparent)]
    Access(#[from] AccessError),
    #[error(transparent)]
    Statement(#[from] StatementError),
}

reported!(SearchError);

impl Failure for SearchError {
    passed_on!(Access, Statement);

    fn hint(&self) -> Option<String> {
        match self {
            Self::BadLimit(_) => Some("give the number of results that you want to read".into()),
            Self::Filter(error) => Some(error.hint()),
            _ => None,
        }
    }
}

/// Searches the session's project: the latest versions, or those that were live at a time.
pub fn search(
    query: &str,
    limit: i32,
    filters: &Jsonb,
    as_of: Option<TimestampWithTimeZone>,
) -> Result<Vec<Hit>, SearchError> {
    if !(1..=MAX_RESULTS).contains(&limit) {
        return Err(SearchError::BadLimit(limit));
    }
    // Deeper or larger than JSON can be here is no object of ours.
    let filter = Filter::from_json(&filters.parse().map_err(|_| FilterError::NotAnObject)?)?;
    let project = authorize_current(AccessLevel::Read)?;
    if filter.matches_nothing() {
        return Ok(Vec::new());
    }
    let scope = Scope { project, filter, as_of };
    match lexical::run(&scope, query, limit) {
        LaneOutcome::Ran(found) => {
            let (chunks, scores) = found.hits.iter().map(|hit| (hit.chunk_id, hit.score)).unzip();
            Ok(as_owner(|| spi::search::hits(project, chunks, scores, &found.used))?)
        }
        LaneOutcome::Off { reason } => {
            pgrx::notice!("nothing was searched: {reason}");
            Ok(Vec::new())
        }
    }
}

//! Finding memories again.

pub mod dense;
mod fuse;
pub mod gather;
pub mod hierarchy;
pub mod lane;
pub mod lexical;
pub mod manner;
mod mention;
mod rerank;
mod tech_token;
mod trigram;
pub mod weights;

use std::collections::BTreeMap;

use memento_core::access::AccessLevel;
use memento_core::filter::{Filter, FilterError};
use pgrx::Uuid;
use pgrx::pg_sys::panic::{ErrorReport, ErrorReportable};
use pgrx::prelude::*;
use serde_json::{Value, json};

use self::gather::{Ranked, gather};
use super::access::{AccessError, as_owner, authorize_current};
use super::lineage::{found_items, record};
use crate::error::{Failure, StatementError, passed_on, reported};
use crate::ffi::jsonb::Jsonb;
use crate::ffi::subtransaction::attempt_reading;
use crate::ffi::transaction::Caught;
use crate::spi::search::{Candidate, Passage, Scope};
use crate::spi::{self, StatementResult};

/// The most results of one search: beyond it a caller wants a list, not a search.
pub const MAX_RESULTS: i32 = 1000;

/// Why a search cannot run.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    #[error("k must be between 1 and {MAX_RESULTS}, not {0}")]
    BadLimit(i32),
    #[error("the chunks cannot be read: {0}")]
    Unreadable(Caught),
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

    fn sqlstate(&self) -> PgSqlErrorCode {
        match self {
            Self::Unreadable(_) => PgSqlErrorCode::ERRCODE_INDEX_CORRUPTED,
            _ => PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::Unreadable(_) => "INDEX_UNREADABLE",
            _ => "VALIDATION_ERROR",
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Unreadable(_) => Some(
                "an index may be broken: memento.disable_bm25() drops that of an engine, reindex table memento.chunk builds all anew".into(),
            ),
            Self::BadLimit(_) => Some("give the number of results that you want to read".into()),
            Self::Filter(error) => Some(error.hint()),
            _ => None,
        }
    }
}

/// One result.
pub struct Hit {
    pub passage: Passage,
    pub score: f64,
    pub lanes: Jsonb,
}

/// What a search asks for, checked; none if nothing can match.
pub fn scope(
    limit: i32,
    filters: &Jsonb,
    as_of: Option<TimestampWithTimeZone>,
) -> Result<Option<Scope>, SearchError> {
    if !(1..=MAX_RESULTS).contains(&limit) {
        return Err(SearchError::BadLimit(limit));
    }
    // Deeper or larger than JSON can be here is no object of ours.
    let filter = Filter::from_json(&filters.parse().map_err(|_| FilterError::NotAnObject)?)?;
    let project = authorize_current(AccessLevel::Read)?;
    Ok((!filter.matches_nothing()).then(|| Scope::new(project, filter, as_of)))
}

/// What a search found.
#[derive(Default)]
pub struct Found {
    /// Best first.
    pub hits: Vec<Hit>,
    /// For each identifier of the query that is there, the chunks that have it. The rarest first.
    pub wants: Vec<Vec<i64>>,
    /// Whether a model has looked at the best of them again, whose order is not that of the scores.
    pub is_reranked: bool,
}

/// Searches the session's project: the latest versions, or those that were live at a time.
pub fn search(
    query: &str,
    limit: i32,
    filters: &Jsonb,
    as_of: Option<TimestampWithTimeZone>,
) -> Result<Found, SearchError> {
    let Some(scope) = scope(limit, filters, as_of)? else { return Ok(Found::default()) };
    let found = find_in(&scope, query, limit)?;
    record_search(query, limit, &found.hits)?;
    Ok(found)
}

/// Records a search as an event, where that is asked for.
pub fn record_search<'a>(
    query: &str,
    limit: i32,
    hits: impl IntoIterator<Item = &'a Hit>,
) -> Result<(), AccessError> {
    record("search", || event_data(query, limit, hits))
}

/// The best chunks of a scope that the caller may read.
pub fn find_in(scope: &Scope, query: &str, limit: i32) -> Result<Found, SearchError> {
    Ok(as_owner(|| {
        let found = gather(scope, query, limit)?;
        let chunks = found.ranked.iter().map(|ranked| ranked.chunk_id).collect();
        let mut passages: BTreeMap<i64, Passage> = spi::search::passages(scope.project, chunks)?
            .into_iter()
            .map(|passage| (passage.chunk_id, passage))
            .collect();
        let hit = |ranked: Ranked| {
            let passage = passages.remove(&ranked.chunk_id)?;
            Some(Hit { passage, score: ranked.score, lanes: ranked.lanes.into() })
        };
        let (wants, is_reranked) = (found.wants(), found.reranked_from().is_some());
        Ok(Found { hits: found.ranked.into_iter().filter_map(hit).collect(), wants, is_reranked })
    })?)
}

/// What decides about the places of chunks beside the lanes. The first statement outside of a lane: an index that the server cannot
/// even plan with stops here, after all lanes.
fn candidates(project: Uuid, chunks: Vec<i64>) -> StatementResult<Vec<Candidate>> {
    match attempt_reading(|| spi::search::candidates(project, chunks)) {
        Ok(candidates) => candidates,
        Err(caught) => Err(ErrorReport::from(SearchError::Unreadable(caught))).unwrap_or_report(),
    }
}

/// What the event of a search says: what was asked, and which memories were found, best first.
fn event_data<'a>(query: &str, limit: i32, hits: impl IntoIterator<Item = &'a Hit>) -> Value {
    let passages: Vec<&Passage> = hits.into_iter().map(|hit| &hit.passage).collect();
    let chunks: Vec<i64> = passages.iter().map(|passage| passage.chunk_id).collect();
    let items = found_items(passages.iter().map(|passage| passage.item_id));
    json!({"query": query, "k": limit, "item_ids": items, "chunk_ids": chunks})
}

/// The best chunks of what a filter keeps, in a project that the caller may read.
pub fn best_of(project: Uuid, filter: Filter, query: &str, limit: i32) -> Result<Vec<Hit>, SearchError> {
    if filter.matches_nothing() || limit < 1 {
        return Ok(Vec::new());
    }
    Ok(find_in(&Scope::new(project, filter, None), query, limit)?.hits)
}

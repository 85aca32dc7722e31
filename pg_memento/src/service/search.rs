//! Finding memories again.

mod dense;
mod fuse;
pub mod gather;
pub mod hierarchy;
pub mod lane;
pub mod lexical;
pub mod manner;
mod rerank;
mod tech_token;
mod trigram;
pub mod weights;

use std::collections::BTreeMap;

use memento_core::access::AccessLevel;
use memento_core::filter::{Filter, FilterError};
use pgrx::Uuid;
use pgrx::prelude::*;
use serde_json::{Value, json};

use self::gather::{Ranked, gather};
use super::access::{AccessError, as_owner, authorize_current};
use super::lineage::{found_items, record};
use crate::error::{Failure, StatementError, passed_on, reported};
use crate::ffi::jsonb::Jsonb;
use crate::spi;
use crate::spi::search::{Passage, Scope};

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
    Ok((!filter.matches_nothing()).then_some(Scope { project, filter, as_of, profile: None }))
}

/// Searches the session's project: the latest versions, or those that were live at a time.
pub fn search(
    query: &str,
    limit: i32,
    filters: &Jsonb,
    as_of: Option<TimestampWithTimeZone>,
) -> Result<Vec<Hit>, SearchError> {
    let Some(scope) = scope(limit, filters, as_of)? else { return Ok(Vec::new()) };
    let hits = hits_in(&scope, query, limit)?;
    record_search(query, limit, &hits)?;
    Ok(hits)
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
pub fn hits_in(scope: &Scope, query: &str, limit: i32) -> Result<Vec<Hit>, SearchError> {
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
        Ok(found.ranked.into_iter().filter_map(hit).collect())
    })?)
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
    hits_in(&Scope { project, filter, as_of: None, profile: None }, query, limit)
}

//! Finding memories again.

use memento_core::access::AccessLevel;
use pgrx::prelude::*;
use serde_json::Value;

use super::access::{AccessError, as_owner, authorize_current};
use crate::error::{Failure, StatementError, reported};
use crate::ffi::jsonb::Jsonb;
use crate::spi;
use crate::spi::search::{Hit, Scope};

/// The most results of one search: beyond it a caller wants a list, not a search.
pub const MAX_RESULTS: i32 = 1000;

/// The filters that a search knows.
const FILTER_KEYS: [&str; 3] = ["kinds", "tags_all", "tags_any"];

/// Why a search cannot run.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    #[error("k must be between 1 and {MAX_RESULTS}, not {0}")]
    BadLimit(i32),
    #[error("filters must be a JSON object")]
    FiltersNotObject,
    #[error("unknown filter \"{0}\"")]
    UnknownFilter(String),
    #[error("filter \"{0}\" must be an array of strings")]
    BadFilter(String),
    #[error(transparent)]
    Access(#[from] AccessError),
    #[error(transparent)]
    Statement(#[from] StatementError),
}

reported!(SearchError);

impl Failure for SearchError {
    fn sqlstate(&self) -> PgSqlErrorCode {
        match self {
            Self::Access(error) => error.sqlstate(),
            Self::Statement(error) => error.sqlstate(),
            _ => PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::Access(error) => error.code(),
            Self::Statement(error) => error.code(),
            _ => "VALIDATION_ERROR",
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::BadLimit(_) => Some("give the number of results that you want to read".into()),
            Self::FiltersNotObject | Self::BadFilter(_) => {
                Some("for example: filters => '{\"kinds\": [\"note\"], \"tags_any\": [\"runbook\"]}'".into())
            }
            Self::UnknownFilter(_) => Some(format!("known filters: {}", FILTER_KEYS.join(", "))),
            Self::Access(error) => error.hint(),
            Self::Statement(error) => error.hint(),
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
    let filters = filters.parse().map_err(|_| SearchError::FiltersNotObject)?;
    check_filters(&filters)?;
    let scope = Scope {
        project: authorize_current(AccessLevel::Read)?,
        kinds: strings(&filters, "kinds")?,
        tags_any: strings(&filters, "tags_any")?,
        tags_all: strings(&filters, "tags_all")?,
        as_of,
    };
    Ok(as_owner(|| spi::search::full_text(&scope, query, limit))?)
}

fn check_filters(filters: &Value) -> Result<(), SearchError> {
    let Value::Object(filters) = filters else {
        return Err(SearchError::FiltersNotObject);
    };
    match filters.keys().find(|key| !FILTER_KEYS.contains(&key.as_str())) {
        Some(unknown) => Err(SearchError::UnknownFilter(unknown.chars().take(80).collect())),
        None => Ok(()),
    }
}

fn strings(filters: &Value, key: &str) -> Result<Option<Vec<String>>, SearchError> {
    match &filters[key] {
        Value::Null => Ok(None),
        Value::Array(values) => values
            .iter()
            .map(|value| value.as_str().map(str::to_owned).ok_or_else(|| SearchError::BadFilter(key.into())))
            .collect::<Result<_, _>>()
            .map(Some),
        _ => Err(SearchError::BadFilter(key.into())),
    }
}

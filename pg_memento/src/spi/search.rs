//! The lanes of retrieval.

use pgrx::Uuid;
use pgrx::prelude::*;

use super::{StatementResult, required, rows};
use crate::ffi::jsonb::Jsonb;

/// What a search is limited to.
pub struct Scope {
    pub project: Uuid,
    pub kinds: Option<Vec<String>>,
    pub tags_any: Option<Vec<String>>,
    pub tags_all: Option<Vec<String>>,
    pub as_of: Option<TimestampWithTimeZone>,
}

/// One result, best first.
pub struct Hit {
    pub chunk_id: i64,
    pub item_id: Uuid,
    pub version_num: i32,
    pub title: Option<String>,
    pub kind: String,
    pub heading_path: Vec<String>,
    pub section_anchor: Option<String>,
    pub start_char: i32,
    pub end_char: i32,
    pub excerpt: String,
    pub score: f64,
    pub lanes: Jsonb,
}

/// Full-text search: any of the query's words, ranked; ties are broken by chunk.
pub fn full_text(scope: &Scope, query: &str, limit: i32) -> StatementResult<Vec<Hit>> {
    let words = rows(include_str!("queries/query_words.sql"), &[query.into()], |row| row.get::<String>(1))?;
    let Some(words) = words.into_iter().flatten().next() else {
        return Ok(Vec::new());
    };
    rows(
        include_str!("queries/search_full_text.sql"),
        &[
            scope.project.into(),
            words.into(),
            limit.into(),
            scope.kinds.clone().into(),
            scope.tags_any.clone().into(),
            scope.tags_all.clone().into(),
            scope.as_of.into(),
        ],
        |row| {
            Ok(Hit {
                chunk_id: required(&row, 1)?,
                item_id: required(&row, 2)?,
                version_num: required(&row, 3)?,
                title: row.get(4)?,
                kind: required(&row, 5)?,
                heading_path: required(&row, 6)?,
                section_anchor: row.get(7)?,
                start_char: required(&row, 8)?,
                end_char: required(&row, 9)?,
                excerpt: required(&row, 10)?,
                score: required(&row, 11)?,
                lanes: required(&row, 12)?,
            })
        },
    )
}

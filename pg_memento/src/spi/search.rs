//! The lanes of retrieval.

use memento_core::filter::{Filter, Timestamp};
use memento_core::memory_kind::{self, Sensitivity, Visibility};
use pgrx::Uuid;
use pgrx::datum::DatumWithOid;
use pgrx::prelude::*;
use pgrx::spi::quote_identifier;

use super::{StatementResult, kept_rows, required, rows};

/// A statement over the items that a filter wants: its file goes on after `queries/wanted_items.sql`, whose arguments come
/// first, as [`wanted`] gives them.
macro_rules! of_wanted_items {
    ($name:literal) => {
        concat!(include_str!("queries/wanted_items.sql"), include_str!(concat!("queries/", $name, ".sql")))
    };
}
pub(super) use of_wanted_items;

/// What a search is limited to.
pub struct Scope {
    pub project: Uuid,
    pub filter: Filter,
    pub as_of: Option<TimestampWithTimeZone>,
    /// The embedding profile to search by, if not the project's own.
    pub profile: Option<Uuid>,
}

/// A result without its place.
pub struct Passage {
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
}

/// Chunks by their keys, in any order.
pub fn passages(project: Uuid, chunks: Vec<i64>) -> StatementResult<Vec<Passage>> {
    kept_rows(include_str!("queries/hits.sql"), &[project.into(), chunks.into()], |row| {
        Ok(Passage {
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
        })
    })
}

/// What decides about a chunk's place beside the lanes.
pub struct Candidate {
    pub chunk_id: i64,
    pub item_id: Uuid,
    pub is_canonical: bool,
    pub is_pinned: bool,
}

/// The candidates of these keys, in any order.
pub fn candidates(project: Uuid, chunks: Vec<i64>) -> StatementResult<Vec<Candidate>> {
    kept_rows(include_str!("queries/candidates.sql"), &[project.into(), chunks.into()], |row| {
        Ok(Candidate {
            chunk_id: required(&row, 1)?,
            item_id: required(&row, 2)?,
            is_canonical: required(&row, 3)?,
            is_pinned: required(&row, 4)?,
        })
    })
}

/// Which items are linked with these, either way: one of these and the other.
pub fn linked(project: Uuid, items: Vec<Uuid>) -> StatementResult<Vec<(Uuid, Uuid)>> {
    if items.is_empty() {
        return Ok(Vec::new());
    }
    rows(include_str!("queries/linked_items.sql"), &[project.into(), items.into()], |row| {
        Ok((required(&row, 1)?, required(&row, 2)?))
    })
}

/// A chunk with those of the query's tokens that it has.
pub struct TokenHit {
    pub chunk_id: i64,
    pub score: f64,
    pub tokens: Vec<String>,
}

/// Chunks that have some of the tokens: those with more and rarer ones first, and the best for each token that is there.
pub fn tech_tokens(scope: &Scope, tokens: Vec<String>, limit: i32) -> StatementResult<Vec<TokenHit>> {
    let mut arguments = wanted(scope.project, &scope.filter, false);
    arguments.extend([tokens.into(), limit.into(), scope.as_of.into()]);
    rows(of_wanted_items!("tech_tokens"), &arguments, |row| {
        Ok(TokenHit { chunk_id: required(&row, 1)?, score: required(&row, 2)?, tokens: required(&row, 3)? })
    })
}

/// Chunks with a title or a technical token that looks like the query. The functions are in the schema of pg_trgm.
pub fn similar(scope: &Scope, schema: &str, query: &str, limit: i32) -> StatementResult<Vec<(i64, f64)>> {
    let statement = of_wanted_items!("similar").replace("{trgm}", &quote_identifier(schema));
    let mut arguments = wanted(scope.project, &scope.filter, false);
    arguments.extend([query.into(), limit.into(), scope.as_of.into()]);
    rows(&statement, &arguments, |row| Ok((required(&row, 1)?, required(&row, 2)?)))
}

/// The arguments of `queries/wanted_items.sql`: null for what is not asked for.
pub fn wanted(project: Uuid, filter: &Filter, with_archived: bool) -> Vec<DatumWithOid<'static>> {
    fn words<T: Copy>(values: &Option<Vec<T>>, word: fn(T) -> &'static str) -> Option<Vec<&'static str>> {
        values.as_ref().map(|values| values.iter().map(|value| word(*value)).collect())
    }
    let ids = |ids: &[uuid::Uuid]| ids.iter().map(|id| Uuid::from_bytes(*id.as_bytes())).collect::<Vec<_>>();
    vec![
        project.into(),
        with_archived.into(),
        filter.kinds.clone().into(),
        words(&filter.scopes, memory_kind::Scope::as_str).into(),
        filter.doc_classes.clone().into(),
        filter.tags_any.clone().into(),
        (!filter.tags_all.is_empty()).then(|| filter.tags_all.clone()).into(),
        words(&filter.sensitivities, Sensitivity::as_str).into(),
        words(&filter.visibility_scopes, Visibility::as_str).into(),
        filter.source_systems.clone().into(),
        filter.item_ids.as_deref().map(ids).into(),
        (!filter.exclude_item_ids.is_empty()).then(|| ids(&filter.exclude_item_ids)).into(),
        filter.pinned_only.into(),
        filter.canonical_only.into(),
        filter.created_after.map(Timestamp::micros).into(),
        filter.created_before.map(Timestamp::micros).into(),
    ]
}

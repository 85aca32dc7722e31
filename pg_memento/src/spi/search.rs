//! The lanes of retrieval.

use memento_core::filter::{Filter, Timestamp};
use memento_core::memory_kind::{self, Sensitivity, Visibility};
use memento_core::transcript::only_models_speak;
use pgrx::Uuid;
use pgrx::datum::DatumWithOid;
use pgrx::prelude::*;
use pgrx::spi::quote_identifier;

use super::{StatementResult, kept_rows, required, rows};
use crate::ffi::setting::with_settings;

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
    /// Whether vectors are compared one by one where an index could be asked too.
    pub is_exact: bool,
}

impl Scope {
    /// As a search of now has it.
    pub fn new(project: Uuid, filter: Filter, as_of: Option<TimestampWithTimeZone>) -> Self {
        Self { project, filter, as_of, profile: None, is_exact: false }
    }

    /// Another filter in the same scope.
    pub fn with_filter(&self, filter: Filter) -> Self {
        Self { filter, ..*self }
    }
}

/// A result without its place.
#[derive(Clone)]
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
    /// Who speaks in it, if it is of a conversation.
    pub speakers: Vec<String>,
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
            speakers: row.get(11)?.unwrap_or_default(),
        })
    })
}

/// What decides about a chunk's place beside the lanes.
pub struct Candidate {
    pub chunk_id: i64,
    pub item_id: Uuid,
    pub is_canonical: bool,
    pub is_pinned: bool,
    pub kind: String,
    /// When its item was created: days since 1970, in UTC, so that it does not depend on the session.
    pub day: i64,
    /// Whether it is what a model said in a chat.
    pub is_of_model: bool,
}

/// The candidates of these keys, in any order.
pub fn candidates(project: Uuid, chunks: Vec<i64>) -> StatementResult<Vec<Candidate>> {
    kept_rows(include_str!("queries/candidates.sql"), &[project.into(), chunks.into()], |row| {
        Ok(Candidate {
            chunk_id: required(&row, 1)?,
            item_id: required(&row, 2)?,
            is_canonical: required(&row, 3)?,
            is_pinned: required(&row, 4)?,
            kind: required(&row, 5)?,
            day: required(&row, 6)?,
            is_of_model: row.get::<Vec<String>>(7)?.is_some_and(|speakers| only_models_speak(&speakers)),
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

/// Which chunks are looked at for tokens.
#[derive(Clone, Copy)]
pub enum TokenLook {
    /// All that have one of them; none if they are more than so many.
    Any(i64),
    /// All that the search is about; none if they are more than so many.
    InScope(i64),
    /// So many for each token, and of frequent ones fewer.
    Each(i64),
}

/// So many times as many chunks are read as are looked for, of all tokens together.
const READ_FOR_EACH: i64 = 10;

/// Chunks that have some of the tokens: those with more and rarer ones first, and the best for each token that is there. None if
/// there are too many to look at.
pub fn tech_tokens(
    scope: &Scope,
    tokens: &[String],
    look: TokenLook,
    limit: i32,
) -> StatementResult<Option<Vec<TokenHit>>> {
    macro_rules! looking {
        ($name:literal) => {
            concat!(of_wanted_items!($name), include_str!("queries/tech_tokens.sql"))
        };
    }
    let (statement, most) = match look {
        TokenLook::Any(most) => (looking!("tech_tokens_any"), most),
        TokenLook::InScope(most) => (looking!("tech_tokens_in_scope"), most),
        TokenLook::Each(most) => (looking!("tech_tokens_each"), most),
    };
    let mut arguments = wanted(scope.project, &scope.filter, scope.as_of);
    // Of former versions and of what filters leave out there may be some more.
    let read = (most * READ_FOR_EACH / tokens.len().max(1) as i64).max(most) + 1;
    arguments.extend([
        tokens.to_vec().into(),
        limit.into(),
        scope.as_of.into(),
        (most + 1).into(),
        read.into(),
    ]);
    // What a limit takes of an index is the same each time, whatever the planner expects.
    let settings = [(c"enable_seqscan", "off".to_owned()), (c"random_page_cost", "1.1".to_owned())];
    let found = with_settings(&settings, || {
        rows(statement, &arguments, |row| {
            let hit = match row.get(1)? {
                Some(chunk_id) => {
                    Some(TokenHit { chunk_id, score: required(&row, 2)?, tokens: required(&row, 3)? })
                }
                None => None,
            };
            Ok((hit, required::<bool>(&row, 4)?))
        })
    })?;
    if found.iter().any(|(_, too_many)| *too_many) {
        return Ok(None);
    }
    Ok(Some(found.into_iter().filter_map(|(hit, _)| hit).collect()))
}

/// Chunks with a title or a technical token that looks like the query: of so many titles, and of the tokens of so many chunks, the
/// newest. The functions are in the schema of pg_trgm.
pub fn similar(
    scope: &Scope,
    schema: &str,
    query: &str,
    (titles, chunks): (i64, i64),
    limit: i32,
) -> StatementResult<Vec<(i64, f64)>> {
    let statement = of_wanted_items!("similar").replace("{trgm}", &quote_identifier(schema));
    let mut arguments = wanted(scope.project, &scope.filter, scope.as_of);
    arguments.extend([query.into(), limit.into(), scope.as_of.into(), titles.into(), chunks.into()]);
    let settings = [(c"random_page_cost", "1.1".to_owned())];
    with_settings(&settings, || {
        rows(&statement, &arguments, |row| Ok((required(&row, 1)?, required(&row, 2)?)))
    })
}

/// The keys of entities that names or keys stand for.
pub fn entities(project: Uuid, names: &[String]) -> StatementResult<Vec<String>> {
    let arguments = [project.into(), names.to_vec().into()];
    rows(include_str!("queries/named_entities.sql"), &arguments, |row| required(&row, 1))
}

/// The items with a version that mentions one of these entities; none if there are more mentions than that.
pub fn items_mentioning(project: Uuid, entities: &[String], most: i64) -> StatementResult<Option<Vec<Uuid>>> {
    let arguments = [project.into(), entities.to_vec().into(), (most + 1).into()];
    let read = rows(include_str!("queries/items_mentioning.sql"), &arguments, |row| {
        Ok((row.get::<Uuid>(1)?, required::<bool>(&row, 2)?))
    })?;
    if read.iter().any(|(_, too_many)| *too_many) {
        return Ok(None);
    }
    Ok(Some(read.into_iter().filter_map(|(item, _)| item).collect()))
}

/// The arguments of `queries/wanted_items.sql`: null for what is not asked for. Items that were archived after a time count as they did
/// then.
pub fn wanted(
    project: Uuid,
    filter: &Filter,
    archived_after: Option<TimestampWithTimeZone>,
) -> Vec<DatumWithOid<'static>> {
    fn words<T: Copy>(values: &Option<Vec<T>>, word: fn(T) -> &'static str) -> Option<Vec<&'static str>> {
        values.as_ref().map(|values| values.iter().map(|value| word(*value)).collect())
    }
    let ids = |ids: &[uuid::Uuid]| ids.iter().map(|id| Uuid::from_bytes(*id.as_bytes())).collect::<Vec<_>>();
    vec![
        project.into(),
        archived_after.into(),
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
        filter.speakers.clone().into(),
        filter.entities.clone().into(),
    ]
}

//! The lanes of retrieval.

use memento_core::filter::{Filter, Timestamp};
use memento_core::memory_kind::{self, Sensitivity, Visibility};
use pgrx::Uuid;
use pgrx::datum::DatumWithOid;
use pgrx::prelude::*;

use super::{StatementResult, required, rows};
use crate::ffi::jsonb::Jsonb;

/// What a search is limited to.
pub struct Scope {
    pub project: Uuid,
    pub filter: Filter,
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

/// The results of a lane, in its order.
pub fn hits(project: Uuid, chunks: Vec<i64>, scores: Vec<f64>, used: &str) -> StatementResult<Vec<Hit>> {
    let arguments = [project.into(), chunks.into(), scores.into(), used.into()];
    rows(include_str!("queries/search_hits.sql"), &arguments, |row| {
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
    })
}

/// A statement over the items that a filter wants: its file goes on after `queries/wanted_items.sql`, whose arguments come
/// first, as [`wanted`] gives them.
macro_rules! of_wanted_items {
    ($name:literal) => {
        concat!(include_str!("queries/wanted_items.sql"), include_str!(concat!("queries/", $name, ".sql")))
    };
}
pub(super) use of_wanted_items;

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

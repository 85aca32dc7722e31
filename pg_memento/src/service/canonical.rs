//! Canonical documents: the one true text of something, under a name.

use std::collections::{BTreeMap, HashMap};

use memento_core::access::AccessLevel;
use memento_core::chunk::{Section, outline_interruptibly};
use memento_core::filter::Filter;
use pgrx::Uuid;
use pgrx::prelude::*;
use serde_json::{Value, json};

use super::access::{AccessError, as_owner, authorize_current};
use super::memory::{self, Remembered, StoreError};
use super::search::{self, SearchError};
use super::text::int;
use crate::error::{Failure, StatementError, passed_on, reported};
use crate::ffi::jsonb::Jsonb;
use crate::ffi::server::check_for_interrupts;
use crate::spi;
use crate::spi::canonical::{Candidate, Document};
use crate::spi::store::NewMemory;

/// The largest budget of a pack, in tokens.
const MAX_BUDGET: i32 = 1_000_000;

/// Why something cannot be done with a canonical document.
#[derive(Debug, thiserror::Error)]
pub enum CanonicalError {
    #[error("canonical document \"{0}\" does not exist in this project, or has no such version")]
    NoDocument(String),
    #[error("canonical document \"{key}\" has no section \"{anchor}\"")]
    NoSection { key: String, anchor: String },
    #[error("token_budget must be between 1 and {MAX_BUDGET}, not {0}")]
    BadBudget(i32),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Search(#[from] SearchError),
    #[error(transparent)]
    Access(#[from] AccessError),
    #[error(transparent)]
    Statement(#[from] StatementError),
}

reported!(CanonicalError);

impl Failure for CanonicalError {
    passed_on!(Store, Search, Access, Statement);

    fn sqlstate(&self) -> PgSqlErrorCode {
        match self {
            Self::NoDocument(_) | Self::NoSection { .. } => PgSqlErrorCode::ERRCODE_NO_DATA_FOUND,
            _ => PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::NoDocument(_) => "DOCUMENT_NOT_FOUND",
            Self::NoSection { .. } => "SECTION_NOT_FOUND",
            _ => "VALIDATION_ERROR",
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::NoDocument(_) => {
                Some("list them: select memento.memory_list('{\"canonical_only\": true}')".into())
            }
            Self::NoSection { key, .. } => Some(format!("see memento.canonical_outline('{key}')")),
            Self::BadBudget(_) => Some("for example: token_budget => 4000".into()),
            _ => None,
        }
    }
}

/// Stores the document of a key, as a new version if it exists; title, tags and doc class follow what is given.
pub fn upsert(memory: NewMemory, tags: Option<Vec<String>>) -> Result<Remembered, CanonicalError> {
    let project = authorize_current(AccessLevel::Write)?;
    let screened = memory::screened(project, memory)?;
    let memory = screened.memory();
    let audit = memory::audit("canonical", None);
    let stored = as_owner(|| {
        let stored = memory::write(project, &memory, audit)?;
        spi::canonical::describe(project, stored.item_id, memory.title, tags, memory.class.doc_class)?;
        Ok(stored)
    })?;
    Ok(Remembered { secrets: screened.secrets, ..stored })
}

fn document(project: Uuid, key: &str, version_num: Option<i32>) -> Result<Document, CanonicalError> {
    as_owner(|| spi::canonical::document(project, key, version_num))?
        .ok_or_else(|| CanonicalError::NoDocument(key.to_owned()))
}

/// A canonical document with its content, as `memory_get` shows an item.
pub fn get(key: &str, version_num: Option<i32>) -> Result<Jsonb, CanonicalError> {
    let project = authorize_current(AccessLevel::Read)?;
    let found = document(project, key, version_num)?;
    as_owner(|| spi::item::get(project, found.item, Some(found.version_num), None))?
        .ok_or_else(|| CanonicalError::NoDocument(key.to_owned()))
}

/// Its sections.
pub fn sections(key: &str, version_num: Option<i32>) -> Result<Vec<Section>, CanonicalError> {
    let project = authorize_current(AccessLevel::Read)?;
    let found = document(project, key, version_num)?;
    Ok(outline_interruptibly(&found.content, check_for_interrupts).collect())
}

/// One section, as an exact slice; with those below it, if asked for.
pub fn section(
    key: &str,
    anchor: &str,
    with_subsections: bool,
    version_num: Option<i32>,
) -> Result<Jsonb, CanonicalError> {
    let project = authorize_current(AccessLevel::Read)?;
    let found = document(project, key, version_num)?;
    let sections: Vec<_> = outline_interruptibly(&found.content, check_for_interrupts).collect();
    let at = sections
        .iter()
        .position(|section| section.anchor == anchor)
        .ok_or_else(|| CanonicalError::NoSection { key: key.to_owned(), anchor: anchor.to_owned() })?;
    let section = &sections[at];
    let below = sections[at + 1..].iter().take_while(|other| with_subsections && other.level > section.level);
    let end = below.last().map_or(section.end_char, |last| last.end_char);
    let content: String =
        found.content.chars().skip(section.start_char).take(end - section.start_char).collect();
    Ok(json!({
        "canonical_key": key, "title": found.title, "version_num": found.version_num, "section_anchor": section.anchor,
        "heading_path": section.path, "level": section.level, "start_char": section.start_char, "end_char": end,
        "content": content,
    })
    .into())
}

/// What of the canonical documents fits in a budget of tokens, and what had to be left out. With a query the best come
/// first, else the documents in the order of their keys. What is chosen is shown in the order of the documents.
pub fn context_pack(
    budget: i32,
    query: Option<&str>,
    keys: Option<Vec<String>>,
) -> Result<Jsonb, CanonicalError> {
    if !(1..=MAX_BUDGET).contains(&budget) {
        return Err(CanonicalError::BadBudget(budget));
    }
    let project = authorize_current(AccessLevel::Read)?;
    let candidates = as_owner(|| spi::canonical::candidates(project, keys))?;
    let ranked = ranked(project, &candidates, query)?;
    let (mut left, mut chosen) = (budget, Vec::new());
    for candidate in ranked {
        if candidate.tokens <= left {
            left -= candidate.tokens;
            chosen.push(candidate.chunk_id);
        }
    }
    let shown: HashMap<i64, Jsonb> =
        as_owner(|| spi::canonical::shown(project, chosen))?.into_iter().collect();
    let in_order = candidates.iter().filter_map(|candidate| shown.get(&candidate.chunk_id)?.parse().ok());
    let mut left_out: BTreeMap<&str, (i32, i32)> = BTreeMap::new();
    for candidate in candidates.iter().filter(|candidate| !shown.contains_key(&candidate.chunk_id)) {
        let (chunks, tokens) = left_out.entry(&candidate.canonical_key).or_default();
        *chunks += 1;
        *tokens += candidate.tokens;
    }
    let left_out: Vec<Value> = left_out
        .into_iter()
        .map(|(key, (chunks, tokens))| json!({"canonical_key": key, "chunks": chunks, "tokens": tokens}))
        .collect();
    Ok(json!({
        "token_budget": budget,
        "tokens": budget - left,
        "chunks": in_order.collect::<Vec<Value>>(),
        "left_out": left_out,
    })
    .into())
}

/// In the order of a search for the query among the candidates; what it does not find comes after that, as it stands.
fn ranked<'a>(
    project: Uuid,
    candidates: &'a [Candidate],
    query: Option<&str>,
) -> Result<Vec<&'a Candidate>, CanonicalError> {
    let mut ranked: Vec<&Candidate> = candidates.iter().collect();
    if let Some(query) = query {
        let mut items: Vec<_> = candidates.iter().map(|candidate| candidate.item).collect();
        items.dedup();
        let filter = Filter {
            item_ids: Some(items.iter().map(|item| uuid::Uuid::from_bytes(*item.as_bytes())).collect()),
            ..Filter::default()
        };
        let hits = search::best_of(project, filter, query, int(candidates.len()))?;
        let rank: HashMap<i64, usize> =
            hits.iter().enumerate().map(|(rank, hit)| (hit.passage.chunk_id, rank)).collect();
        ranked.sort_by_key(|candidate| rank.get(&candidate.chunk_id).copied().unwrap_or(usize::MAX));
    }
    Ok(ranked)
}

//! Searches that answer with artifacts, and with artifacts and memories beside each other.

use std::collections::BTreeMap;

use memento_core::memory_kind::ArtifactType;
use serde_json::{Map, Value, json};

use super::{ArtifactError, missing};
use crate::ffi::jsonb::Jsonb;
use crate::service::access::as_owner;
use crate::service::grouped::by_item;
use crate::service::search::{self, Hit, MAX_RESULTS, SearchError};
use crate::spi;
use crate::spi::artifact::{ArtifactChunk, Name};
use crate::spi::search::Scope;

/// How many chunks are looked for at first, for each item and at least: the fewer, the less `total` says.
const CHUNKS_PER_ITEM: i32 = 3;
const LEAST_CHUNKS: i32 = 100;

/// What is asked for.
pub struct Asked<'a> {
    pub query: &'a str,
    pub max_items: i32,
    pub filters: Jsonb,
    pub artifact_type: Option<&'a str>,
    pub artifact_uid: Option<&'a str>,
    pub with_chunks: bool,
}

impl Asked<'_> {
    /// What was asked for, as far as it was.
    fn applied(&self) -> Value {
        let mut applied = match self.filters.parse() {
            Ok(Value::Object(filters)) => filters,
            _ => Map::new(),
        };
        applied.retain(|_, value| !value.is_null());
        applied.insert("query".into(), json!(self.query));
        let given = [("artifact_type", self.artifact_type), ("artifact_uid", self.artifact_uid)];
        applied.extend(given.into_iter().filter_map(|(key, value)| Some((key.to_owned(), json!(value?)))));
        applied.into()
    }

    /// How many chunks are looked for at first.
    fn chunks(&self) -> i32 {
        self.max_items.saturating_mul(CHUNKS_PER_ITEM).clamp(LEAST_CHUNKS, MAX_RESULTS)
    }

    fn limit(&self) -> Result<usize, SearchError> {
        match usize::try_from(self.max_items) {
            Ok(limit) if (1..=MAX_RESULTS).contains(&self.max_items) => Ok(limit),
            _ => Err(SearchError::BadLimit(self.max_items)),
        }
    }
}

/// The best artifacts for a query, in the order of their best chunks.
pub fn artifacts(asked: &Asked) -> Result<Value, ArtifactError> {
    let limit = asked.limit()?;
    let mut found = Vec::new();
    if let Some(scope) = scope_of_artifacts(asked)? {
        // Memories that are no artifacts may have the same kind and come first.
        for chunks in [asked.chunks(), MAX_RESULTS] {
            let hits = search::hits_in(&scope, asked.query, chunks)?;
            let saw_all = hits.len() < usize::try_from(chunks).unwrap_or(0);
            found = labelled(&scope, hits)?.into_iter().filter(|group| group.artifact.is_some()).collect();
            if saw_all || found.len() >= limit {
                break;
            }
        }
    }
    record(asked, &found)?;
    let shown: Vec<Value> =
        found.iter().take(limit).map(|group| group.as_artifact(asked.with_chunks)).collect();
    Ok(json!({"artifacts": shown, "total": found.len(), "filters_applied": asked.applied()}))
}

/// The best artifacts and memories, each with its best chunk.
pub fn hybrid(asked: &Asked) -> Result<Value, ArtifactError> {
    let limit = asked.limit()?;
    let chunks = asked.chunks();
    let mut found = Vec::new();
    if let Some(scope) = search::scope(chunks, &asked.filters, None)? {
        found = labelled(&scope, search::hits_in(&scope, asked.query, chunks)?)?;
    }
    record(asked, &found)?;
    let shown: Vec<Value> = found.iter().take(limit).filter_map(Group::as_result).collect();
    Ok(json!({"results": shown, "total": found.len(), "filters_applied": asked.applied()}))
}

fn record(asked: &Asked, found: &[Group]) -> Result<(), ArtifactError> {
    let hits = found.iter().flat_map(|group| &group.chunks).map(|(hit, _)| hit);
    Ok(search::record_search(asked.query, asked.max_items, hits)?)
}

/// The scope of a search for artifacts; none if nothing can match.
fn scope_of_artifacts(asked: &Asked) -> Result<Option<Scope>, ArtifactError> {
    let kinds: Vec<&str> = match asked.artifact_type {
        Some(word) => vec![ArtifactType::from_word(word).ok_or(ArtifactError::UnknownType)?.as_str()],
        None => ArtifactType::WORDS.to_vec(),
    };
    let Some(mut scope) = search::scope(asked.chunks(), &asked.filters, None)? else { return Ok(None) };
    let filter = &mut scope.filter;
    filter.kinds = Some(
        kinds
            .into_iter()
            .filter(|kind| filter.kinds.as_ref().is_none_or(|wanted| wanted.iter().any(|word| word == kind)))
            .map(str::to_owned)
            .collect(),
    );
    if let Some(uid) = asked.artifact_uid {
        let name = Name::Artifact(uid.to_owned());
        let (item, ..) =
            as_owner(|| spi::artifact::find(scope.project, &name))?.ok_or_else(|| missing(uid))?;
        let item = uuid::Uuid::from_bytes(*item.as_bytes());
        let is_wanted = filter.item_ids.as_ref().is_none_or(|wanted| wanted.contains(&item));
        filter.item_ids = Some(is_wanted.then_some(item).into_iter().collect());
    }
    Ok((!scope.filter.matches_nothing()).then_some(scope))
}

/// The chunks that were found of an item.
struct Group {
    item_id: String,
    /// What it is as an artifact, if it is one.
    artifact: Option<Value>,
    chunks: Vec<(Hit, Option<ArtifactChunk>)>,
}

fn labelled(scope: &Scope, hits: Vec<Hit>) -> Result<Vec<Group>, SearchError> {
    let chunks = hits.iter().map(|hit| hit.passage.chunk_id).collect();
    let mut names: BTreeMap<i64, ArtifactChunk> = as_owner(|| spi::artifact::chunks(scope.project, chunks))?
        .into_iter()
        .map(|chunk| (chunk.chunk_id, chunk))
        .collect();
    let group = |(item, hits): (pgrx::Uuid, Vec<Hit>)| {
        let chunks: Vec<_> = hits.into_iter().map(|hit| (names.remove(&hit.passage.chunk_id), hit)).collect();
        let artifact = chunks.iter().find_map(|(chunk, _)| chunk.as_ref()?.artifact.parse().ok());
        let chunks = chunks.into_iter().map(|(chunk, hit)| (hit, chunk)).collect();
        Group { item_id: item.to_string(), artifact, chunks }
    };
    Ok(by_item(hits).into_iter().map(group).collect())
}

impl Group {
    fn as_artifact(&self, with_chunks: bool) -> Value {
        let mut shown = self.artifact.clone().unwrap_or_else(|| json!({}));
        shown["item_id"] = json!(self.item_id);
        shown["score"] = json!(self.chunks.first().map(|(hit, _)| hit.score));
        if with_chunks {
            shown["chunks"] =
                self.chunks.iter().map(|(hit, chunk)| shown_chunk(hit, chunk.as_ref())).collect();
        }
        shown
    }

    fn as_result(&self) -> Option<Value> {
        let (best, chunk) = self.chunks.first()?;
        let (kind, id) = match &self.artifact {
            Some(artifact) => ("artifact", artifact["artifact_id"].clone()),
            None => ("memory", json!(self.item_id)),
        };
        let mut shown = shown_chunk(best, chunk.as_ref());
        shown["type"] = json!(kind);
        shown["id"] = id;
        shown["item_id"] = json!(self.item_id);
        shown["version_num"] = json!(best.passage.version_num);
        shown["title"] = json!(best.passage.title);
        shown["kind"] = json!(best.passage.kind);
        shown["chunks_found"] = json!(self.chunks.len());
        Some(shown)
    }
}

/// A chunk under the name that artifact_get() has for it, or under its number.
fn shown_chunk(hit: &Hit, chunk: Option<&ArtifactChunk>) -> Value {
    json!({
        "chunk_id": match chunk {
            Some(chunk) => json!(chunk.name),
            None => json!(hit.passage.chunk_id),
        },
        "heading_path": hit.passage.heading_path,
        "start_char": hit.passage.start_char,
        "end_char": hit.passage.end_char,
        "quote": hit.passage.excerpt,
        "score": hit.score,
        "lanes": hit.lanes.parse().unwrap_or_default(),
    })
}

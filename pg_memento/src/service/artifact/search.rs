//! Searches that answer with artifacts, and with artifacts and memories beside each other.

use std::collections::{BTreeMap, BTreeSet};

use memento_core::memory_kind::ArtifactType;
use serde_json::{Map, Value, json};

use super::{ArtifactError, missing};
use crate::ffi::jsonb::Jsonb;
use crate::service::access::as_owner;
use crate::service::grouped::{by_item, chunk_of, first, worth};
use crate::service::search::{self, Found, Hit, MAX_RESULTS, SearchError};
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
    let mut found = Labelled::default();
    if let Some(scope) = scope_of_artifacts(asked)? {
        // Memories that are no artifacts may have the same kind and come first.
        for chunks in [asked.chunks(), MAX_RESULTS] {
            let all = search::find_in(&scope, asked.query, chunks)?;
            let saw_all = all.hits.len() < usize::try_from(chunks).unwrap_or(0);
            found = labelled(&scope, all)?.only_artifacts();
            if saw_all || (found.groups.len() >= limit && found.has_all_wants()) {
                break;
            }
        }
    }
    record(asked, &found)?;
    let (total, first) = found.first(limit);
    let shown: Vec<Value> = first.iter().map(|group| group.as_artifact(asked.with_chunks)).collect();
    Ok(json!({"artifacts": shown, "total": total, "filters_applied": asked.applied()}))
}

/// The best artifacts and memories, each with its best chunk.
pub fn hybrid(asked: &Asked) -> Result<Value, ArtifactError> {
    let limit = asked.limit()?;
    let chunks = asked.chunks();
    let mut found = Labelled::default();
    if let Some(scope) = search::scope(chunks, &asked.filters, None)? {
        found = labelled(&scope, search::find_in(&scope, asked.query, chunks)?)?;
    }
    record(asked, &found)?;
    let (total, first) = found.first(limit);
    let shown: Vec<Value> = first.iter().filter_map(Group::as_result).collect();
    Ok(json!({"results": shown, "total": total, "filters_applied": asked.applied()}))
}

fn record(asked: &Asked, found: &Labelled) -> Result<(), ArtifactError> {
    let hits = found.groups.iter().flat_map(|group| &group.chunks).map(|(hit, _)| hit);
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

/// What a search found, by item.
#[derive(Default)]
struct Labelled {
    groups: Vec<Group>,
    /// For each identifier of the query, the chunks that have it.
    wants: Vec<Vec<i64>>,
    /// Those of all these chunks that are of artifacts.
    of_artifacts: BTreeSet<i64>,
}

impl Labelled {
    fn only_artifacts(mut self) -> Self {
        self.groups.retain(|group| group.artifact.is_some());
        for holders in &mut self.wants {
            holders.retain(|chunk| self.of_artifacts.contains(chunk));
        }
        self
    }

    /// Whether each identifier that is there at all is in one of the groups.
    fn has_all_wants(&self) -> bool {
        let found: BTreeSet<i64> = self.groups.iter().flat_map(Group::chunk_ids).collect();
        let is_found = |holders: &Vec<i64>| holders.iter().any(|chunk| found.contains(chunk));
        self.wants.iter().all(|holders| holders.is_empty() || is_found(holders))
    }

    /// How many groups there are, and the first of them.
    fn first(self, limit: usize) -> (usize, Vec<Group>) {
        (self.groups.len(), first(self.groups, limit, &self.wants, Group::chunk_ids))
    }
}

fn labelled(scope: &Scope, found: Found) -> Result<Labelled, SearchError> {
    let wants = found.wants.clone();
    let chunks =
        found.hits.iter().map(chunk_of).chain(wants.iter().flatten().copied()).collect::<BTreeSet<i64>>();
    let chunks = chunks.into_iter().collect();
    let mut names: BTreeMap<i64, ArtifactChunk> = as_owner(|| spi::artifact::chunks(scope.project, chunks))?
        .into_iter()
        .map(|chunk| (chunk.chunk_id, chunk))
        .collect();
    let of_artifacts = names.keys().copied().collect();
    let group = |(item, hits): (pgrx::Uuid, Vec<Hit>)| {
        let chunks: Vec<_> = hits.into_iter().map(|hit| (names.remove(&hit.passage.chunk_id), hit)).collect();
        let artifact = chunks.iter().find_map(|(chunk, _)| chunk.as_ref()?.artifact.parse().ok());
        let chunks = chunks.into_iter().map(|(chunk, hit)| (hit, chunk)).collect();
        Group { item_id: item.to_string(), artifact, chunks }
    };
    Ok(Labelled { groups: by_item(found).into_iter().map(group).collect(), wants, of_artifacts })
}

impl Group {
    fn chunk_ids(&self) -> Vec<i64> {
        self.chunks.iter().map(|(hit, _)| chunk_of(hit)).collect()
    }

    fn score(&self) -> f64 {
        worth(self.chunks.iter().map(|(hit, _)| hit))
    }

    fn as_artifact(&self, with_chunks: bool) -> Value {
        let mut shown = self.artifact.clone().unwrap_or_else(|| json!({}));
        shown["item_id"] = json!(self.item_id);
        shown["score"] = json!(self.score());
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
        shown["score"] = json!(self.score());
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

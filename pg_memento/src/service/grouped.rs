//! Searches that answer with items, each with the chunks that were found of it.

use std::collections::BTreeMap;

use memento_core::placing;
use pgrx::Uuid;
use serde_json::{Value, json};

use super::search::{self, Found, Hit, SearchError};
use crate::ffi::jsonb::Jsonb;

/// How many chunks are looked for to find one item.
const CHUNKS_PER_ITEM: i32 = 3;

/// The best items for a query in the order of their best chunks.
pub fn items(query: &str, max_items: i32, filters: &Jsonb, with_chunks: bool) -> Result<Value, SearchError> {
    if !(1..=search::MAX_RESULTS).contains(&max_items) {
        return Err(SearchError::BadLimit(max_items));
    }
    let limit = max_items.saturating_mul(CHUNKS_PER_ITEM).min(search::MAX_RESULTS);
    let Found { hits, wants } = search::search(query, limit, filters, None)?;
    let most = usize::try_from(max_items).unwrap_or(0);
    let groups = first(by_item(hits), most, &wants, |(_, hits)| hits.iter().map(chunk_of).collect());
    let results: Vec<Value> = groups.iter().map(|(item, hits)| shown(*item, hits, with_chunks)).collect();
    Ok(json!({"results": results}))
}

/// Chunks by their items, in the order of their best chunks.
pub fn by_item(hits: Vec<Hit>) -> Vec<(Uuid, Vec<Hit>)> {
    let mut places: BTreeMap<[u8; 16], usize> = BTreeMap::new();
    let mut groups: Vec<(Uuid, Vec<Hit>)> = Vec::new();
    for hit in hits {
        let item = hit.passage.item_id;
        let place = *places.entry(*item.as_bytes()).or_insert(groups.len());
        if place == groups.len() {
            groups.push((item, Vec::new()));
        }
        groups[place].1.push(hit);
    }
    groups
}

/// The key of a hit.
pub fn chunk_of(hit: &Hit) -> i64 {
    hit.passage.chunk_id
}

/// The first groups, such that each identifier of the query has one of its chunks in them, as it has among chunks.
pub fn first<T>(groups: Vec<T>, most: usize, wants: &[Vec<i64>], chunks: impl Fn(&T) -> Vec<i64>) -> Vec<T> {
    let groups_of = groups
        .iter()
        .enumerate()
        .flat_map(|(place, group)| chunks(group).into_iter().map(move |chunk| (chunk, place)));
    let place: BTreeMap<i64, usize> = groups_of.collect();
    let wants: Vec<Vec<usize>> = wants
        .iter()
        .map(|holders| holders.iter().filter_map(|chunk| place.get(chunk).copied()).collect())
        .collect();
    let in_order: Vec<usize> = (0..groups.len()).collect();
    let (first, _) = placing::guarantee(&in_order, most, &wants);
    let mut groups: Vec<Option<T>> = groups.into_iter().map(Some).collect();
    first.into_iter().filter_map(|place| groups[place].take()).collect()
}

fn shown(item: Uuid, hits: &[Hit], with_chunks: bool) -> Value {
    let best = hits.first();
    let chunk = |hit: &Hit| {
        json!({
            "chunk_id": hit.passage.chunk_id,
            "heading_path": hit.passage.heading_path,
            "section_anchor": hit.passage.section_anchor,
            "start_char": hit.passage.start_char,
            "end_char": hit.passage.end_char,
            "excerpt": hit.passage.excerpt,
            "score": hit.score,
            "lanes": hit.lanes.parse().unwrap_or_default(),
        })
    };
    let mut shown = json!({
        "item_id": item.to_string(),
        "version_num": best.map(|hit| hit.passage.version_num),
        "title": best.and_then(|hit| hit.passage.title.as_deref()),
        "kind": best.map(|hit| hit.passage.kind.as_str()),
        "score": best.map(|hit| hit.score),
    });
    if let (true, Value::Object(shown)) = (with_chunks, &mut shown) {
        shown.insert("chunks".into(), hits.iter().map(chunk).collect());
    }
    shown
}

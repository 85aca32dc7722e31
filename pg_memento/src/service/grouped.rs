//! Searches that answer with items, each with the chunks that were found of it.

use std::collections::BTreeMap;

use pgrx::Uuid;
use serde_json::{Value, json};

use super::search::{self, Hit, SearchError};
use crate::ffi::jsonb::Jsonb;

/// How many chunks are looked for to find one item.
const CHUNKS_PER_ITEM: i32 = 3;

/// The best items for a query in the order of their best chunks.
pub fn items(query: &str, max_items: i32, filters: &Jsonb, with_chunks: bool) -> Result<Value, SearchError> {
    if !(1..=search::MAX_RESULTS).contains(&max_items) {
        return Err(SearchError::BadLimit(max_items));
    }
    let limit = max_items.saturating_mul(CHUNKS_PER_ITEM).min(search::MAX_RESULTS);
    let mut groups = by_item(search::search(query, limit, filters, None)?);
    groups.truncate(usize::try_from(max_items).unwrap_or(0));
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

//! Searches that answer with items, each with the chunks that were found of it.

use std::collections::BTreeMap;

use memento_core::placing;
use pgrx::Uuid;
use serde_json::{Value, json};

use super::search::{self, Found, Hit, SearchError};
use crate::ffi::jsonb::Jsonb;

/// How many chunks are looked for to find one item: the three that count of each stand between those of others.
const CHUNKS_PER_ITEM: i32 = 4;

/// What the best passages of an item count in its place: several good ones say more than one, and the best of them the most, so that a
/// short memory does not come behind whatever is long (LongMemEval, Recall@10 of sessions: .794 by the best alone, .799 so; nDCG@10 .672 and .679).
const SHARES: [f64; 3] = [1.0, 0.5, 0.25];

/// The best items for a query.
pub fn items(query: &str, max_items: i32, filters: &Jsonb, with_chunks: bool) -> Result<Value, SearchError> {
    if !(1..=search::MAX_RESULTS).contains(&max_items) {
        return Err(SearchError::BadLimit(max_items));
    }
    let limit = max_items.saturating_mul(CHUNKS_PER_ITEM).min(search::MAX_RESULTS);
    let found = search::search(query, limit, filters, None)?;
    let most = usize::try_from(max_items).unwrap_or(0);
    let wants = found.wants.clone();
    let groups = first(by_item(found), most, &wants, |(_, hits)| hits.iter().map(chunk_of).collect());
    let results: Vec<Value> = groups.iter().map(|(item, hits)| shown(*item, hits, with_chunks)).collect();
    Ok(json!({"results": results}))
}

/// Chunks by their items, best first: by the scores of their passages, or in the order of a model that has looked at these again.
pub fn by_item(found: Found) -> Vec<(Uuid, Vec<Hit>)> {
    let mut places: BTreeMap<[u8; 16], usize> = BTreeMap::new();
    let mut groups: Vec<(Uuid, Vec<Hit>)> = Vec::new();
    for hit in found.hits {
        let item = hit.passage.item_id;
        let place = *places.entry(*item.as_bytes()).or_insert(groups.len());
        if place == groups.len() {
            groups.push((item, Vec::new()));
        }
        groups[place].1.push(hit);
    }
    if !found.is_reranked {
        // Stable: of equals the one with the best chunk stays first.
        groups.sort_by(|(_, a), (_, b)| worth(b).total_cmp(&worth(a)));
    }
    groups
}

/// The score of an item.
pub fn worth<'a>(hits: impl IntoIterator<Item = &'a Hit>) -> f64 {
    hits.into_iter().zip(SHARES).map(|(hit, share)| hit.score * share).sum()
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
        "score": worth(hits),
    });
    if let (true, Value::Object(shown)) = (with_chunks, &mut shown) {
        shown.insert("chunks".into(), hits.iter().map(chunk).collect());
    }
    shown
}

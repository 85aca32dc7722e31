//! Ranking by words.

use memento_core::bm25;
use pgrx::prelude::*;

use crate::error::ApiResult;
use crate::ffi::tsvector::Tsvector;
use crate::service::search::lexical::setup;

#[pg_extern(immutable, parallel_safe, strict)]
pub fn _word_count(words: Tsvector) -> i64 {
    words.length().into()
}

#[pg_extern(immutable, parallel_safe, strict)]
pub fn _words_among(words: Tsvector, wanted: Array<&str>) -> Vec<i32> {
    let is_there = |word: Option<&str>| word.is_some_and(|word| words.count(word.as_bytes()) > 0);
    (0..).zip(wanted.iter()).filter(|(_, word)| is_there(*word)).map(|(index, _)| index).collect()
}

#[pg_extern(immutable, parallel_safe, strict)]
pub fn _bm25(words: Tsvector, query: &[u8]) -> f64 {
    bm25::score(query, words.length(), |word| words.count(word))
}

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn enable_bm25(rebuild: default!(Option<bool>, "false")) -> ApiResult<String> {
    Ok(setup::enable(rebuild.unwrap_or(false))?)
}

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn disable_bm25() -> ApiResult<String> {
    Ok(setup::disable()?)
}

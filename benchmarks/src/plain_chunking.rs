//! Plain text cut by a budget of characters.

use std::hint::black_box;

use memento_core::chunk::{MAX_CHUNK_CHARS, chunks};
use text_splitter::TextSplitter;

use crate::{compare, data};

/// Both cut the same documents to the same number of characters.
pub fn run() {
    let Some(documents) = data::markdown("chunking/k8s_docs") else { return };
    let bytes = documents.iter().map(String::len).sum();
    let splitter = TextSplitter::new(MAX_CHUNK_CHARS);
    println!("{} documents, {:.1} MB", documents.len(), bytes as f64 / 1e6);
    compare::interleave(
        || documents.iter().for_each(|text| consume(chunks(text, MAX_CHUNK_CHARS))),
        || documents.iter().for_each(|text| consume(splitter.chunks(text))),
    )
    .report("text-splitter", bytes);
}

fn consume(items: impl Iterator) {
    black_box(items.map(|item| drop(black_box(item))).count());
}

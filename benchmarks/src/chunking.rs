//! Markdown cut into chunks, beside text-splitter's MarkdownSplitter, and tokens counted, beside tiktoken-rs.

use std::hint::black_box;

use memento_core::chunk::{Budget, Measure, chunk_markdown};
use memento_core::token;
use text_splitter::{ChunkConfig, MarkdownSplitter};

use crate::{compare, data};

/// A chunk of some 350 tokens.
const CHARS: usize = 1400;
/// The default of `chunk_markdown`.
const TOKENS: (usize, usize) = (350, 600);

/// Both cut to the same budget of characters.
pub fn by_characters() {
    let Some(documents) = data::markdown("chunking/k8s_docs") else { return };
    let splitter = MarkdownSplitter::new(CHARS);
    let budget = budget(Measure::Chars, CHARS, CHARS);
    compare::interleave(
        || documents.iter().for_each(|text| consume(chunk_markdown(text, budget))),
        || documents.iter().for_each(|text| consume(splitter.chunks(text))),
    )
    .report("text-splitter", bytes(&documents));
}

/// Both cut to the same budget of tokens of cl100k_base. The peer is slow: a tenth of the documents.
pub fn by_tokens() {
    let Some(mut documents) = data::markdown("chunking/k8s_docs") else { return };
    documents.truncate(documents.len() / 10);
    let tokenizer = tiktoken_rs::cl100k_base().unwrap_or_else(|error| panic!("{error}"));
    let config = ChunkConfig::new(TOKENS.0..TOKENS.1).with_sizer(tokenizer);
    let splitter = MarkdownSplitter::new(config);
    let budget = budget(Measure::Tokens, TOKENS.0, TOKENS.1);
    compare::interleave(
        || documents.iter().for_each(|text| consume(chunk_markdown(text, budget))),
        || documents.iter().for_each(|text| consume(splitter.chunks(text))),
    )
    .report("text-splitter", bytes(&documents));
}

/// The same number of tokens, counted.
pub fn counting() {
    let Some(documents) = data::markdown("chunking/k8s_docs") else { return };
    let tokenizer = tiktoken_rs::cl100k_base().unwrap_or_else(|error| panic!("{error}"));
    for text in &documents {
        assert_eq!(token::count(text), tokenizer.encode_ordinary(text).len());
    }
    compare::interleave(
        || consume(documents.iter().map(|text| token::count(text))),
        || consume(documents.iter().map(|text| tokenizer.encode_ordinary(text))),
    )
    .report("tiktoken-rs", bytes(&documents));
}

fn budget(measure: Measure, target: usize, max: usize) -> Budget {
    Budget::try_new(measure, target as i64, max as i64, 0).unwrap_or_else(|error| panic!("{error}"))
}

fn bytes(documents: &[String]) -> usize {
    documents.iter().map(String::len).sum()
}

fn consume(items: impl Iterator) {
    items.for_each(|item| {
        black_box(item);
    });
}

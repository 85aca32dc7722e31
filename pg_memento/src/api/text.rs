//! Functions of text, without state.

use std::collections::BTreeSet;

use memento_core::chunk::{self, Measure};
use memento_core::{tech, token};
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use crate::ffi::server::check_for_interrupts;
use crate::ffi::stored::{self, Lowered};
use crate::service::text::{budget, int};

#[pg_extern(immutable, parallel_safe)]
#[allow(clippy::type_complexity)] // pgrx reads the columns from the signature.
pub fn chunk_markdown<'a>(
    content: Option<&'a str>,
    target_tokens: default!(Option<i32>, "350"),
    max_tokens: default!(Option<i32>, "600"),
    overlap_tokens: default!(Option<i32>, "0"),
    kind: default!(Option<&str>, "null"),
) -> Result<
    TableIterator<
        'a,
        (
            name!(ordinal, i32),
            name!(start_char, i32),
            name!(end_char, i32),
            name!(chunk_text, &'a str),
            name!(heading_path, Vec<String>),
            name!(section_anchor, Option<String>),
            name!(block_kind, &'static str),
            name!(token_count, i32),
        ),
    >,
    ErrorReport,
> {
    let (target, max) = (target_tokens.unwrap_or(350), max_tokens.unwrap_or(600));
    let budget = budget(Measure::Tokens, target, max, overlap_tokens.unwrap_or(0))?;
    let grouping = chunk::grouping_for(kind.unwrap_or_default());
    let chunks = chunk::chunk_grouped(content.unwrap_or_default(), budget, grouping);
    Ok(TableIterator::new(chunks.enumerate().map(|(ordinal, chunk)| {
        check_for_interrupts();
        (
            int(ordinal),
            int(chunk.start_char),
            int(chunk.end_char),
            chunk.text,
            chunk.heading.path.clone(),
            chunk.heading.anchor.clone(),
            chunk.kind.as_str(),
            int(chunk.size),
        )
    })))
}

#[pg_extern(immutable, parallel_safe, strict)]
#[allow(clippy::type_complexity)] // pgrx reads the columns from the signature.
pub fn outline(
    content: &str,
) -> TableIterator<
    '_,
    (
        name!(section_anchor, String),
        name!(heading_path, Vec<String>),
        name!(level, i32),
        name!(start_char, i32),
        name!(end_char, i32),
    ),
> {
    TableIterator::new(chunk::outline_interruptibly(content, check_for_interrupts).map(|section| {
        (section.anchor, section.path, int(section.level), int(section.start_char), int(section.end_char))
    }))
}

#[pg_extern(immutable, parallel_safe, strict)]
pub fn count_tokens(content: &str) -> i32 {
    // In parts, so that the count of a hundred megabytes can be cancelled.
    int(token::count_interruptibly(content, check_for_interrupts))
}

#[pg_extern(immutable, parallel_safe, strict)]
pub fn tech_tokens(content: &str) -> Vec<String> {
    let tokens: BTreeSet<String> =
        interruptible(tech::scan(content)).map(|found| found.normal_form()).collect();
    tokens.into_iter().collect()
}

#[pg_extern(immutable, parallel_safe, strict)]
#[allow(clippy::type_complexity)] // pgrx reads the columns from the signature.
pub fn tech_token_spans<'a>(
    content: &'a str,
) -> stored::TableIterator<
    'a,
    (name!(token, Lowered<'a>), name!(kind, &'static str), name!(start_char, i32), name!(end_char, i32)),
> {
    stored::TableIterator::filled_by(move |give| {
        let mut offsets = chunk::CharOffsets::new(content);
        for found in interruptible(tech::scan(content)) {
            let start = offsets.char_at(found.span.start);
            // Technical tokens are ASCII.
            let end = start + found.text.len();
            give((Lowered(found.normal_part()), found.kind.as_str(), int(start), int(end)));
        }
    })
}

fn interruptible<T>(items: impl Iterator<Item = T>) -> impl Iterator<Item = T> {
    items.inspect(|_| check_for_interrupts())
}

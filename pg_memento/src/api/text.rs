//! Functions of text, without state.

use memento_core::chunk::{self, Measure};
use memento_core::token;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use crate::ffi::server::check_for_interrupts;
use crate::service::text::{budget, int};

#[pg_extern(immutable, parallel_safe)]
#[allow(clippy::type_complexity)] // pgrx reads the columns from the signature.
pub fn chunk_markdown<'a>(
    content: Option<&'a str>,
    target_tokens: default!(Option<i32>, "350"),
    max_tokens: default!(Option<i32>, "600"),
    overlap_tokens: default!(Option<i32>, "0"),
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
    Ok(TableIterator::new(chunk::chunk_markdown(content.unwrap_or_default(), budget).enumerate().map(
        |(ordinal, chunk)| {
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
        },
    )))
}

#[pg_extern(immutable, parallel_safe, strict)]
#[allow(clippy::type_complexity)] // pgrx reads the columns from the signature.
pub fn outline(
    content: &str,
) -> TableIterator<
    'static,
    (
        name!(section_anchor, String),
        name!(heading_path, Vec<String>),
        name!(level, i32),
        name!(start_char, i32),
        name!(end_char, i32),
    ),
> {
    TableIterator::new(chunk::outline(content).into_iter().map(|section| {
        (section.anchor, section.path, int(section.level), int(section.start_char), int(section.end_char))
    }))
}

#[pg_extern(immutable, parallel_safe, strict)]
pub fn count_tokens(content: &str) -> i32 {
    // In parts, so that the count of a hundred megabytes can be cancelled.
    int(token::count_interruptibly(content, check_for_interrupts))
}

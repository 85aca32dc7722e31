//! Functions of text, without state.

use memento_core::chunk::{self, Measure};
use memento_core::token;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use crate::error::{ApiResult, given};
use crate::ffi::server::check_for_interrupts;
use crate::service::text::{TextError, budget, int};

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
    let content = given("content", content)?;
    let budget = budget(
        Measure::Tokens,
        given("target_tokens", target_tokens)?,
        given("max_tokens", max_tokens)?,
        given("overlap_tokens", overlap_tokens)?,
    )?;
    Ok(TableIterator::new(chunk::chunk_markdown(content, budget).enumerate().map(|(ordinal, chunk)| {
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

#[pg_extern(immutable, parallel_safe)]
#[allow(clippy::type_complexity)] // pgrx reads the columns from the signature.
pub fn outline(
    content: Option<&str>,
) -> Result<
    TableIterator<
        'static,
        (
            name!(section_anchor, String),
            name!(heading_path, Vec<String>),
            name!(level, i32),
            name!(start_char, i32),
            name!(end_char, i32),
        ),
    >,
    ErrorReport,
> {
    let sections = chunk::outline(given("content", content)?);
    Ok(TableIterator::new(sections.into_iter().map(|section| {
        (section.anchor, section.path, int(section.level), int(section.start_char), int(section.end_char))
    })))
}

#[pg_extern(immutable, parallel_safe)]
pub fn count_tokens(content: Option<&str>) -> ApiResult<i32> {
    let count = token::count(given("content", content)?);
    Ok(i32::try_from(count).map_err(|_| TextError::TooLong)?)
}

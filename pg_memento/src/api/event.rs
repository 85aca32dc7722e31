//! Semantic events.

use pgrx::prelude::*;
use pgrx::{Array, Uuid};

use crate::error::{ApiResult, given};
use crate::ffi::jsonb::Jsonb;
use crate::service::event::{self, Query};

/// What is wrong with the first of the quotes that is not what a content says at its span; for the trigger that checks them.
#[pg_extern(immutable, parallel_safe, strict)]
pub fn _quote_problem(
    content: &str,
    starts: Array<i32>,
    ends: Array<i32>,
    quotes: Array<&str>,
) -> Option<String> {
    let spans = starts.iter().zip(ends.iter()).zip(quotes.iter());
    let quotes = spans.map(|((start, end), quote)| {
        (start.unwrap_or(-1), end.unwrap_or(-1), quote.unwrap_or_default().to_owned())
    });
    event::quote_problem(content, quotes)
}

/// What a content says at spans, in one pass; null where it has no such span.
#[pg_extern(immutable, parallel_safe, strict)]
pub fn _texts_at(content: &str, starts: Array<i32>, ends: Array<i32>) -> Vec<Option<String>> {
    let spans = starts.iter().zip(ends.iter());
    event::texts_at(content, spans.map(|(start, end)| (start.unwrap_or(-1), end.unwrap_or(-1))))
}

#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
#[allow(clippy::too_many_arguments)] // In SQL they have names and defaults.
pub fn event_search(
    query: default!(Option<&str>, "null"),
    max_items: default!(Option<i32>, "20"),
    category: default!(Option<&str>, "null"),
    time_from: default!(Option<TimestampWithTimeZone>, "null"),
    time_to: default!(Option<TimestampWithTimeZone>, "null"),
    artifact_uid: default!(Option<&str>, "null"),
    include_evidence: default!(Option<bool>, "true"),
    actor: default!(Option<&str>, "null"),
    subject: default!(Option<&str>, "null"),
    min_confidence: default!(Option<f64>, "null"),
    after: default!(Option<&str>, "null"),
    exact_total: default!(Option<bool>, "false"),
) -> ApiResult<Jsonb> {
    let found = event::search(&Query {
        query,
        limit: max_items.unwrap_or(20),
        category,
        from: time_from,
        to: time_to,
        artifact: artifact_uid,
        with_evidence: include_evidence.unwrap_or(true),
        actor,
        subject,
        confidence: min_confidence,
        after,
        exact_total: exact_total.unwrap_or(false),
    })?;
    Ok(found.into())
}

#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
pub fn event_get(event_id: Option<Uuid>) -> ApiResult<Jsonb> {
    Ok(event::get(given("event_id", event_id)?)?)
}

#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
pub fn event_list_for_revision(
    artifact_uid: Option<&str>,
    revision_id: default!(Option<&str>, "null"),
    include_evidence: default!(Option<bool>, "false"),
) -> ApiResult<Jsonb> {
    let artifact = given("artifact_uid", artifact_uid)?;
    Ok(event::list_for_revision(artifact, revision_id, include_evidence.unwrap_or(false))?.into())
}

#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
pub fn event_diff(
    artifact_uid: Option<&str>,
    revision_a: Option<&str>,
    revision_b: default!(Option<&str>, "null"),
) -> ApiResult<Jsonb> {
    let artifact = given("artifact_uid", artifact_uid)?;
    Ok(event::diff(artifact, given("revision_a", revision_a)?, revision_b)?.into())
}

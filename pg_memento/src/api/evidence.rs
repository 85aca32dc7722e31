//! Fusing rankings, finding quotes, checking citations: without state.

use memento_core::{citation, fusion, quote};
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use serde_json::{Map, json};

use crate::error::ApiResult;
use crate::ffi::jsonb::Jsonb;
use crate::service::evidence::{self, EvidenceError};
use crate::service::text::int;

#[pg_extern(immutable, parallel_safe, strict)]
pub fn rrf_score(rank: i64, weight: default!(f64, "1"), k: default!(i32, "60")) -> ApiResult<f64> {
    let rank = u64::try_from(rank).ok().filter(|rank| *rank > 0).ok_or(EvidenceError::Rank(rank))?;
    Ok(fusion::score(rank, weight, evidence::constant(k)?))
}

#[pg_extern(immutable, parallel_safe)]
#[allow(clippy::type_complexity)] // pgrx reads the columns from the signature.
pub fn rrf_fuse(
    rankings: Option<Jsonb>,
    weights: default!(Option<Jsonb>, "null"),
    k: default!(Option<i32>, "60"),
) -> Result<TableIterator<'static, (name!(id, String), name!(score, f64), name!(ranks, Jsonb))>, ErrorReport>
{
    let Some(rankings) = rankings else { return Ok(TableIterator::empty()) };
    let rankings = evidence::rankings(&rankings, weights.as_ref())?;
    let lanes: Vec<fusion::Lane<&str>> = rankings.iter().map(evidence::Ranking::as_lane).collect();
    let fused: Vec<_> = fusion::fuse(&lanes, evidence::constant(k.unwrap_or(60))?)
        .into_iter()
        .map(|fused| {
            let ranks: Map<_, _> =
                fused.ranks.iter().map(|(lane, rank)| ((*lane).to_owned(), json!(rank))).collect();
            (fused.id.to_owned(), fused.score, Jsonb::from(json!(ranks)))
        })
        .collect();
    Ok(TableIterator::new(fused))
}

#[pg_extern(immutable, parallel_safe)]
pub fn locate_quote(
    content: Option<&str>,
    quote: Option<&str>,
    near: default!(Option<i32>, "null"),
) -> TableIterator<'static, (name!(start_char, i32), name!(end_char, i32))> {
    let near = near.map(|near| usize::try_from(near).unwrap_or(0));
    let span = content.zip(quote).and_then(|(content, quote)| quote::locate_quote(content, quote, near));
    TableIterator::new(span.map(|span| (int(span.start), int(span.end))))
}

#[pg_extern(immutable, parallel_safe)]
#[allow(clippy::type_complexity)] // pgrx reads the columns from the signature.
pub fn check_citations<'a>(
    answer: Option<&'a str>,
    evidence_ids: Option<Vec<Option<String>>>,
) -> TableIterator<
    'a,
    (
        name!(sentence_no, i32),
        name!(sentence, &'a str),
        name!(cited, Vec<&'a str>),
        name!(ok, bool),
        name!(problem, Option<String>),
    ),
> {
    let ids: Vec<String> = evidence_ids.unwrap_or_default().into_iter().flatten().collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let checked = citation::check_citations(answer.unwrap_or_default(), &ids);
    TableIterator::new(checked.into_iter().enumerate().map(|(number, sentence)| {
        let problem = sentence.problem.map(|problem| problem.to_string());
        (int(number + 1), sentence.text, sentence.cited, problem.is_none(), problem)
    }))
}

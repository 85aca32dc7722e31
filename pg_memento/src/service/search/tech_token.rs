//! The lane of exact identifiers: chunks that have the query's technical tokens.

use std::collections::BTreeMap;

use super::lane::{LaneHit, LaneOutcome, timed};
use crate::spi::search::{Scope, TokenHit, TokenLook};
use crate::spi::{self, StatementResult};

/// So many chunks are looked at with what they belong to, some 12 µs each: of all tokens, or of each.
const MANY: i64 = 2000;

/// A filter that leaves so many chunks leaves them to be looked through, some 12 µs each too.
const FEW: f64 = 10_000.0;

/// So many are looked through if nothing else finds any that a filter leaves: a second or so.
const MOST: i64 = 100_000;

/// Which tokens of the query chunks have.
pub type FoundTokens = BTreeMap<i64, Vec<String>>;

/// What the lane found.
pub struct TokenLane {
    pub outcome: LaneOutcome,
    pub tokens: FoundTokens,
}

/// Chunks by how many of the tokens they have, and how rare those are. For each token that is there at all, at least one.
pub fn run(scope: &Scope, tokens: Vec<String>, limit: i32) -> TokenLane {
    let mut found_tokens = FoundTokens::new();
    let outcome = timed(|| {
        if tokens.is_empty() {
            return Ok(Err("the query has no identifier".into()));
        }
        let found = look(scope, &tokens, limit)?;
        let hits = found.iter().map(|hit| LaneHit { chunk_id: hit.chunk_id, score: hit.score }).collect();
        found_tokens = found.into_iter().map(|hit| (hit.chunk_id, hit.tokens)).collect();
        Ok(Ok(("exact match".into(), hits)))
    });
    TokenLane { outcome, tokens: found_tokens }
}

/// The rare tokens are found whatever the others are: where many chunks have one of them, each has its own share of what is read.
fn look(scope: &Scope, tokens: &[String], limit: i32) -> StatementResult<Vec<TokenHit>> {
    let found = |look| spi::search::tech_tokens(scope, tokens, look, limit);
    if let Some(hits) = found(TokenLook::Any(MANY))? {
        return Ok(hits);
    }
    if scope.is_filtered()
        && spi::dense::estimate(scope)? <= FEW
        && let Some(hits) = found(TokenLook::InScope(2 * FEW as i64))?
    {
        return Ok(hits);
    }
    let hits = found(TokenLook::Each(MANY))?.unwrap_or_default();
    if hits.is_empty() && scope.is_filtered() {
        // They are there, but not among those that were looked at.
        return Ok(found(TokenLook::InScope(MOST))?.unwrap_or_default());
    }
    Ok(hits)
}

/// For each token that was found, the chunks that have it. The rarest first.
pub fn holders(found: &FoundTokens) -> Vec<Vec<i64>> {
    let mut holders: BTreeMap<&str, Vec<i64>> = BTreeMap::new();
    for (chunk, tokens) in found {
        for token in tokens {
            holders.entry(token).or_default().push(*chunk);
        }
    }
    let mut holders: Vec<_> = holders.into_iter().collect();
    holders.sort_by_key(|(token, chunks)| (chunks.len(), *token));
    holders.into_iter().map(|(_, chunks)| chunks).collect()
}

//! Full-text search: BM25 with what is counted of the project.

use memento_core::bm25::{Candidates, EncodedQuery, Term, plan};

use super::super::lane::LaneHit;
use super::Answer;
use crate::gucs;
use crate::spi::lexical::{self, Found};
use crate::spi::search::Scope;
use crate::spi::{self, StatementResult};

/// How many chunks a search may read before it asks for better words: some 5 µs each.
const BUDGET: i64 = 5000;

/// With more candidates than that, words do not tell chunks apart, and only the newest [`BUDGET`] of them are read.
const TOO_MANY: f64 = 2.0 * BUDGET as f64;

/// How many more than asked for are taken of the best, for some may be of superseded versions.
const SPARE: i64 = 50;

/// A filter that keeps at least this share of a project is looked at after ranking, on the best; another one before.
const MUCH: f64 = 0.1;

pub(super) fn find(scope: &Scope, query: &str, limit: i32) -> StatementResult<Answer> {
    let totals = lexical::totals(scope.project)?;
    let mut collection = totals.collection;
    let mut words = lexical::words(scope.project, query)?;
    if totals.pending > 0 {
        lexical::add_uncounted(scope.project, &mut collection, &mut words)?;
    }
    // Words of former versions only are not counted, and neither is what a restore has just brought.
    let is_known = totals.is_complete && scope.as_of.is_none();
    let terms = plan(words, !is_known);
    let encoded = EncodedQuery::new(&terms, collection, gucs::bm25());
    let kept = kept_share(scope)?;
    let mut found = Vec::new();
    for candidates in Candidates::in_turn(&terms, collection, BUDGET) {
        let is_broad = candidates.expected(collection) > TOO_MANY;
        found = best(scope, &tsquery(&candidates), is_broad, kept, &encoded, limit)?;
        if i32::try_from(found.len()).is_ok_and(|count| count >= limit) {
            break;
        }
    }
    let hits =
        found.into_iter().map(|found| LaneHit { chunk_id: found.chunk_id, score: found.score }).collect();
    Ok((hits, "full-text search".into()))
}

/// Which share of a project a search may find, as the planner has it.
fn kept_share(scope: &Scope) -> StatementResult<f64> {
    if !scope.is_filtered() {
        return Ok(1.0);
    }
    let in_scope = spi::dense::estimate(scope)?;
    Ok(in_scope / spi::dense::estimate_project(scope.project)?.max(in_scope).max(1.0))
}

/// The best first, and only where too few of them are wanted, all.
fn best(
    scope: &Scope,
    tsquery: &str,
    is_broad: bool,
    kept: f64,
    query: &EncodedQuery,
    limit: i32,
) -> StatementResult<Vec<Found>> {
    if kept >= MUCH {
        let looked_at = (2.0 * f64::from(limit) / kept) as i64 + SPARE;
        let found = if is_broad {
            let newest = (BUDGET as f64 / kept) as i64;
            lexical::best_of_newest(scope, tsquery, query, newest, looked_at, limit)?
        } else {
            lexical::best(scope, tsquery, query, looked_at, limit)?
        };
        let saw_all = found.first().and_then(|found| found.of_best).is_some_and(|count| count < looked_at);
        if saw_all || i32::try_from(found.len()).is_ok_and(|count| count >= limit) {
            return Ok(found);
        }
    }
    lexical::filtered(scope, tsquery, query, limit)
}

/// In the text form of a tsquery, in which quoted words are just words.
pub fn tsquery(candidates: &Candidates) -> String {
    let (terms, operator): (&[Term], _) = match candidates {
        Candidates::Any(terms) => (terms, " | "),
        Candidates::All(terms) => (terms, " & "),
    };
    let quoted = |term: &Term| format!("'{}'", term.word.replace('\\', "\\\\").replace('\'', "''"));
    terms.iter().map(quoted).collect::<Vec<_>>().join(operator)
}

//! Full-text search: BM25 with what is counted of the project.

use memento_core::bm25::{Candidates, Collection, EncodedQuery, Term, plan};

use super::super::lane::LaneHit;
use super::{Answer, FULL_TEXT};
use crate::gucs;
use crate::spi::lexical::{self, Looked};
use crate::spi::search::Scope;
use crate::spi::{self, StatementResult};

/// How many chunks a search may read before it asks for better words: some 5 µs each.
const BUDGET: i64 = 5000;

/// With more candidates than that, words do not tell chunks apart, and only the newest [`BUDGET`] of them are read.
const TOO_MANY: i64 = 2 * BUDGET;

/// More are never scored in one go, whatever was expected.
const MOST_SCORED: i64 = 4 * BUDGET;

/// So far back the newest are looked for, some 2 µs each: words that seldom stand together may be in none of them.
const MOST_PASSED: i64 = 6 * BUDGET;

/// How many more than asked for are taken of the best, for some may be of superseded versions.
const SPARE: i64 = 50;

/// A filter that keeps at least this share of a project is looked at after ranking, on the best; another one before.
const MUCH: f64 = 0.1;

/// A filter that leaves so many chunks leaves them to be looked into, some 12 µs each; of more, so many.
const FEW: i64 = 10_000;

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
    let extent = Extent::of(scope, collection)?;
    let floor = Floor {
        scope,
        query: EncodedQuery::new(&terms, collection, gucs::bm25()),
        collection,
        is_counted: totals.is_complete,
        former: if scope.as_of.is_none() { extent.former(collection) } else { 1.0 },
        extent,
        limit,
    };
    let mut found = Vec::new();
    let budget = (BUDGET as f64 / floor.former) as i64;
    for candidates in Candidates::in_turn(&terms, collection, budget.max(1)) {
        let best = floor.best(&candidates)?;
        if best.len() >= found.len() {
            found = best;
        }
        if floor.is_enough(&found) {
            break;
        }
    }
    let hits = found.into_iter().map(|(chunk_id, score)| LaneHit { chunk_id, score }).collect();
    Ok((hits, FULL_TEXT.into()))
}

/// How many chunks a search is about, of how many in its project, about.
struct Extent {
    in_scope: f64,
    in_project: f64,
}

impl Extent {
    /// What is counted needs no estimate, and of a small project the planner knows no more than of others.
    fn of(scope: &Scope, counted: Collection) -> StatementResult<Self> {
        let is_filtered = scope.is_filtered();
        let in_scope = if is_filtered { spi::dense::estimate(scope)? } else { counted.texts as f64 }.max(1.0);
        if !is_filtered && counted.texts <= BUDGET {
            return Ok(Self { in_scope, in_project: in_scope });
        }
        Ok(Self { in_scope, in_project: spi::dense::estimate_project(scope.project)?.max(in_scope) })
    }

    fn kept(&self) -> f64 {
        self.in_scope / self.in_project
    }

    /// For each chunk that is counted, how many there are: those of former versions have the same words and are not counted.
    fn former(&self, counted: Collection) -> f64 {
        let counted = counted.texts as f64;
        if counted <= BUDGET as f64 { 1.0 } else { (self.in_project / counted).max(1.0) }
    }
}

/// Full-text search for one query.
struct Floor<'a> {
    scope: &'a Scope,
    query: EncodedQuery,
    collection: Collection,
    /// Whether counts are those of all chunks.
    is_counted: bool,
    former: f64,
    extent: Extent,
    limit: i32,
}

impl Floor<'_> {
    fn is_enough(&self, found: &[(i64, f64)]) -> bool {
        i32::try_from(found.len()).is_ok_and(|count| count >= self.limit)
    }

    /// The best first, and only where too few of them are wanted, more.
    fn best(&self, candidates: &Candidates) -> StatementResult<Vec<(i64, f64)>> {
        let tsquery = &tsquery(candidates);
        let expected = candidates.expected(self.collection) * self.former;
        let is_narrow = self.scope.is_filtered() && self.extent.in_scope <= FEW as f64;
        if is_narrow && (!self.is_counted || expected > self.extent.in_scope) {
            return self.in_scope(tsquery, 2 * FEW);
        }
        let is_broad = self.is_broad(candidates, tsquery, expected)?;
        let kept = self.extent.kept();
        if kept >= MUCH {
            let looked_at = (2.0 * f64::from(self.limit) / kept) as i64 + SPARE;
            let Looked { found, looked_at: seen } =
                if is_broad { self.newest(tsquery, looked_at)? } else { self.scored(tsquery, looked_at)? };
            if self.is_enough(&found) || !is_broad && seen < looked_at {
                return Ok(found);
            }
        }
        if is_broad && self.scope.is_filtered() {
            return self.in_scope(tsquery, FEW);
        }
        Ok(self.scored(tsquery, MOST_SCORED)?.found)
    }

    /// What is counted of a word is what there is; how often words stand together has to be looked up.
    fn is_broad(&self, candidates: &Candidates, tsquery: &str, expected: f64) -> StatementResult<bool> {
        match candidates {
            Candidates::Any(_) if self.is_counted => Ok(expected > TOO_MANY as f64),
            _ => lexical::is_broad(self.scope.project, tsquery, TOO_MANY),
        }
    }

    fn scored(&self, tsquery: &str, looked_at: i64) -> StatementResult<Looked> {
        lexical::best(self.scope, tsquery, &self.query, (looked_at, MOST_SCORED), self.limit)
    }

    fn newest(&self, tsquery: &str, looked_at: i64) -> StatementResult<Looked> {
        let newest = ((BUDGET as f64 / self.extent.kept()) as i64).min(MOST_SCORED);
        let amounts = (looked_at, newest, MOST_PASSED);
        lexical::best_of_newest(self.scope, tsquery, &self.query, amounts, self.limit)
    }

    fn in_scope(&self, tsquery: &str, read: i64) -> StatementResult<Vec<(i64, f64)>> {
        Ok(lexical::best_in_scope(self.scope, tsquery, &self.query, read, self.limit)?.found)
    }
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

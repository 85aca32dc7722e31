//! The lexical lane by an extension that has a BM25 index of its own. It is somebody else's code: what it cannot do, or fails
//! at, full-text search does.

use std::sync::atomic::{AtomicBool, Ordering};

use super::super::lane::LaneHit;
use super::Answer;
use crate::ffi::subtransaction::{Abandoned, attempt_within};
use crate::gucs;
use crate::spi::lexical_engine::{self, LexicalEngine};
use crate::spi::search::Scope;
use crate::spi::{StatementResult, dense, lexical};

/// How much more than asked for an engine is asked for, because it does not know the filter, and perhaps not the project: a
/// little, then a lot, and if that is not enough, it is the wrong tool.
const GENEROSITY: [i64; 2] = [4, 100];

/// An engine may take one part in so many of the lane's time: the rest is for full-text search.
const PART_OF_TIME: i32 = 2;

/// Set in this session when an engine has failed.
static FAILED: AtomicBool = AtomicBool::new(false);

/// Lets engines be asked again that have failed in this session.
pub fn forget_failure() {
    FAILED.store(false, Ordering::Relaxed);
}

/// What an engine finds; none if there is no engine, or it cannot give as much as there may be.
pub(super) fn find(scope: &Scope, query: &str, limit: i32) -> StatementResult<Option<Answer>> {
    if FAILED.load(Ordering::Relaxed) || !gucs::uses_bm25_engine() {
        return Ok(None);
    }
    let engines = lexical_engine::installed()?;
    let Some((engine, statement)) = engines.iter().find_map(|engine| Some((engine, engine.statement()?)))
    else {
        return Ok(None);
    };
    let time = gucs::lane_timeout_ms() / PART_OF_TIME;
    let reason = match attempt_within(time, || ask(engine, &statement, scope, query, limit)) {
        Ok(answer) => return answer,
        Err(Abandoned::TimedOut) => format!("not done after {time} ms"),
        Err(Abandoned::Failed(caught)) => caught.to_string(),
    };
    FAILED.store(true, Ordering::Relaxed);
    pgrx::notice!(
        "{} failed ({reason}); this session goes on with full-text search. memento.enable_bm25(true) builds its index anew",
        engine.name
    );
    Ok(None)
}

fn ask(
    engine: &LexicalEngine,
    statement: &str,
    scope: &Scope,
    query: &str,
    limit: i32,
) -> StatementResult<Option<Answer>> {
    let share = share(engine, scope)?;
    // What cannot be expected to be enough is not asked for.
    for generosity in GENEROSITY.into_iter().filter(|generosity| *generosity as f64 * share >= 1.0) {
        let asked = i64::from(limit) * generosity;
        let found = lexical::best_of(scope, statement, query, asked, limit)?;
        let of_best = found.first().and_then(|found| found.of_best);
        let saw_all = of_best.as_ref().is_some_and(|best| best.count < asked);
        let is_enough = i32::try_from(found.len()).is_ok_and(|count| count >= limit);
        let is_cut =
            !saw_all && found.last().zip(of_best).is_some_and(|(last, best)| last.score <= best.lowest);
        if is_enough && is_cut && !engine.orders_ties() {
            // Which of those with the last score it has given is chance, and the next search may see others.
            return Ok(None);
        }
        if saw_all || is_enough {
            let hits =
                found.iter().map(|found| LaneHit { chunk_id: found.chunk_id, score: found.score }).collect();
            return Ok(Some((hits, format!("{} {}", engine.name, engine.version))));
        }
    }
    Ok(None)
}

/// Which share of what the engine ranks the search may find, as far as that is known.
fn share(engine: &LexicalEngine, scope: &Scope) -> StatementResult<f64> {
    let of_project = kept_share(scope)?;
    if engine.knows_projects() {
        return Ok(of_project);
    }
    let totals = lexical::totals(scope.project)?;
    // A version that is not counted has a chunk at least.
    let own = totals.collection.texts.saturating_add(totals.pending) as f64;
    let all = lexical_engine::estimate_chunks()?.max(1.0);
    Ok(of_project * (own / all).min(1.0))
}

/// Which share of its project a search may find, as the planner has it.
fn kept_share(scope: &Scope) -> StatementResult<f64> {
    if !scope.is_filtered() {
        return Ok(1.0);
    }
    let in_scope = dense::estimate(scope)?;
    Ok(in_scope / dense::estimate_project(scope.project)?.max(in_scope).max(1.0))
}

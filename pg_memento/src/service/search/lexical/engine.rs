//! The lexical lane by an extension that has a BM25 index of its own. It is somebody else's code: what it cannot do, or fails
//! at, full-text search does.

use std::sync::atomic::{AtomicBool, Ordering};

use super::super::lane::LaneHit;
use super::Answer;
use crate::ffi::subtransaction::attempt;
use crate::gucs;
use crate::spi::lexical_engine::{self, LexicalEngine};
use crate::spi::search::Scope;
use crate::spi::{StatementResult, lexical};

/// How much more than asked for an engine is asked for, because it does not know the filter, and perhaps not the project: a
/// little, then a lot, and if that is not enough, it is the wrong tool.
const GENEROSITY: [i64; 2] = [4, 100];

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
    match attempt(|| ask(engine, &statement, scope, query, limit)) {
        Ok(answer) => answer,
        Err(error) => {
            FAILED.store(true, Ordering::Relaxed);
            pgrx::notice!(
                "{} failed ({error}); this session goes on with full-text search. memento.enable_bm25(true) builds its index anew",
                engine.name
            );
            Ok(None)
        }
    }
}

fn ask(
    engine: &LexicalEngine,
    statement: &str,
    scope: &Scope,
    query: &str,
    limit: i32,
) -> StatementResult<Option<Answer>> {
    for generosity in GENEROSITY {
        let asked = i64::from(limit) * generosity;
        let found = lexical::best_of(scope, statement, query, asked, limit)?;
        let saw_all = found.first().and_then(|found| found.of_best).is_some_and(|count| count < asked);
        if saw_all || i32::try_from(found.len()).is_ok_and(|count| count >= limit) {
            let hits =
                found.iter().map(|found| LaneHit { chunk_id: found.chunk_id, score: found.score }).collect();
            return Ok(Some((hits, format!("{} {}", engine.name, engine.version))));
        }
    }
    Ok(None)
}

//! The lane of similar spelling: for a few words that may be mistyped.

use super::lane::{LaneHit, LaneOutcome, timed};
use crate::spi;
use crate::spi::search::Scope;

/// More words are a sentence, whose trigrams are those of any sentence.
const MOST_WORDS: usize = 4;

/// More characters are not typed.
const LONGEST: usize = 100;

/// Without an index each title is compared, some 4 µs each, and the tokens of each chunk, some 15 µs with what it belongs to: of so
/// many items and chunks, the newest.
const MOST_TITLES: i64 = 5_000;
const MOST_CHUNKS: i64 = 2_000;

/// Titles and technical tokens that look like the query. Only where the other lanes left room.
pub fn run(scope: &Scope, query: &str, limit: i32, has_room: bool) -> LaneOutcome {
    let words = query.split_whitespace().count();
    if words == 0 || words > MOST_WORDS || query.chars().count() > LONGEST {
        return LaneOutcome::off("only for one to four words");
    }
    if !has_room {
        return LaneOutcome::off("the exact words were found");
    }
    timed(|| {
        let Some(schema) = spi::catalog::extension_schema("pg_trgm")? else {
            return Ok(Err("the extension pg_trgm is not installed".into()));
        };
        let found = spi::search::similar(scope, &schema, query.trim(), (MOST_TITLES, MOST_CHUNKS), limit)?;
        let hits = found.into_iter().map(|(chunk_id, score)| LaneHit { chunk_id, score }).collect();
        Ok(Ok(("pg_trgm".into(), hits)))
    })
}

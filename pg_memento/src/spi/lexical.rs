//! Full-text search ranked by BM25, and what is counted for it.

use memento_core::bm25::{Collection, EncodedQuery, Term};
use pgrx::Uuid;
use pgrx::datum::DatumWithOid;

use super::search::{Scope, of_wanted_items, wanted};
use super::{StatementResult, kept_rows, required, rows};
use crate::ffi::setting::with_settings;

/// As many changed versions a search looks at: a writer counts long before, and a backlog, as after a restore, is worked off.
const MOST_PENDING: i64 = 1000;

/// What is counted of a project.
pub struct Totals {
    pub collection: Collection,
    /// How many versions have changed since; beyond [`MOST_PENDING`] not exactly.
    pub pending: i64,
    /// Whether the counts with what has changed since are those of all chunks.
    pub is_complete: bool,
}

/// A chunk that was found.
pub struct Found {
    pub chunk_id: i64,
    pub score: f64,
    /// The candidates that it was among, whether they are wanted or not; none where all were looked at.
    pub of_best: Option<OfBest>,
}

/// The best candidates.
#[derive(Clone, Copy)]
pub struct OfBest {
    pub count: i64,
    /// The lowest score of them.
    pub lowest: f64,
}

/// What is counted of a project.
pub fn totals(project: Uuid) -> StatementResult<Totals> {
    let read = kept_rows(include_str!("queries/lexical_totals.sql"), &[project.into()], |row| {
        let (is_counted, pending) = (required::<bool>(&row, 3)?, required(&row, 4)?);
        Ok(Totals {
            collection: Collection { texts: required(&row, 1)?, words: required(&row, 2)? },
            pending,
            is_complete: is_counted && pending <= MOST_PENDING,
        })
    })?;
    let nothing = Totals { collection: Collection::default(), pending: 0, is_complete: false };
    Ok(read.into_iter().next().unwrap_or(nothing))
}

/// The words of a query with what is counted of them. No text is an error.
pub fn words(project: Uuid, query: &str) -> StatementResult<Vec<Term>> {
    kept_rows(include_str!("queries/lexical_words.sql"), &[project.into(), query.into()], |row| {
        Ok(Term { word: required(&row, 1)?, repeats: required(&row, 2)?, texts: required(&row, 3)? })
    })
}

/// Adds what has changed since it was counted.
pub fn add_uncounted(project: Uuid, collection: &mut Collection, terms: &mut [Term]) -> StatementResult<()> {
    let words: Vec<&str> = terms.iter().map(|term| term.word.as_str()).collect();
    let chunks =
        kept_rows(include_str!("queries/lexical_uncounted.sql"), &[project.into(), words.into()], |row| {
            Ok((required::<i32>(&row, 1)?, required::<i64>(&row, 2)?, required::<Vec<i32>>(&row, 3)?))
        })?;
    for (sign, length, found) in chunks {
        collection.texts += i64::from(sign);
        collection.words += i64::from(sign) * length;
        for index in found {
            if let Some(term) = usize::try_from(index).ok().and_then(|index| terms.get_mut(index)) {
                term.texts += i64::from(sign);
            }
        }
    }
    Ok(())
}

/// What was looked at, and what was found there: the best first.
pub struct Looked {
    pub found: Vec<(i64, f64)>,
    pub looked_at: i64,
}

/// Whether a tsquery matches more chunks than that, of all versions.
pub fn is_broad(project: Uuid, tsquery: &str, many: i64) -> StatementResult<bool> {
    let arguments = [project.into(), tsquery.into(), many.into()];
    let counted = rows(include_str!("queries/lexical_is_broad.sql"), &arguments, |row| required(&row, 1))?;
    Ok(counted.into_iter().next().unwrap_or(false))
}

/// The best of the chunks that a tsquery matches, by their score: `best` of them are looked at, and `scored` at most scored.
pub fn best(
    scope: &Scope,
    tsquery: &str,
    query: &EncodedQuery,
    (best, scored): (i64, i64),
    limit: i32,
) -> StatementResult<Looked> {
    let statement = concat!(of_wanted_items!("lexical_best"), include_str!("queries/lexical_ranked.sql"));
    let mut arguments = arguments(scope, tsquery, best, limit, Some(query));
    arguments.push(scored.into());
    looked(statement, &arguments)
}

/// As [`best`], of the `scored` newest that the tsquery matches among the `read` newest of all.
pub fn best_of_newest(
    scope: &Scope,
    tsquery: &str,
    query: &EncodedQuery,
    (best, scored, read): (i64, i64, i64),
    limit: i32,
) -> StatementResult<Looked> {
    let statement = concat!(of_wanted_items!("lexical_newest"), include_str!("queries/lexical_ranked.sql"));
    let mut arguments = arguments(scope, tsquery, best, limit, Some(query));
    arguments.extend([scored.into(), read.into()]);
    looked(statement, &arguments)
}

/// The best that a tsquery matches of the chunks that are wanted; `read` of them are looked into, those of the newest items.
pub fn best_in_scope(
    scope: &Scope,
    tsquery: &str,
    query: &EncodedQuery,
    read: i64,
    limit: i32,
) -> StatementResult<Looked> {
    let mut arguments = arguments(scope, tsquery, 0, limit, Some(query));
    arguments.push(read.into());
    looked(of_wanted_items!("lexical_in_scope"), &arguments)
}

fn looked(statement: &str, arguments: &[DatumWithOid]) -> StatementResult<Looked> {
    // By keys, which are in memory.
    let settings = [(c"random_page_cost", "1.1".to_owned())];
    let read = with_settings(&settings, || {
        rows(statement, arguments, |row| {
            Ok((row.get::<i64>(1)?.zip(row.get::<f64>(2)?), required::<i64>(&row, 3)?))
        })
    })?;
    let looked_at = read.first().map_or(0, |(_, looked_at)| *looked_at);
    Ok(Looked { found: read.into_iter().filter_map(|(found, _)| found).collect(), looked_at })
}

/// The wanted ones of the chunks that a statement of an engine finds: with columns chunk_id, version_id and score, `$1` the
/// project, `$19` the text and `$20` how many.
pub fn best_of(
    scope: &Scope,
    engine: &str,
    text: &str,
    best: i64,
    limit: i32,
) -> StatementResult<Vec<Found>> {
    let statement = format!(
        "{}, best as materialized ({engine})\n{}",
        include_str!("queries/wanted_items.sql"),
        include_str!("queries/lexical_of_best.sql")
    );
    found(&statement, &arguments(scope, text, best, limit, None))
}

fn found(statement: &str, arguments: &[DatumWithOid]) -> StatementResult<Vec<Found>> {
    rows(statement, arguments, |row| {
        let of_best = row.get(3)?.zip(row.get(4)?).map(|(count, lowest)| OfBest { count, lowest });
        Ok(Found { chunk_id: required(&row, 1)?, score: required(&row, 2)?, of_best })
    })
}

fn arguments(
    scope: &Scope,
    text: &str,
    best: i64,
    limit: i32,
    query: Option<&EncodedQuery>,
) -> Vec<DatumWithOid<'static>> {
    let mut arguments = wanted(scope.project, &scope.filter, scope.as_of);
    let query = query.map(|query| query.clone().into_bytes());
    arguments.extend([text.to_owned().into(), best.into(), scope.as_of.into(), limit.into(), query.into()]);
    arguments
}

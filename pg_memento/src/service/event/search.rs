//! Searching events: by words, ranked, and by what is known of them.

use memento_core::access::AccessLevel;
use memento_core::bm25::{Candidates, Collection, EncodedQuery, Term, plan};
use memento_core::event::Category;
use pgrx::Uuid;
use pgrx::prelude::*;
use serde_json::{Map, Value, json};

use super::EventError;
use crate::gucs;
use crate::service::access::{as_owner, authorize_current};
use crate::service::artifact;
use crate::service::search::lexical::{MOST_QUERY_BYTES, tsquery};
use crate::spi;
use crate::spi::event::{Cursor, Found, Has, Keys, Limits, Page, Wanted};

/// The most events of one page.
pub const MAX_EVENTS: i32 = 100;

/// With more matches than that, words do not tell events apart: the newest come first.
const MAX_RANKED: i64 = 2_000;

/// Totals are exact up to that. Each match that is counted is a row that is read, some microsecond.
const MAX_COUNTED: i64 = 5_000;

/// Where the server's statistics have more matches than that they are not counted: reading what the index has of a frequent word takes
/// longer than all else. Far enough beyond what is counted for statistics that are a little old.
const TOO_MANY: f64 = 1.5 * MAX_COUNTED as f64;

/// Among so many of the newest events a page of those that are frequent is looked for, before all of them are sorted.
const MOST_NEAR: i64 = 8_000;

/// How many words an event has, about: a sentence with its names.
const WORDS_OF_EVENT: i64 = 20;

/// What is read of a name.
const MOST_NAME_BYTES: usize = 1_000;

/// What is asked for; none for any.
pub struct Query<'a> {
    pub query: Option<&'a str>,
    pub limit: i32,
    pub category: Option<&'a str>,
    pub from: Option<TimestampWithTimeZone>,
    pub to: Option<TimestampWithTimeZone>,
    pub artifact: Option<&'a str>,
    pub with_evidence: bool,
    pub actor: Option<&'a str>,
    pub subject: Option<&'a str>,
    pub confidence: Option<f64>,
    pub after: Option<&'a str>,
}

/// A page of the events of the session's project, with how many there are, counted up to a limit.
pub fn search(query: &Query) -> Result<Value, EventError> {
    let category = query
        .category
        .map(|word| Category::from_word(word).ok_or(EventError::UnknownCategory))
        .transpose()?
        .map(Category::as_str);
    if !(1..=MAX_EVENTS).contains(&query.limit) {
        return Err(EventError::BadLimit(query.limit));
    }
    if query.confidence.is_some_and(|least| !(0.0..=1.0).contains(&least)) {
        return Err(EventError::BadConfidence);
    }
    let after = query.after.map(cursor).transpose()?;
    let project = authorize_current(AccessLevel::Read)?;
    let artifact_uid = query.artifact.map(|given| uid(project, given)).transpose()?;
    let wanted = Wanted {
        category,
        from: query.from,
        to: query.to,
        artifact_uid: artifact_uid.as_deref(),
        actor: name(query.actor),
        subject: name(query.subject),
        confidence: query.confidence,
    };
    let page = Page {
        // One more than asked for tells whether there is another page.
        limit: query.limit + 1,
        with_evidence: query.with_evidence,
        after: after.as_ref(),
    };
    let mut matched = as_owner(|| find(project, &wanted, said(query.query), &page))?;
    let goes_on = matched.found.len() > query.limit as usize;
    matched.found.truncate(query.limit as usize);
    let next = matched.found.last().filter(|_| goes_on).map(|last| written(&last.cursor));
    let events: Vec<Value> = matched.found.iter().filter_map(|found| found.seen.parse().ok()).collect();
    Ok(json!({
        "events": events,
        "total": matched.total.min(MAX_COUNTED),
        "total_is_exact": matched.total <= MAX_COUNTED,
        "next_after": next,
        "matched": matched.how,
        "order": if matched.is_ranked { "relevance" } else { "time" },
        "filters_applied": filters(query),
    }))
}

/// What was found.
#[derive(Default)]
struct Matched {
    found: Vec<Found>,
    /// Counted up to one more than [`MAX_COUNTED`].
    total: i64,
    is_ranked: bool,
    /// By all words, by any of them, or there are none to find something by.
    how: Option<&'static str>,
}

/// The events that have all words of a query, or, if there are none, any of them.
fn find(project: Uuid, wanted: &Wanted, query: Option<&str>, page: &Page) -> spi::StatementResult<Matched> {
    let is_known_by_key = wanted.artifact_uid.is_some() || wanted.actor.is_some() || wanted.subject.is_some();
    if query.is_none() && !is_known_by_key {
        return Ok(Matched {
            total: spi::event::count(project, wanted, MAX_COUNTED + 1)?,
            found: spi::event::newest(project, None, wanted, page, None)?,
            ..Matched::default()
        });
    }
    let terms = query.map(|query| terms(project, query)).transpose()?;
    if terms.as_ref().is_some_and(Vec::is_empty) {
        return Ok(Matched { how: Some("nothing"), ..Matched::default() });
    }
    let words = terms.iter().flatten().map(|term| term.word.as_str()).collect();
    let Some(keys) = spi::event::keys(project, words, wanted)?.filter(|keys| keys.are_names) else {
        return Ok(Matched { how: terms.map(|_| "all words"), ..Matched::default() });
    };
    let Some(terms) = terms else {
        return by_key(project, &Asked { keys: &keys, has: Has::All, terms: None, wanted }, page);
    };
    let all = by_key(project, &Asked { keys: &keys, has: Has::All, terms: Some(&terms), wanted }, page)?;
    if all.total > 0 || terms.len() == 1 {
        return Ok(Matched { how: Some("all words"), ..all });
    }
    let any = by_key(project, &Asked { keys: &keys, has: Has::Any, terms: Some(&terms), wanted }, page)?;
    Ok(Matched { how: Some("any word"), ..any })
}

/// The words of a query.
fn terms(project: Uuid, query: &str) -> spi::StatementResult<Vec<Term>> {
    let words = spi::lexical::words(project, &query[..query.floor_char_boundary(MOST_QUERY_BYTES)])?;
    // Words that are said of events only are not counted.
    Ok(plan(words, true))
}

/// What the index is asked for.
struct Asked<'a> {
    keys: &'a Keys,
    has: Has,
    terms: Option<&'a [Term]>,
    wanted: &'a Wanted<'a>,
}

fn by_key(project: Uuid, asked: &Asked, page: &Page) -> spi::StatementResult<Matched> {
    let given = (asked.keys, asked.has, asked.wanted);
    let limits = Limits { ranked: MAX_RANKED, counted: MAX_COUNTED + 1 };
    if spi::event::expected(project, asked.keys, asked.has, asked.wanted)? < TOO_MANY {
        let ranking = asked.terms.map(|terms| ranking(project, terms)).transpose()?;
        let (total, found) = spi::event::best(project, given, page, ranking.as_ref(), &limits)?;
        if total < limits.counted {
            let is_ranked = ranking.is_some() && total <= limits.ranked;
            return Ok(Matched { found, total, is_ranked, how: None });
        }
    }
    let words = asked.terms.map(|terms| match asked.has {
        Has::All => tsquery(&Candidates::All(terms)),
        Has::Any => tsquery(&Candidates::Any(terms)),
    });
    let found = spi::event::newest(project, words, asked.wanted, page, Some(MOST_NEAR))?;
    if found.len() == usize::try_from(page.limit).unwrap_or_default() {
        return Ok(Matched { found, total: limits.counted, ..Matched::default() });
    }
    // They are rare among the newest, or the statistics are old.
    let all = Limits { counted: i64::MAX, ..limits };
    let (total, found) = spi::event::best(project, given, page, None, &all)?;
    Ok(Matched { found, total, ..Matched::default() })
}

fn ranking(project: Uuid, terms: &[Term]) -> spi::StatementResult<EncodedQuery> {
    let texts = spi::lexical::totals(project)?.collection.texts.max(1);
    let collection = Collection { texts, words: texts * WORDS_OF_EVENT };
    Ok(EncodedQuery::new(terms, collection, gucs::bm25()))
}

/// The uid of an artifact, whatever it is named by.
fn uid(project: Uuid, given: &str) -> Result<String, EventError> {
    if given.starts_with("uid_") {
        return Ok(given.to_owned());
    }
    let name = artifact::name(given)?;
    let found = as_owner(|| spi::event::revision(project, &name, None))?;
    Ok(found.ok_or_else(|| artifact::missing(given))?.artifact_uid)
}

/// A name that is asked for, without what no name is long enough for.
fn name(text: Option<&str>) -> Option<&str> {
    said(text).map(|text| &text[..text.floor_char_boundary(MOST_NAME_BYTES)])
}

fn said(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.trim().is_empty())
}

fn filters(query: &Query) -> Value {
    let time = |time: Option<TimestampWithTimeZone>| time.map(|time| json!(time.to_iso_string()));
    let text = |text: Option<&str>| text.map(|text| json!(text));
    let given = [
        ("query", text(said(query.query))),
        ("category", text(query.category)),
        ("time_from", time(query.from)),
        ("time_to", time(query.to)),
        ("artifact_uid", text(query.artifact)),
        ("actor", text(name(query.actor))),
        ("subject", text(name(query.subject))),
        ("min_confidence", query.confidence.map(|least| json!(least))),
    ];
    let applied: Map<String, Value> =
        given.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
    Value::Object(applied)
}

/// Score, time and key of the last event of a page.
fn written(cursor: &Cursor) -> String {
    let time = cursor.time.map_or_else(|| "-".to_owned(), |time| time.to_string());
    format!("{:x}/{time}/{}", cursor.score.to_bits(), cursor.event)
}

fn cursor(after: &str) -> Result<Cursor, EventError> {
    let read = || {
        let mut parts = after.split('/');
        let (score, time, event) = (parts.next()?, parts.next()?, parts.next()?);
        let score = f64::from_bits(u64::from_str_radix(score, 16).ok()?);
        let time = match time {
            "-" => None,
            time => Some(time.parse::<i64>().ok().filter(|micros| micros.abs() < 1 << 58)?),
        };
        let event = uuid::Uuid::try_parse(event).ok()?;
        let cursor = Cursor { score, time, event: Uuid::from_bytes(*event.as_bytes()) };
        (parts.next().is_none() && score.is_finite()).then_some(cursor)
    };
    read().ok_or(EventError::BadCursor)
}

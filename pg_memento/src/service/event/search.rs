//! Searching events: by words, ranked, and by what is known of them.

use memento_core::access::AccessLevel;
use memento_core::bm25::{Candidates, Collection, EncodedQuery, Term, plan};
use memento_core::event::Category;
use memento_core::query::LONGEST_QUERY;
use pgrx::Uuid;
use pgrx::prelude::*;
use serde_json::{Map, Value, json};

use super::EventError;
use super::cursor::{After, How};
use crate::gucs;
use crate::service::access::{as_owner, authorize_current};
use crate::service::artifact;
use crate::service::search::lexical::tsquery;
use crate::spi;
use crate::spi::event_search::{Counted, Cursor, Found, Has, Keys, Limits, Page, Stretch, Wanted};

/// The most events of one page.
pub const MAX_EVENTS: i32 = 100;

/// With more matches than that, words do not tell events apart: the newest come first.
const MAX_RANKED: i64 = 2_000;

/// Totals are exact up to that. Each match that is counted is a row that is read, some microsecond.
pub const MAX_COUNTED: i64 = 2_000;

/// As many as a sample of the table tells of so often that there are more than are counted are not: what the index has of a very frequent
/// word takes longer to read than all else.
const TOO_MANY: f64 = 20_000.0;

/// How many events are looked at for a page of those that are frequent, before all matches are sorted: the newest, then those behind them.
const STRETCHES: [i64; 2] = [8_000, 64_000];

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
    /// Whether the first page counts all, however many there are.
    pub exact_total: bool,
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
    let after = query.after.map(|after| After::read(after).ok_or(EventError::BadCursor)).transpose()?;
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
        after: after.as_ref().map(|after| &after.cursor),
    };
    let mut matched = as_owner(|| find(project, &wanted, said(query.query), &page, after.as_ref()))?;
    let (total, is_exact) = match &after {
        Some(first) => (first.total, first.is_exact),
        None if query.exact_total && matched.total > MAX_COUNTED => {
            (as_owner(|| count(project, &wanted, said(query.query), matched.how))?, true)
        }
        None => (matched.total.min(MAX_COUNTED), matched.total <= MAX_COUNTED),
    };
    let goes_on = matched.found.len() > query.limit as usize;
    matched.found.truncate(query.limit as usize);
    let next = matched.found.last().filter(|_| goes_on).map(|last| {
        let Matched { how, is_ranked, .. } = matched;
        After { how, is_ranked, total, is_exact, cursor: last.cursor.clone() }.written()
    });
    let events: Vec<Value> = matched.found.iter().filter_map(|found| found.seen.parse().ok()).collect();
    Ok(json!({
        "events": events,
        "total": total,
        "total_is_exact": is_exact,
        "next_after": next,
        "matched": matched.how.in_words(),
        "order": if matched.is_ranked { "relevance" } else { "time" },
        "filters_applied": filters(query),
    }))
}

/// What was found.
#[derive(Default)]
struct Matched {
    found: Vec<Found>,
    /// Counted up to one more than [`MAX_COUNTED`], with the first page.
    total: i64,
    is_ranked: bool,
    how: How,
}

/// The events that have all words of a query, or, if there are none, any of them. A later page goes on as the first began, whatever has
/// become frequent meanwhile: else events would be there twice, or not at all.
fn find(
    project: Uuid,
    wanted: &Wanted,
    query: Option<&str>,
    page: &Page,
    after: Option<&After>,
) -> spi::StatementResult<Matched> {
    let is_known_by_key = wanted.artifact_uid.is_some() || wanted.actor.is_some() || wanted.subject.is_some();
    if query.is_none() && !is_known_by_key {
        let (total, found) = listed(project, wanted, page, after)?;
        return Ok(Matched { found, total, ..Matched::default() });
    }
    let terms = query.map(|query| terms(project, query)).transpose()?;
    if terms.as_ref().is_some_and(Vec::is_empty) {
        return Ok(Matched { how: How::Nothing, ..Matched::default() });
    }
    let words = terms.iter().flatten().map(|term| term.word.as_str()).collect();
    let how = if terms.is_some() { How::AllWords } else { How::Filters };
    let Some(keys) = spi::event_search::keys(project, words, wanted)?.filter(|keys| keys.are_names) else {
        return Ok(Matched { how, ..Matched::default() });
    };
    let asked = Asked { keys: &keys, has: Has::All, terms: terms.as_deref(), wanted };
    let is_any = after.is_some_and(|after| after.how == How::AnyWord);
    if !is_any {
        let all = by_key(project, &asked, page, after)?;
        let may_be_any = terms.as_ref().is_some_and(|terms| terms.len() > 1) && after.is_none();
        if all.total > 0 || !may_be_any {
            return Ok(Matched { how, ..all });
        }
    }
    let any = by_key(project, &Asked { has: Has::Any, ..asked }, page, after)?;
    Ok(Matched { how: How::AnyWord, ..any })
}

/// How many events a query has found, which are more than are counted without being asked to.
fn count(project: Uuid, wanted: &Wanted, query: Option<&str>, how: How) -> spi::StatementResult<i64> {
    let terms = query.map(|query| terms(project, query)).transpose()?;
    let words = terms.iter().flatten().map(|term| term.word.as_str()).collect();
    let has = if how == How::AnyWord { Has::Any } else { Has::All };
    let keys = spi::event_search::keys(project, words, wanted)?;
    keys.map_or(Ok(0), |keys| spi::event_search::total(project, (&keys, has, wanted)))
}

/// The newest of a category, a time and a confidence, and how many there are.
fn listed(
    project: Uuid,
    wanted: &Wanted,
    page: &Page,
    after: Option<&After>,
) -> spi::StatementResult<(i64, Vec<Found>)> {
    // What a page of them says is counted by the same look at the index; a later one has it from the first.
    let most = if after.is_some() { i64::from(page.limit) } else { MAX_COUNTED + 1 };
    let (mut total, mut found) = (0, Vec::new());
    for are_timed in parts(wanted, page.after) {
        let stretch = Stretch { are_timed, after: page.after, length: most - total };
        let room = (missing(page, &found), page.with_evidence);
        let part = spi::event_search::listed(project, wanted, &stretch, room)?;
        total += part.total;
        found.extend(part.found);
        if total >= most {
            break;
        }
    }
    Ok((after.map_or(total, |after| after.total), found))
}

/// The order of time has two parts: the events that have one, and those that have none.
fn parts(wanted: &Wanted, after: Option<&Cursor>) -> impl Iterator<Item = bool> {
    let is_of_some_time = wanted.from.is_some() || wanted.to.is_some();
    let is_behind = after.is_some_and(|after| after.time.is_none());
    [true, false].into_iter().filter(move |are_timed| if *are_timed { !is_behind } else { !is_of_some_time })
}

/// How many events a page has room for.
fn missing(page: &Page, found: &[Found]) -> i32 {
    page.limit - i32::try_from(found.len()).unwrap_or(page.limit)
}

/// The words of a query.
fn terms(project: Uuid, query: &str) -> spi::StatementResult<Vec<Term>> {
    let words = spi::lexical::words(project, &query[..query.floor_char_boundary(LONGEST_QUERY)])?;
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

fn by_key(project: Uuid, asked: &Asked, page: &Page, after: Option<&After>) -> spi::StatementResult<Matched> {
    let given = (asked.keys, asked.has, asked.wanted);
    let all = Limits { ranked: i64::MAX, counted: i64::MAX };
    let words = asked.terms.map(|terms| match asked.has {
        Has::All => tsquery(&Candidates::All(terms)),
        Has::Any => tsquery(&Candidates::Any(terms)),
    });
    let words = words.as_deref();
    let (total, is_ranked, are_few) = match after {
        None => {
            let sample = spi::event_search::sampled(project, words, asked.wanted)?;
            let limits = Limits { ranked: MAX_RANKED, counted: MAX_COUNTED + 1 };
            let counted = if sample.expected > TOO_MANY {
                Counted { total: limits.counted, expected: sample.expected, found: Vec::new() }
            } else {
                let ranking = asked.terms.map(|terms| ranking(project, terms)).transpose()?;
                spi::event_search::best(project, given, page, ranking.as_ref(), &limits)?
            };
            let (found, total) = (counted.found, counted.total);
            if total < limits.counted {
                let is_ranked = asked.terms.is_some() && total <= limits.ranked;
                return Ok(Matched { found, total, is_ranked, how: How::default() });
            }
            // To read all matches, or to look at events until a page of them is found: so many are as much work in both ways.
            let as_much = (f64::from(page.limit) * sample.size).sqrt();
            (total, false, counted.expected < as_much)
        }
        Some(after) => (after.total, after.is_ranked, after.is_exact && after.total <= MAX_COUNTED),
    };
    let matched = Matched { total, is_ranked, ..Matched::default() };
    if is_ranked || are_few {
        let ranking = asked.terms.filter(|_| is_ranked).map(|terms| ranking(project, terms)).transpose()?;
        let found = spi::event_search::best(project, given, page, ranking.as_ref(), &all)?.found;
        return Ok(Matched { found, ..matched });
    }
    let mut found = Vec::new();
    if let Some(last) = newest(project, words, asked.wanted, page, &mut found)? {
        let rest = Page { limit: missing(page, &found), after: Some(&last), ..*page };
        found.extend(spi::event_search::best(project, given, &rest, None, &all)?.found);
    }
    Ok(Matched { found, ..matched })
}

/// The newest of events that are frequent: they are among the newest of all, most likely, or among those behind them. If the page does not
/// become full, from where the others are to be found.
fn newest(
    project: Uuid,
    words: Option<&str>,
    wanted: &Wanted,
    page: &Page,
    found: &mut Vec<Found>,
) -> spi::StatementResult<Option<Cursor>> {
    let mut lengths = STRETCHES.into_iter();
    let mut last = page.after.cloned();
    for are_timed in parts(wanted, page.after) {
        loop {
            let Some(length) = lengths.next() else {
                return Ok(found.last().map(|last| last.cursor.clone()).or(last));
            };
            let stretch = Stretch { are_timed, after: last.as_ref(), length };
            let room = (missing(page, found), page.with_evidence);
            found.extend(spi::event_search::walk(project, words, wanted, &stretch, room)?);
            if missing(page, found) == 0 {
                return Ok(None);
            }
            let Some(end) = spi::event_search::walk_end(project, wanted, &stretch)? else { break };
            last = Some(end);
        }
    }
    Ok(None)
}

fn ranking(project: Uuid, terms: &[Term]) -> spi::StatementResult<EncodedQuery> {
    let texts = spi::lexical::totals(project)?.collection.texts.max(1);
    let collection = Collection { texts, words: texts * WORDS_OF_EVENT };
    // Each event has the words of its category, which texts need not say: rare there, they are not rare here.
    let (of_categories, share) =
        (spi::event_search::words_of_categories()?, 1 + texts / Category::WORDS.len() as i64);
    let counted = |term: &Term| {
        let is_of_category = of_categories.contains(&term.word);
        Term { texts: if is_of_category { term.texts.max(share) } else { term.texts }, ..term.clone() }
    };
    let terms: Vec<Term> = terms.iter().map(counted).collect();
    Ok(EncodedQuery::new(&terms, collection, gucs::bm25()))
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
    // In UTC, whatever the session's time zone is.
    let time = |time: Option<TimestampWithTimeZone>| {
        time.map(|time| {
            json!(format!("{}{}", time.to_utc().to_iso_string(), if time.is_finite() { "Z" } else { "" }))
        })
    };
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

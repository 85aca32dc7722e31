//! The answer that makes one list of the events of all chunks.

use serde_json::Value;

use super::field::Field;
use super::json::find_value;
use super::report::Report;
use super::{Dropped, Reply, draft_of, quotes_of};
use crate::event::merge::{absorb, may_be_same};
use crate::event::model::Event;
use crate::quote::locate_quote;

/// Reads the answer about events, whose evidence are spans of `text`. It may put events together and word them anew; it
/// cannot add one, change its category or time, or bring evidence or actors of its own. Events that it does not name stay
/// as they are: leaving out is no way to delete. Neither is putting together what cannot be one: of the sources of an entry
/// only those are taken that may be the same as the first of its category.
///
/// Sources are named by number, as the prompt asks, or by their quotes in an `evidence_list`.
pub fn canonical(reply: &str, events: &[Event], text: &str) -> Result<Reply, Report> {
    let mut report = Report::default();
    let value = find_value(reply, &["canonical_events"]).map_err(Report::only)?;
    let listed = if value.is_array() { Some(&value) } else { value.get("canonical_events") };
    let listed = Field::root("canonical_events", listed).list(events.len().max(1), &mut report);
    let quotes = Quotes::new(events, text);
    let mut free: Vec<bool> = vec![true; events.len()];
    let mut found = Reply::default();
    for entry in listed {
        let draft = draft_of(&entry, None, &mut report);
        let sources = sources_of(&entry, &quotes, &mut found.dropped, &mut report);
        let mine: Vec<usize> = sources.into_iter().filter(|at| free[*at]).collect();
        let Some(draft) = draft else { continue };
        if mine.is_empty() {
            found.dropped.events += 1;
        } else if let Some(first) = first_of(&draft, &mine, events) {
            let same: Vec<usize> = mine.into_iter().filter(|at| may_be_same(first, &events[*at])).collect();
            same.iter().for_each(|at| free[*at] = false);
            let (event, crowded) = combined(draft, same.iter().map(|at| &events[*at]));
            found.extraction.events.push(event);
            found.dropped.quotes += crowded;
        } else {
            report.add(&entry.get("category").path, "must be that of a source");
        }
    }
    if !report.is_empty() {
        return Err(report);
    }
    let left = events.iter().zip(&free).filter(|(_, free)| **free).map(|(event, _)| event.clone());
    found.extraction.events.extend(left);
    found.extraction.events.sort_by_key(|event| event.evidence.first().map_or(0, |span| span.start));
    Ok(found)
}

/// The source that the others must fit to: the first of the category that has a time, or else the first of the category.
fn first_of<'e>(draft: &Event, sources: &[usize], events: &'e [Event]) -> Option<&'e Event> {
    let fitting = || sources.iter().map(|at| &events[*at]).filter(|event| event.category == draft.category);
    fitting().find(|event| event.event_time.is_some()).or_else(|| fitting().next())
}

/// The sources in the words of the answer: actors that none of them has are left out. Also says for how many quotes there was
/// no room.
fn combined<'e>(draft: Event, sources: impl Iterator<Item = &'e Event> + Clone) -> (Event, usize) {
    let has = |name: &str| {
        sources.clone().flat_map(|source| &source.actors).any(|known| known.name.eq_ignore_ascii_case(name))
    };
    let actors = draft.actors.into_iter().filter(|actor| has(&actor.name)).collect();
    let mut event = Event { actors, event_time: None, evidence: Vec::new(), ..draft };
    let confidence = event.confidence;
    let crowded = sources.cloned().map(|source| absorb(&mut event, source)).sum();
    (Event { confidence, ..event }, crowded)
}

/// The sources of an entry, by number or by quote.
fn sources_of(entry: &Field<'_>, quotes: &Quotes, dropped: &mut Dropped, report: &mut Report) -> Vec<usize> {
    let mut sources = Vec::new();
    let numbered = entry.get("sources");
    if numbered.is_given() {
        for number in numbered.list(quotes.events.max(1), report) {
            let at = number.value.and_then(Value::as_u64).and_then(|number| usize::try_from(number).ok());
            match at.and_then(|number| number.checked_sub(1)).filter(|at| *at < quotes.events) {
                Some(at) => sources.push(at),
                None => report.add(&number.path, "must be the number of an event"),
            }
        }
    } else {
        let listed = entry.get("evidence_list");
        if !listed.is_given() {
            report.add(&numbered.path, "is missing");
        } else {
            for quote in quotes_of(&listed, dropped, report) {
                let found = quotes.find(quote.text);
                dropped.quotes += usize::from(found.is_none());
                sources.extend(found);
            }
        }
    }
    sources.sort_unstable();
    sources.dedup();
    sources
}

/// All quotes in one text, to be searched at once.
struct Quotes {
    text: String,
    /// Where those of an event begin, in code points, and which it is.
    starts: Vec<(usize, usize)>,
    events: usize,
}

impl Quotes {
    fn new(events: &[Event], source: &str) -> Self {
        let mut text = String::new();
        let mut starts = Vec::new();
        let mut length = 0;
        for (at, event) in events.iter().enumerate() {
            for quote in event.evidence.iter().filter_map(|span| source.get(span.clone())) {
                starts.push((length, at));
                text.push_str(quote);
                // No quote has it, so none is found across two.
                text.push('\u{1}');
                length += quote.chars().count() + 1;
            }
        }
        Self { text, starts, events: events.len() }
    }

    /// The event that has a quote, or one that it is a part of.
    fn find(&self, quote: &str) -> Option<usize> {
        let place = locate_quote(&self.text, quote, None)?;
        let after = self.starts.partition_point(|(start, _)| *start <= place.start);
        self.starts[..after].last().map(|(_, event)| *event)
    }
}

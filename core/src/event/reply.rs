//! What a model has answered, made into events that are true to the text, or into a list of what is wrong with it.
//!
//! The form is read with patience: fences, prose around the JSON, trailing commas. What it says is not: a wrong shape is a
//! problem that the model is told, a quote that is blank or not in the text is dropped and counted, and an event without a
//! quote with it.

mod canonical;
mod field;
mod json;
mod report;
#[cfg(test)]
mod tests;

use std::ops::Range;

use serde_json::Value;

use super::check::{LONGEST_QUOTE, MOST_ALIASES, MOST_QUOTE_WORDS};
use super::kind::EntityType;
use super::mention::find_mentions;
use super::merge::merge_duplicates;
use super::model::{Entity, Event, Extraction};
use crate::query::Date;
use crate::quote::locate_quote;

pub use canonical::canonical;
pub use report::Report;

use field::{Field, name, names, narrative_of};
pub use json::LONGEST_REPLY;
use json::find_value;

/// More events in one answer are none that a chunk can hold.
pub const MOST_EVENTS: usize = 200;
/// More entities in one answer are none that a chunk can hold.
pub const MOST_ENTITIES: usize = 200;

/// What was dropped because the text does not have it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    /// Quotes that are blank or not in the text, and those of an event that has more than it may have.
    pub quotes: usize,
    /// Events without a quote that is.
    pub events: usize,
    /// Entities whose names are not in the text.
    pub entities: usize,
}

/// An answer that can be used.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply {
    /// What it says, with places in the text.
    pub extraction: Extraction,
    /// What it says and the text does not have.
    pub dropped: Dropped,
}

/// Reads the answer about a chunk. Offsets of the result are bytes of `chunk`; see [`Extraction::shifted`]. Times that are
/// no timestamps are counted from `document_date`.
pub fn extraction(reply: &str, chunk: &str, document_date: Option<Date>) -> Result<Reply, Report> {
    let mut report = Report::default();
    let value = find_value(reply, &["events", "entities"]).map_err(Report::only)?;
    let (events, entities) = match &value {
        // A list alone is that of the events.
        Value::Array(_) => (Some(&value), None),
        value => (value.get("events"), value.get("entities")),
    };
    let mut found = Reply::default();
    for event in Field::root("events", events).list(MOST_EVENTS, &mut report) {
        let draft = draft_of(&event, document_date, &mut report);
        let quotes = quotes_of(&event.get("evidence"), &mut found.dropped, &mut report);
        if let Some(draft) = draft {
            found.place(draft, &quotes, chunk);
        }
    }
    let entities = Field::root("entities", entities);
    let entities = if entities.is_given() { entities.list(MOST_ENTITIES, &mut report) } else { Vec::new() };
    let drafts: Vec<Entity> = entities.iter().filter_map(|entity| entity_of(entity, &mut report)).collect();
    if !report.is_empty() {
        return Err(report);
    }
    found.extraction.entities = with_mentions(drafts, chunk, &mut found.dropped);
    let (events, crowded) = merge_duplicates(found.extraction.events);
    found.extraction.events = events;
    found.dropped.quotes += crowded;
    found.extraction.events.sort_by_key(|event| event.evidence.first().map_or(0, |span| span.start));
    Ok(found)
}

impl Reply {
    /// Finds the quotes of an event in the text, and keeps it if one is there.
    fn place(&mut self, mut event: Event, quotes: &[Quote<'_>], text: &str) {
        for quote in quotes {
            match locate(text, quote) {
                Some(span) if event.evidence.contains(&span) => {}
                Some(span) => event.evidence.push(span),
                None => self.dropped.quotes += 1,
            }
        }
        event.evidence.sort_by_key(|span| (span.start, span.end));
        if event.evidence.is_empty() {
            self.dropped.events += 1;
        } else {
            self.extraction.events.push(event);
        }
    }
}

/// An event without evidence.
fn draft_of(event: &Field<'_>, document_date: Option<Date>, report: &mut Report) -> Option<Event> {
    // All fields are read before one can end it: the report is to have all problems.
    let category = event.get("category").word(super::Category::from_word, super::Category::WORDS, report);
    let narrative = narrative_of(&event.get("narrative"), report);
    let subject = event.subject(report);
    let actors = event.actors(report);
    let event_time = event.time(category, document_date, report);
    let confidence = event.confidence(report);
    Some(Event {
        category: category?,
        narrative: narrative?,
        subject: subject?,
        actors,
        event_time,
        confidence: confidence?,
        evidence: Vec::new(),
    })
}

/// A quote, and where the model believes it to be, in code points.
struct Quote<'a> {
    text: &'a str,
    near: Option<usize>,
}

/// The quotes of an event: one, or a list, of objects or of texts. What is no quote is dropped like one that is not in the text:
/// with the others the event can stand.
fn quotes_of<'a>(evidence: &Field<'a>, dropped: &mut Dropped, report: &mut Report) -> Vec<Quote<'a>> {
    let given = match evidence.value {
        Some(Value::Array(list)) => list.as_slice(),
        Some(value @ (Value::String(_) | Value::Object(_) | Value::Null)) => std::slice::from_ref(value),
        _ => {
            report.add(&evidence.path, "must be an object with a quote");
            return Vec::new();
        }
    };
    let quotes: Vec<Quote> = given.iter().filter_map(quote_of).take(super::MOST_EVIDENCE).collect();
    dropped.quotes += given.len() - quotes.len();
    quotes
}

fn quote_of(value: &Value) -> Option<Quote<'_>> {
    let text = value.as_str().or_else(|| value.get("quote")?.as_str())?;
    let near = value.get("start_char").and_then(Value::as_u64);
    let quote = Quote { text, near: near.and_then(|near| usize::try_from(near).ok()) };
    (!text.trim().is_empty()).then_some(quote)
}

/// Where a quote stands, in bytes. A longer one than evidence may be is cut: what is left is in the text, too.
fn locate(text: &str, quote: &Quote<'_>) -> Option<Range<usize>> {
    // Nobody means to quote that much, and looking for it costs.
    const LONGEST_SEARCHED: usize = 8 * LONGEST_QUOTE;
    if quote.text.len() > LONGEST_SEARCHED {
        return None;
    }
    let chars = locate_quote(text, quote.text, quote.near)?;
    let mut places = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    let start = places.nth(chars.start)?;
    let end = if chars.is_empty() { start } else { places.nth(chars.len() - 1)? };
    let span = start..end;
    let found = &text[span.clone()];
    let last = found.split_whitespace().take(MOST_QUOTE_WORDS).last()?;
    let end = span.start + (last.as_ptr() as usize - found.as_ptr() as usize) + last.len();
    let cut = text[span.start..end].char_indices().nth(LONGEST_QUOTE).map(|(at, _)| span.start + at);
    Some(span.start..cut.unwrap_or(end))
}

fn entity_of(entity: &Field<'_>, report: &mut Report) -> Option<Entity> {
    let kind = entity.get("type").word(EntityType::from_word, EntityType::WORDS, report);
    let name = name(&entity.get("name"), report);
    let aliases = names(&entity.get("aliases"), MOST_ALIASES, report);
    let (kind, name) = (kind?, name?);
    let mut others: Vec<String> = Vec::new();
    for alias in aliases {
        if alias != name && !others.contains(&alias) {
            others.push(alias);
        }
    }
    Some(Entity { kind, name, aliases: others, mentions: Vec::new() })
}

/// Entities that the text names, each once.
fn with_mentions(drafts: Vec<Entity>, text: &str, dropped: &mut Dropped) -> Vec<Entity> {
    let mut entities: Vec<Entity> = Vec::with_capacity(drafts.len());
    for draft in drafts {
        let same = entities.iter_mut().find(|known| known.kind == draft.kind && known.name == draft.name);
        match same {
            Some(known) => {
                let new = draft.aliases.into_iter().filter(|alias| !known.aliases.contains(alias));
                let new: Vec<String> = new.take(MOST_ALIASES - known.aliases.len()).collect();
                known.aliases.extend(new);
            }
            None => entities.push(draft),
        }
    }
    find_mentions(text, &mut entities);
    let all = entities.len();
    entities.retain(|entity| !entity.mentions.is_empty());
    dropped.entities += all - entities.len();
    entities.sort_by(|a, b| (a.mentions[0].start, &a.name).cmp(&(b.mentions[0].start, &b.name)));
    entities
}

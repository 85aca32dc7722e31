//! What a model is asked. Texts are templates, so that a project can have its own; the defaults are in `prompts/`.
//!
//! What comes from a document stays data: it is put between marks that do not occur in it, or written as JSON, and what it
//! contains is never read as a template.

#[cfg(test)]
mod tests;

use serde_json::{Value, json};

use super::model::Event;
use super::reply::Report;
use crate::memory_kind::{ArtifactType, words};
use crate::query::Date;

words! {
    /// What a prompt is for.
    Purpose {
        /// Events and entities of one chunk.
        Extract = "extract",
        /// One list of the events of all chunks.
        Canonicalise = "canonicalise",
        /// A better answer than the one before.
        Repair = "repair",
    }
}

/// The longest template, in bytes.
pub const LONGEST_TEMPLATE: usize = 20_000;

/// What a model is told before all else.
pub const SYSTEM: &str = include_str!("prompts/system.md");

impl Purpose {
    /// The default text.
    pub fn default_text(self) -> &'static str {
        match self {
            Self::Extract => include_str!("prompts/extract.md"),
            Self::Canonicalise => include_str!("prompts/canonicalise.md"),
            Self::Repair => include_str!("prompts/repair.md"),
        }
    }

    /// Names that may stand in braces, and whether they must.
    fn places(self) -> &'static [(&'static str, bool)] {
        match self {
            Self::Extract => &[("document", true), ("about", false)],
            Self::Canonicalise => &[("events", true)],
            Self::Repair => &[("problems", true)],
        }
    }
}

/// Why a text is no template.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// It has no place for what it is about.
    #[error("the template has no {{{{{0}}}}}")]
    Missing(&'static str),
    /// It has a place for what nobody knows.
    #[error("the template has an unknown {{{{{0}}}}}")]
    Unknown(String),
    /// Longer than [`LONGEST_TEMPLATE`].
    #[error("the template has {0} bytes, more than {LONGEST_TEMPLATE}")]
    TooLong(usize),
}

/// A text with places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template<'a> {
    purpose: Purpose,
    text: &'a str,
}

impl<'a> Template<'a> {
    /// Checks that what is needed has a place, and that there is none for anything else.
    pub fn try_new(purpose: Purpose, text: &'a str) -> Result<Self, TemplateError> {
        if text.len() > LONGEST_TEMPLATE {
            return Err(TemplateError::TooLong(text.len()));
        }
        let is_place = |name: &str| purpose.places().iter().any(|(place, _)| *place == name);
        let mut used = Vec::new();
        for part in parts(text) {
            match part {
                Part::Place(name) if is_place(name) => used.push(name),
                Part::Place(name) => return Err(TemplateError::Unknown(name.chars().take(40).collect())),
                Part::Text(_) => {}
            }
        }
        let missing = purpose.places().iter().find(|(place, needed)| *needed && !used.contains(place));
        missing.map_or(Ok(Self { purpose, text }), |(place, _)| Err(TemplateError::Missing(place)))
    }

    /// The default.
    pub fn default_for(purpose: Purpose) -> Self {
        Self { purpose, text: purpose.default_text() }
    }

    fn fill(&self, value: impl Fn(&str) -> String) -> String {
        let fill = |part| match part {
            Part::Text(text) => text.to_owned(),
            Part::Place(name) => value(name),
        };
        parts(self.text).map(fill).collect()
    }
}

/// A part of a document, and what is known about it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Passage<'a> {
    /// The text of the chunk.
    pub text: &'a str,
    /// The title of its document.
    pub title: Option<&'a str>,
    /// What its document is.
    pub artifact_type: Option<ArtifactType>,
    /// The day that its document is from.
    pub document_date: Option<Date>,
    /// The headings that it stands under, outermost first.
    pub heading_path: &'a [String],
}

/// Asks for the events and entities of a chunk. The template's purpose must be [`Purpose::Extract`].
pub fn extract(template: &Template<'_>, passage: &Passage<'_>) -> String {
    debug_assert_eq!(template.purpose, Purpose::Extract);
    template.fill(|place| match place {
        "document" => marked(passage.text),
        _ => json!({
            "title": passage.title,
            "type": passage.artifact_type.map(ArtifactType::as_str),
            "date": passage.document_date.map(|date| date.to_string()),
            "section": passage.heading_path,
        })
        .to_string(),
    })
}

/// Asks for one list of the events of a document, whose quotes are spans of `text`. The template's purpose must be
/// [`Purpose::Canonicalise`].
pub fn canonicalise(template: &Template<'_>, events: &[Event], text: &str) -> String {
    debug_assert_eq!(template.purpose, Purpose::Canonicalise);
    template.fill(|_| {
        let lines: Vec<String> =
            events.iter().enumerate().map(|(at, event)| numbered(at + 1, event, text).to_string()).collect();
        marked(&lines.join("\n"))
    })
}

/// Asks again, with what is wrong with the answer. The template's purpose must be [`Purpose::Repair`].
pub fn repair(template: &Template<'_>, report: &Report) -> String {
    debug_assert_eq!(template.purpose, Purpose::Repair);
    template.fill(|_| report.to_string())
}

fn numbered(number: usize, event: &Event, text: &str) -> Value {
    let quotes: Vec<&str> = event.evidence.iter().filter_map(|span| text.get(span.clone())).collect();
    json!({
        "number": number,
        "category": event.category.as_str(),
        "subject": {"type": event.subject.kind.as_str(), "ref": event.subject.name},
        "actors": event.actors.iter()
            .map(|actor| json!({"ref": actor.name, "role": actor.role.as_str()})).collect::<Vec<_>>(),
        "event_time": event.event_time.and_then(crate::filter::Timestamp::to_rfc3339),
        "narrative": event.narrative,
        "quotes": quotes,
        "confidence": event.confidence,
    })
}

/// A text between two marks that do not occur in it: the smallest number that no mark inside of it has.
fn marked(text: &str) -> String {
    const MARK: &str = "DATA-";
    let number_after = |at: usize| {
        let digits = text[at + MARK.len()..].bytes().take_while(u8::is_ascii_digit).count();
        text[at + MARK.len()..at + MARK.len() + digits].parse::<u64>().ok()
    };
    let used: std::collections::BTreeSet<u64> =
        text.match_indices(MARK).filter_map(|(at, _)| number_after(at)).collect();
    let number = (1..).find(|number| !used.contains(number)).unwrap_or(u64::MAX);
    format!("{MARK}{number} begins\n{text}\n{MARK}{number} ends")
}

enum Part<'a> {
    Text(&'a str),
    Place(&'a str),
}

/// Text, and names in double braces.
fn parts(text: &str) -> impl Iterator<Item = Part<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let place = rest.strip_prefix("{{").and_then(|inside| inside.split_once("}}"));
        let place = place.filter(|(name, _)| !name.contains('{'));
        if let Some((name, after)) = place {
            rest = after;
            return Some(Part::Place(name.trim()));
        }
        // A pair of braces that is never closed is text.
        let first = rest.chars().next().map_or(1, char::len_utf8);
        let length = rest[first..].find("{{").map_or(rest.len(), |at| first + at);
        let (text, after) = rest.split_at(length);
        rest = after;
        Some(Part::Text(text))
    })
}

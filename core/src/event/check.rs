//! What events must keep, whoever made them.

use super::model::{Entity, Event};

/// How many words evidence may quote.
pub const MOST_QUOTE_WORDS: usize = 25;
/// How many characters evidence may quote: there are scripts without blanks, and words without an end.
pub const LONGEST_QUOTE: usize = 1_000;
/// How many characters a narrative may have.
pub const LONGEST_NARRATIVE: usize = 1_000;
/// How many characters a name may have: of a subject, an actor, an entity or an alias.
pub const LONGEST_REF: usize = 200;
/// How many actors an event may have.
pub const MOST_ACTORS: usize = 20;
/// How many quotes an event may have.
pub const MOST_EVIDENCE: usize = 20;
/// How many other names an entity may have.
pub const MOST_ALIASES: usize = 20;

/// What an event or an entity does not keep. Messages name the field and never its content: it may be somebody's.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Violation {
    /// Nothing, or only white space.
    #[error("{0} is blank")]
    Blank(&'static str),
    /// Too many characters.
    #[error("{field} has {length} characters, more than {limit}")]
    TooLong {
        /// The field.
        field: &'static str,
        /// How many it has.
        length: usize,
        /// How many it may have.
        limit: usize,
    },
    /// Too many values.
    #[error("{field} has {count} values, more than {limit}")]
    TooMany {
        /// The field.
        field: &'static str,
        /// How many it has.
        count: usize,
        /// How many it may have.
        limit: usize,
    },
    /// Not a probability.
    #[error("confidence must be a number from 0 to 1")]
    Confidence,
    /// Nothing proves it.
    #[error("there is no evidence")]
    NoEvidence,
    /// A span that is no part of the text.
    #[error("evidence is not a part of the text")]
    OutsideText,
    /// A quote of more than [`MOST_QUOTE_WORDS`] words.
    #[error("a quote has {0} words, more than {MOST_QUOTE_WORDS}")]
    LongQuote(usize),
}

/// How many words a quote has: runs between white space.
pub fn word_count(quote: &str) -> usize {
    quote.split_whitespace().count()
}

impl Event {
    /// Everything that it does not keep, for the text that its evidence is from.
    pub fn violations(&self, text: &str) -> Vec<Violation> {
        let mut found = Vec::new();
        check_text(&mut found, "narrative", &self.narrative, LONGEST_NARRATIVE);
        check_text(&mut found, "subject.ref", &self.subject.name, LONGEST_REF);
        check_count(&mut found, "actors", self.actors.len(), MOST_ACTORS);
        for actor in &self.actors {
            check_text(&mut found, "actors.ref", &actor.name, LONGEST_REF);
        }
        // Also not true of NaN.
        if !(0.0..=1.0).contains(&self.confidence) {
            found.push(Violation::Confidence);
        }
        if self.evidence.is_empty() {
            found.push(Violation::NoEvidence);
        }
        check_count(&mut found, "evidence", self.evidence.len(), MOST_EVIDENCE);
        found.extend(self.evidence.iter().filter_map(|span| match text.get(span.clone()) {
            None => Some(Violation::OutsideText),
            Some(quote) => check_quote(quote),
        }));
        found
    }
}

impl Entity {
    /// Everything that it does not keep, for the text that its mentions are in.
    pub fn violations(&self, text: &str) -> Vec<Violation> {
        let mut found = Vec::new();
        check_text(&mut found, "name", &self.name, LONGEST_REF);
        check_count(&mut found, "aliases", self.aliases.len(), MOST_ALIASES);
        for alias in &self.aliases {
            check_text(&mut found, "aliases", alias, LONGEST_REF);
        }
        let outside = self.mentions.iter().filter(|span| text.get((*span).clone()).is_none());
        found.extend(outside.map(|_| Violation::OutsideText));
        found
    }
}

pub(super) fn check_text(found: &mut Vec<Violation>, field: &'static str, text: &str, limit: usize) {
    if text.trim().is_empty() {
        found.push(Violation::Blank(field));
    }
    // Only long ones are counted.
    let length = if text.len() > limit { text.chars().count() } else { 0 };
    if length > limit {
        found.push(Violation::TooLong { field, length, limit });
    }
}

pub(super) fn check_count(found: &mut Vec<Violation>, field: &'static str, count: usize, limit: usize) {
    if count > limit {
        found.push(Violation::TooMany { field, count, limit });
    }
}

/// What is wrong with a quote.
pub(super) fn check_quote(quote: &str) -> Option<Violation> {
    let words = word_count(quote);
    let length = quote.chars().count();
    if words == 0 {
        Some(Violation::Blank("quote"))
    } else if words > MOST_QUOTE_WORDS {
        Some(Violation::LongQuote(words))
    } else if length > LONGEST_QUOTE {
        Some(Violation::TooLong { field: "quote", length, limit: LONGEST_QUOTE })
    } else {
        None
    }
}

//! Events and entities.

use std::ops::Range;

use super::kind::{Category, EntityType, Role, SubjectType};
use crate::filter::Timestamp;

/// What an event is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// What it is.
    pub kind: SubjectType,
    /// Its name.
    pub name: String,
}

/// Who has to do with an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// Their name.
    pub name: String,
    /// As what.
    pub role: Role,
}

/// Something that happened, was decided or promised.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// What kind of event it is.
    pub category: Category,
    /// One or two sentences that say what.
    pub narrative: String,
    /// What it is about.
    pub subject: Subject,
    /// Who has to do with it, in the order of the text, each once.
    pub actors: Vec<Actor>,
    /// When it happened or is due; none if the text does not say.
    pub event_time: Option<Timestamp>,
    /// How sure it is, from 0 to 1.
    pub confidence: f64,
    /// The words that prove it: spans of the text in bytes, ascending, at least one.
    pub evidence: Vec<Range<usize>>,
}

/// Somebody or something with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entity {
    /// What it is.
    pub kind: EntityType,
    /// Its full name.
    pub name: String,
    /// Other names for it, without the name itself.
    pub aliases: Vec<String>,
    /// Where the name or an alias stands in the text, in bytes, ascending.
    pub mentions: Vec<Range<usize>>,
}

/// What there was no room for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Quotes of events that have as many as they may have.
    pub quotes: usize,
    /// People beyond as many as are looked for.
    pub entities: usize,
}

/// What was found in a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extraction {
    /// Events, in the order of their first evidence.
    pub events: Vec<Event>,
    /// Entities, in the order of their first mention.
    pub entities: Vec<Entity>,
    /// And what more there was.
    pub left_out: LeftOut,
}

impl Extraction {
    /// The same in a text that begins so many bytes earlier: of a chunk, in its document.
    pub fn shifted(mut self, by: usize) -> Self {
        let shift = |span: &mut Range<usize>| *span = span.start + by..span.end + by;
        self.events.iter_mut().flat_map(|event| &mut event.evidence).for_each(shift);
        self.entities.iter_mut().flat_map(|entity| &mut entity.mentions).for_each(shift);
        self
    }
}

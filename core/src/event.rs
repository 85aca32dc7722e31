//! What was decided, promised and changed: events with the words of the text that prove them.
//!
//! [`rules`] finds them without a model, [`reply`] reads what a model has found, [`prompt`] asks it. Offsets are bytes of
//! the text that was given; every span of evidence is a part of it.

mod check;
pub mod compare;
mod kind;
mod lexicon;
mod mention;
mod merge;
mod model;
pub mod prompt;
pub mod reply;
pub mod rules;
pub mod time;
mod token;

pub use check::{
    LONGEST_NARRATIVE, LONGEST_QUOTE, LONGEST_REF, MOST_ACTORS, MOST_ALIASES, MOST_EVIDENCE,
    MOST_QUOTE_WORDS, Violation, word_count,
};
pub use kind::{Category, EntityType, Role, SubjectType};
pub use merge::merge_duplicates;
pub use model::{Actor, Entity, Event, Extraction, LeftOut, Subject};
pub use rules::speaker_of_line;

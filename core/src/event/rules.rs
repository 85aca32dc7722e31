//! Finds events without a model: patterns over the blocks of a document. They keep quiet where they are not sure.

mod actor;
mod agent;
mod assemble;
mod clause;
mod entity;
mod label;
mod line;
mod pattern;
mod people;
mod speaker;
mod subject;
mod table;
mod trust;
mod wording;

use crate::memory_kind::ArtifactType;
use crate::query::Date;

use self::assemble::Document;
use self::line::Lines;
use self::people::People;
use super::merge::merge_duplicates;
use super::model::{Extraction, LeftOut};

/// What is known about a document besides its text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Context<'a> {
    /// Its title.
    pub title: Option<&'a str>,
    /// What it is.
    pub artifact_type: Option<ArtifactType>,
    /// The day that `tomorrow` is counted from. Without it only absolute times are resolved.
    pub document_date: Option<Date>,
    /// Names of people who are known to take part.
    pub participants: &'a [String],
}

/// The events of a document, and the people in them. The same text and context give the same result.
pub fn extract(text: &str, context: &Context<'_>) -> Extraction {
    let Lines { lines, headings } = line::lines(text, context);
    let mut people = People::new(text);
    let speakers = lines.iter().filter_map(|line| line.speaker);
    for name in context.participants.iter().map(String::as_str).chain(speakers) {
        people.add(name);
    }
    let document = Document { text, context, headings: &headings, people };
    let (events, quotes) = merge_duplicates(lines.iter().flat_map(|line| document.events(line)).collect());
    let (entities, beyond) = entity::entities(text, &lines, &events, &document.people);
    Extraction { events, entities, left_out: LeftOut { quotes, entities: beyond } }
}

/// Who says a line of a conversation, if it begins with that.
pub fn speaker_of_line(line: &str) -> Option<&str> {
    let known = Known { participants: &[], is_conversation: true, is_document: false };
    speaker::leading(line, &known).map(|turn| turn.speaker)
}

/// What the context says about names.
struct Known<'a> {
    participants: &'a [String],
    /// Whether lines begin with who says them.
    is_conversation: bool,
    /// Whether a word before a colon is a heading rather than a speaker.
    is_document: bool,
}

impl<'a> Known<'a> {
    fn new(context: &Context<'a>) -> Self {
        let is_conversation =
            matches!(context.artifact_type, Some(ArtifactType::Chat | ArtifactType::Transcript));
        let is_document = context.artifact_type == Some(ArtifactType::Doc);
        Self { participants: context.participants, is_conversation, is_document }
    }

    fn is_participant(&self, name: &str) -> bool {
        self.participants.iter().any(|participant| participant.eq_ignore_ascii_case(name))
    }
}

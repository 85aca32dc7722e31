//! Finds events without a model: patterns over the blocks of a document. They keep quiet where they are not sure.

mod assemble;
mod label;
mod line;
mod speaker;

use crate::memory_kind::ArtifactType;
use crate::query::Date;

use super::merge::merge_duplicates;
use super::model::Extraction;

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
    let lines = line::lines(text, context);
    let found = lines.lines.iter().flat_map(|line| assemble::events(text, &lines, line, context));
    Extraction { events: merge_duplicates(found.collect()), entities: Vec::new() }
}

/// What the context says about names.
struct Known<'a> {
    participants: &'a [String],
    /// Whether lines begin with who says them.
    is_conversation: bool,
}

impl<'a> Known<'a> {
    fn new(context: &Context<'a>) -> Self {
        let is_conversation =
            matches!(context.artifact_type, Some(ArtifactType::Chat | ArtifactType::Transcript));
        Self { participants: context.participants, is_conversation }
    }

    fn is_participant(&self, name: &str) -> bool {
        self.participants.iter().any(|participant| participant.eq_ignore_ascii_case(name))
    }
}

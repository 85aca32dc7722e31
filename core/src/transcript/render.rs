//! A conversation as one text, in which every turn has its span.

use std::ops::Range;

use super::Turn;

/// The text of a conversation: one paragraph for each turn, `speaker: text`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// The text.
    pub text: String,
    /// The span of each turn in it, in bytes, with the speaker.
    pub spans: Vec<Range<usize>>,
}

/// Renders turns. A turn without text has an empty span.
pub fn render(turns: &[Turn]) -> Rendered {
    let mut text = String::new();
    let mut spans = Vec::with_capacity(turns.len());
    for turn in turns {
        let said = turn.text.trim();
        if said.is_empty() {
            spans.push(text.len()..text.len());
            continue;
        }
        if !text.is_empty() {
            text.push('\n');
        }
        let start = text.len();
        text.push_str(&turn.speaker);
        text.push_str(": ");
        text.push_str(said);
        spans.push(start..text.len());
    }
    Rendered { text, spans }
}

//! Asking about one passage of a document, in parts where the answer would be too long.

use std::ops::Range;

use memento_core::event::prompt::{self, Passage};
use memento_core::event::reply;
use memento_core::sentence::sentence_starts;

use super::conversation::Conversation;
use super::model::{Begun, Prompts, ask};
use super::schema;
use crate::provider::{Code, ProviderError};

/// A passage is halved so often at most: what is left is a few sentences, and no longer the reason why an answer is too long.
const MOST_HALVINGS: u32 = 3;

/// A part of a passage that is to be read: bytes of the passage, and how often it was halved.
#[derive(Clone, Debug)]
pub(super) struct Part {
    span: Range<usize>,
    halvings: u32,
}

/// Reads a passage that begins at a byte of its document, from where it was left. What the model has more to say about than an answer may
/// have is asked for in halves.
pub(super) fn read(
    talk: &Conversation,
    prompts: &Prompts,
    passage: &Passage,
    at: usize,
    begun: &mut Begun,
) -> Result<(), ProviderError> {
    if begun.parts.is_empty() {
        begun.parts.push(Part { span: 0..passage.text.len(), halvings: 0 });
    }
    while let Some(Part { span, halvings }) = begun.parts.last().cloned() {
        let text = &passage.text[span.clone()];
        let asked = prompt::extract(&prompts.extract, &Passage { text, ..*passage });
        let read = |answer: &str| reply::extraction(answer, text, passage.document_date);
        match ask(talk, prompts, asked, schema::extraction(), begun, read) {
            Ok(reply) => {
                begun.parts.pop();
                begun.add(reply, at + span.start);
            }
            Err(error) => {
                let is_too_long = error.code == Code::CutOff && halvings < MOST_HALVINGS;
                let middle = middle(text).filter(|_| is_too_long).ok_or(error)? + span.start;
                begun.parts.pop();
                // The last is read first.
                let halves = [middle..span.end, span.start..middle];
                begun.parts.extend(halves.map(|span| Part { span, halvings: halvings + 1 }));
                begun.halved += 1;
            }
        }
    }
    Ok(())
}

/// Where to halve a text: where a line begins, or a sentence, or a word, the nearest to its middle; none if nothing of them does in the
/// middle half of it.
fn middle(text: &str) -> Option<usize> {
    let (from, to) = (text.len() / 4, text.len() - text.len() / 4);
    let nearest = |places: &mut dyn Iterator<Item = usize>| {
        let inside = places.filter(|at| *at > 0 && (from..=to).contains(at) && *at < text.len());
        inside.min_by_key(|at| at.abs_diff(text.len() / 2))
    };
    nearest(&mut text.match_indices('\n').map(|(at, _)| at + 1))
        .or_else(|| nearest(&mut sentence_starts(text)))
        .or_else(|| nearest(&mut text.match_indices(' ').map(|(at, _)| at + 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_halved_where_a_line_begins_or_a_sentence_or_a_word() {
        let halves = |text: &'static str| middle(text).map(|at| text.split_at(at));
        for (left, right) in [
            ("Decision: a b c.\n", "Decision: d e f.\n"),
            ("One is here. Two is.\n", "Three is longer than that. Four."),
            ("Größe eins. Und zwei. ", "Drei ist länger. Vier. "),
            ("one two three ", "four five six"),
            ("短い文です。", "次の文です。"),
        ] {
            let text: &'static str = Box::leak(format!("{left}{right}").into_boxed_str());
            assert_eq!(halves(text), Some((left, right)));
        }
        for text in ["", "a", "word", "\n", "a verylongwordthatgoesonandonwithoutanyend"] {
            assert_eq!(halves(text), None, "{text:?}");
        }
    }
}

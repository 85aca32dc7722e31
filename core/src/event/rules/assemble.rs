//! Makes events of what was found in a line.

use std::ops::Range;

use super::Context;
use super::label;
use super::line::{Line, Lines};
use crate::event::check::{LONGEST_NARRATIVE, LONGEST_QUOTE, LONGEST_REF, MOST_QUOTE_WORDS};
use crate::event::{Event, Subject, SubjectType};

/// The events of a line.
pub fn events(text: &str, lines: &Lines<'_>, line: &Line<'_>, context: &Context<'_>) -> Vec<Event> {
    let said = &text[line.span.clone()];
    let Some(label) = label::leading(said).filter(|label| !label.section.needs_more) else {
        return Vec::new();
    };
    let narrative = narrative(&said[label.length..]);
    if narrative.is_empty() {
        return Vec::new();
    }
    let heading = line.heading.map(|at| lines.headings[at].as_str()).or(context.title);
    let name = shortened(heading.filter(|name| !name.is_empty()).unwrap_or(&narrative), LONGEST_REF);
    vec![Event {
        category: label.section.category,
        subject: Subject { kind: SubjectType::Other, name },
        narrative,
        actors: Vec::new(),
        event_time: None,
        confidence: 0.9,
        evidence: vec![quote(text, line.span.clone(), line.span.start)],
    }]
}

/// What a text says, on one line and without markup.
fn narrative(text: &str) -> String {
    let words =
        text.split_whitespace().map(|word| word.trim_matches(['*', '`'])).filter(|word| !word.is_empty());
    shortened(&words.collect::<Vec<_>>().join(" "), LONGEST_NARRATIVE)
}

fn shortened(text: &str, chars: usize) -> String {
    text.chars().take(chars).collect::<String>().trim().to_owned()
}

/// The part of a span that may be quoted: what comes before a place, as far as there is room behind it for what follows.
fn quote(text: &str, span: Range<usize>, around: usize) -> Range<usize> {
    const BEFORE: usize = 8;
    let part = &text[span.clone()];
    let offset = |word: &str| span.start + word.as_ptr() as usize - part.as_ptr() as usize;
    let words: Vec<Range<usize>> =
        part.split_whitespace().map(|word| offset(word)..offset(word) + word.len()).collect();
    let at = words.partition_point(|word| word.end <= around);
    let first = if words.len() <= MOST_QUOTE_WORDS { 0 } else { at.saturating_sub(BEFORE) };
    let last = words.len().min(first + MOST_QUOTE_WORDS);
    let Some(start) = words.get(first).map(|word| word.start) else { return span };
    let end = words[..last].last().map_or(span.end, |word| word.end);
    start..text[start..end].char_indices().nth(LONGEST_QUOTE).map_or(end, |(cut, _)| start + cut)
}

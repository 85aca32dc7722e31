//! Who says a line: `Alice: I'll send it`, with or without a time before or after the name.

use super::{Known, label};
use crate::query::word::is_one_of;

/// The start of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn<'a> {
    /// Who speaks.
    pub speaker: &'a str,
    /// How many bytes stand before what they say.
    pub length: usize,
}

/// What stands before a colon with a capital and is nobody.
const NOBODY: &str = "note|notes|example|examples|summary|status|update|updates|background|context|goal|goals|agenda|date|time|\
    attendees|participants|present|absent|location|subject|from|to|cc|bcc|re|fwd|fw|question|questions|answer|answers|q|a|\
    warning|important|tip|result|results|output|input|caution|faq|version|title|topic|topics|overview|plan|today|yesterday|\
    tomorrow|monday|tuesday|wednesday|thursday|friday|saturday|sunday|ps|caveat|fact|fix|hint|error|option|options|pro|pros|\
    con|cons|usage|name|description|type|link|links|reason|remember|rationale|outcome|outcomes|conclusion|next|why|how|what|when|where|who|\
    mission|vision|scope|timeline|budget|impact|mitigation|severity|priority|reference|references|see|source|author|authors|\
    tags|category|proposal|idea|ideas|suggestion|thought|thoughts|caption|figure|table|step|phase|part|section|chapter|info|\
    information|recommendation|recommendations|highlights|lowlights|wins|metrics|thanks|hello|hi|dear|discussion|review";

/// The longest name, with a role in brackets.
const LONGEST: usize = 60;

/// The speaker at the start of a line.
pub fn leading<'a>(line: &'a str, known: &Known<'_>) -> Option<Turn<'a>> {
    let begun = without_time(line).trim_start_matches(['*', '_', ' ']);
    let head = &begun[..begun.floor_char_boundary(LONGEST)];
    let at = name_end(head)?;
    let rest = &begun[at + 1..];
    let said = rest.trim_start_matches(['*', '_']);
    if !(said.is_empty() || said.starts_with([' ', '\t', '\n'])) {
        return None;
    }
    let name = head[..at].split(['(', '[']).next().unwrap_or_default();
    let name = name.trim_matches(['*', '_', ' ', '\t']);
    let said = said.trim_start();
    is_speaker(name, known).then_some(Turn { speaker: name, length: line.len() - said.len() })
}

/// Where the colon is that ends the name; none of those in a time in brackets.
fn name_end(head: &str) -> Option<usize> {
    let mut open = 0usize;
    for (at, c) in head.char_indices() {
        match c {
            '(' | '[' => open += 1,
            ')' | ']' => open = open.saturating_sub(1),
            ':' if open == 0 => return Some(at),
            '.' | ',' | '?' | '!' | ';' if open == 0 && !head[at + 1..].starts_with(' ') => {}
            ',' | '?' | '!' | ';' => return None,
            _ => {}
        }
    }
    None
}

/// `[00:12:03] `, `10:32 ` or `(10:32) ` before the name.
fn without_time(line: &str) -> &str {
    let in_time = |c: char| c.is_ascii_digit() || matches!(c, ':' | '.' | '[' | ']' | '(' | ')' | '-' | '>');
    let rest = line.trim_start_matches(in_time);
    let time = &line[..line.len() - rest.len()];
    if time.matches(':').count() >= 1 && rest.starts_with(' ') { rest.trim_start() } else { line }
}

fn is_speaker(name: &str, known: &Known<'_>) -> bool {
    if known.is_participant(name) {
        return true;
    }
    let words: Vec<&str> = name.split_whitespace().collect();
    let plain = words.first().map(|word| word.to_lowercase()).unwrap_or_default();
    if known.is_document
        || words.is_empty()
        || words.len() > 4
        || is_one_of(&plain, NOBODY)
        || label::is_name(name)
    {
        return false;
    }
    let is_number = |word: &str| word.bytes().all(|b| b.is_ascii_digit());
    let is_name = |word: &str| {
        word.starts_with(char::is_uppercase)
            && word.chars().all(|c| c.is_alphabetic() || matches!(c, '.' | '\'' | '’' | '-'))
    };
    let is_numbered =
        words.len() == 2 && is_number(words[1]) && matches!(plain.as_str(), "speaker" | "participant");
    let is_handle = known.is_conversation
        && words.len() == 1
        && plain.chars().all(|c| c.is_alphanumeric() || "._-@".contains(c));
    is_numbered || is_handle || words.iter().all(|word| is_name(word))
}

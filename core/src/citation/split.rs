//! An answer to its sentences.

use std::ops::Range;

use super::citation_at;
use crate::sentence::sentence_starts;

/// Words that end with a full stop and do not end a sentence.
const ABBREVIATIONS: [&str; 27] = [
    "e.g", "i.e", "etc", "vs", "cf", "ca", "approx", "resp", "incl", "excl", "dr", "mr", "mrs", "ms", "prof",
    "sr", "jr", "st", "no", "nr", "fig", "eq", "sec", "ch", "vol", "pp", "al",
];

/// The sentences of an answer in order, trimmed. Headings, rules and fenced code are left out.
pub fn sentences(answer: &str) -> Vec<&str> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for paragraph in paragraphs(answer) {
        let first = found.len();
        for sentence in sentences_of(&answer[paragraph.clone()]) {
            let sentence = paragraph.start + sentence.start..paragraph.start + sentence.end;
            // A citation after the full stop belongs to the sentence before it.
            let cites = leading_citations(&answer[sentence.clone()]);
            if let (true, Some(before)) = (cites > 0 && found.len() > first, found.last_mut()) {
                before.end = sentence.start + cites;
                found.push(sentence.start + cites..sentence.end);
            } else {
                found.push(sentence);
            }
        }
    }
    found
        .into_iter()
        .map(|span| answer[span].trim())
        .filter(|text| text.chars().any(char::is_alphanumeric))
        .collect()
}

/// Runs of lines that belong together: a list item begins a new one, and so does an empty line.
fn paragraphs(answer: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut open = false;
    let mut fence: Option<&str> = None;
    let mut at = 0;
    for line in answer.split_inclusive('\n') {
        let span = at..at + line.len();
        at = span.end;
        let text = line.trim();
        if let Some(mark) = fence {
            if text.starts_with(mark) && text.trim_start_matches(['`', '~']).is_empty() {
                fence = None;
            }
            continue;
        }
        if let Some(mark) = ["```", "~~~"].into_iter().find(|mark| text.starts_with(mark)) {
            fence = Some(mark);
            open = false;
            continue;
        }
        let is_heading = text.starts_with('#') && text.trim_start_matches('#').starts_with(' ');
        if text.is_empty() || is_heading {
            open = false;
            continue;
        }
        let marker = list_marker(text);
        match found.last_mut() {
            Some(last) if open && marker == 0 => last.end = span.end,
            _ => found.push(span.start + (line.len() - line.trim_start().len()) + marker..span.end),
        }
        open = true;
    }
    found
}

/// The length of `- `, `* `, `+ `, `3. ` or `3) ` at the start of a line, with quote marks before it.
fn list_marker(text: &str) -> usize {
    let quoted = text.len() - text.trim_start_matches(['>', ' ']).len();
    let rest = &text[quoted..];
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let mark = match rest.as_bytes().get(digits) {
        Some(b'-' | b'*' | b'+') if digits == 0 => 1,
        Some(b'.' | b')') if (1..=9).contains(&digits) => digits + 1,
        _ => return 0,
    };
    if rest[mark..].starts_with(' ') { quoted + mark + 1 } else { 0 }
}

fn sentences_of(paragraph: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let (mut start, mut seen, mut backticks) = (0, 0, 0);
    for next in sentence_starts(paragraph).skip(1).chain([paragraph.len()]) {
        // An odd number of them: an inline code span is open.
        backticks += paragraph[seen..next].matches('`').count();
        seen = next;
        let is_last = next == paragraph.len();
        if is_last || !(goes_on(&paragraph[start..next]) || backticks % 2 == 1) {
            found.push(start..next);
            (start, backticks) = (next, 0);
        }
    }
    found
}

/// Whether a break is none: a wrapped line, an abbreviation, an initial, or the number of a list.
fn goes_on(sentence: &str) -> bool {
    let text = sentence.trim_end().trim_end_matches(['"', '\'', ')', ']', '*', '_']);
    if text.ends_with(['!', '?', ':']) {
        return false;
    }
    let Some(before) = text.strip_suffix('.') else {
        // No terminator: the break is a line end inside of a paragraph.
        return true;
    };
    let word = before.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
    let is_initial = word.chars().count() == 1 && word.chars().all(char::is_uppercase);
    is_initial || ABBREVIATIONS.contains(&word.to_lowercase().as_str())
}

/// The length of the citations that a sentence begins with, and of what stands between them.
fn leading_citations(sentence: &str) -> usize {
    let mut end = 0;
    loop {
        let rest = &sentence[end..];
        let blank = rest.len() - rest.trim_start_matches([' ', '.', '\n']).len();
        match citation_at(sentence, end + blank) {
            Some(citation) if sentence[end + blank..].starts_with('[') => end = citation.end,
            _ => return end,
        }
    }
}

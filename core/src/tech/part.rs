//! A word and its parts.

use std::ops::Range;

use super::{Kind, shape};

/// Longer words are data, not names: their parts are looked at, they themselves are not tokens.
const LONGEST_TOKEN: usize = 512;

/// How many parts of one word are looked at: enough for a long path, and a bound for hostile input.
const MOST_PARTS: usize = 64;

/// How many directories above a path are looked at.
const MOST_PARENTS: usize = 8;

/// Calls `found` for the word, if it is technical, and for its parts that are, with their spans in it.
pub fn collect(word: &str, mut found: impl FnMut(Range<usize>, Kind)) {
    // Prose, at a glance: letters, with punctuation at the end, and no capital inside.
    let bytes = word.as_bytes();
    let letters = bytes.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let punctuation = bytes[letters..].iter().all(|b| matches!(b, b'.' | b':' | b'!' | b'?' | b'-'));
    let low = bytes[..letters].iter().skip(1).all(u8::is_ascii_lowercase);
    if punctuation && low {
        return;
    }
    let whole = trimmed(word, 0..word.len());
    let mut seen: Vec<Range<usize>> = Vec::new();
    let mut waiting = vec![whole];
    while let Some(span) = waiting.pop() {
        if seen.len() >= MOST_PARTS || span.is_empty() || seen.contains(&span) {
            continue;
        }
        let text = &word[span.clone()];
        if text.len() <= LONGEST_TOKEN
            && let Some(kind) = shape::kind(text)
        {
            found(span.clone(), kind);
        }
        seen.push(span.clone());
        split(word, &span, &mut waiting);
    }
}

/// The parts at the strongest separator that a span has, so that the next one splits them further.
fn split(word: &str, span: &Range<usize>, parts: &mut Vec<Range<usize>>) {
    let text = &word[span.clone()];
    let at = |from: usize, to: usize| trimmed(word, span.start + from..span.start + to);
    for separator in ["://", "=", "/", "\\", ":", "@", "$", "#", "&", "?", "+"] {
        if text.contains(separator) {
            // `app.Master$Handler` is a suffix of `org.app.Master$Handler`, dollar and all.
            if let ("$", Some(dot)) = (separator, text.find('.')) {
                parts.push(at(dot + 1, text.len()));
            }
            if separator == "/" {
                // The directories above: `/srv/data` of `/srv/data/part-1`.
                let slashes = text.match_indices('/').skip(2).map(|(slash, _)| at(0, slash));
                parts.extend(slashes.take(MOST_PARENTS));
            }
            let mut from = 0;
            for part in text.split(separator) {
                parts.push(at(from, from + part.len()));
                from += part.len() + separator.len();
            }
            return;
        }
    }
    // The groups of a uuid are often written alone.
    if text.len() == 36 && shape::kind(text) == Some(Kind::Uuid) {
        parts.extend([at(0, 8), at(24, 36)]);
        return;
    }
    // Suffixes of a dotted or underscored name: `action.RUN` of `intent.action.RUN`, the number of `blk_-123`.
    for separator in ['.', '_'] {
        let is_name = text.bytes().any(|b| b.is_ascii_alphabetic());
        if let (true, Some(first)) = (is_name, text.find(separator)) {
            parts.push(at(first + 1, text.len()));
            // And the name without its last number: `task_17_r` of `task_17_r_0`.
            parts.push(at(0, text.rfind(separator).unwrap_or(first)));
            return;
        }
    }
}

/// Without the punctuation around it.
fn trimmed(word: &str, span: Range<usize>) -> Range<usize> {
    let text = &word[span.clone()];
    let start = text.len()
        - text.trim_start_matches(['.', ':', '*', '!', '?', '=', '#', '&', '%', '^', '+', '_', '@']).len();
    let end = text
        .trim_end_matches(['.', ':', '*', '!', '?', '=', '#', '&', '%', '^', '+', '_', '-', '@', '$', '~'])
        .len();
    // `/.name` and `./name`: a leading dot before a slash is part of a path.
    let start = if text.starts_with("./") || text.starts_with("../") { 0 } else { start };
    span.start + start.min(end)..span.start + end
}

//! A word and its parts.

use std::ops::Range;

use super::looks::Looks;
use super::{Kind, shape};

/// Longer words are data, not names: their parts are looked at, they themselves are not tokens.
const LONGEST_TOKEN: usize = 512;

/// How many parts of one word are looked at: enough for a long path, and a bound for hostile input.
const MOST_PARTS: usize = 64;

/// What separates parts, strongest first.
const SEPARATORS: [u8; 10] = [b'=', b'/', b'\\', b':', b'@', b'$', b'#', b'&', b'?', b'+'];

/// How many directories above a path are looked at.
const MOST_PARENTS: usize = 8;

/// Words to tokens; keeps its memory from word to word.
#[derive(Default)]
pub struct Parts {
    seen: Vec<Range<usize>>,
    waiting: Vec<Range<usize>>,
}

impl Parts {
    /// Calls `found` for the word, if it is technical, and for its parts that are, with their spans in it.
    pub fn collect(&mut self, word: &str, mut found: impl FnMut(Range<usize>, Kind)) {
        if is_prose(word.as_bytes()) {
            return;
        }
        self.seen.clear();
        self.waiting.clear();
        self.waiting.push(trimmed(word, 0..word.len()));
        while let Some(span) = self.waiting.pop() {
            if self.seen.len() >= MOST_PARTS || span.is_empty() || self.seen.contains(&span) {
                continue;
            }
            let text = &word[span.clone()];
            let looks = Looks::at(text);
            let kind = if text.len() <= LONGEST_TOKEN { shape::kind(text, looks) } else { None };
            if let Some(kind) = kind {
                found(span.clone(), kind);
            }
            split(word, &span, looks, kind, &mut self.waiting);
            self.seen.push(span);
        }
    }
}

/// At a glance: letters, with punctuation at the end, and no capital inside.
fn is_prose(word: &[u8]) -> bool {
    let letters = word.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let punctuation = word[letters..].iter().all(|b| matches!(b, b'.' | b':' | b'!' | b'?' | b'-'));
    punctuation && word[..letters].iter().skip(1).all(u8::is_ascii_lowercase)
}

/// The parts at the strongest separator that a span has, so that the next one splits them further.
fn split(word: &str, span: &Range<usize>, looks: Looks, kind: Option<Kind>, parts: &mut Vec<Range<usize>>) {
    let text = &word[span.clone()];
    let at = |from: usize, to: usize| trimmed(word, span.start + from..span.start + to);
    if let (true, Some(scheme)) = (looks.has(b':'), text.find("://")) {
        parts.extend([at(0, scheme), at(scheme + 3, text.len())]);
        return;
    }
    for separator in SEPARATORS {
        if !looks.has(separator) {
            continue;
        }
        // `app.Master$Handler` is a suffix of `org.app.Master$Handler`, dollar and all.
        if let (b'$', Some(dot)) = (separator, text.find('.')) {
            parts.push(at(dot + 1, text.len()));
        }
        if separator == b'/' {
            // The directories above: `/srv/data` of `/srv/data/part-1`.
            let slashes = text.match_indices('/').skip(2).map(|(slash, _)| at(0, slash));
            parts.extend(slashes.take(MOST_PARENTS));
        }
        let mut from = 0;
        for part in text.split(char::from(separator)) {
            parts.push(at(from, from + part.len()));
            from += part.len() + 1;
        }
        return;
    }
    // The groups of a uuid are often written alone.
    if kind == Some(Kind::Uuid) {
        parts.extend([at(0, 8), at(24, 36)]);
        return;
    }
    // Suffixes of a dotted or underscored name: `action.RUN` of `intent.action.RUN`, the number of `blk_-123`.
    if looks.letters == 0 || text.len() > LONGEST_TOKEN {
        return;
    }
    for separator in ['.', '_'] {
        if let Some(first) = text.find(separator) {
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

//! The tokens of a text, one after the other.

use std::ops::Range;

use super::lead::Lead;
use super::looks::{Looks, Marks};
use super::memo::Memo;
use super::part::Parts;
use super::word::{self, Word};
use super::{Kind, TechToken};

/// More words that are joined without a blank are data.
const MOST_JOINED: usize = 8;

/// A longer group is data.
const LONGEST_GROUP: usize = 128;

/// Reads a text from word to word; what it keeps is bounded by one group of words.
pub struct Scanner<'t> {
    text: &'t str,
    at: usize,
    lead: Lead,
    parts: Parts,
    memo: Memo<'t>,
    found: Vec<(Range<usize>, Kind)>,
    next: usize,
}

impl<'t> Scanner<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            text,
            at: 0,
            lead: Lead::default(),
            parts: Parts::default(),
            memo: Memo::new(text.len()),
            found: Vec::new(),
            next: 0,
        }
    }

    /// Reads the next words that are joined to each other, mostly one; false at the end of the text.
    fn read_group(&mut self) -> bool {
        self.found.clear();
        self.next = 0;
        let bytes = self.text.as_bytes();
        let Some(first) = word::next(bytes, self.at) else { return false };
        let start = first.span.start;
        let mut technical = self.read_word(&first);
        let Some(joint) = self.joint() else { return true };
        if start > 0 && matches!(bytes[start - 1], b',' | b'|') || !technical && joint != b'|' {
            return true;
        }
        let mut words = 1;
        while self.joint() == Some(joint) && words < MOST_JOINED {
            let Some(next) = word::next(bytes, self.at) else { break };
            let is_token = self.read_word(&next);
            match joint {
                b'|' => technical |= is_token,
                b'{' => technical &= is_token || next.looks.digits() == next.span.len(),
                _ => technical &= is_token,
            }
            words += 1;
        }
        // What goes on is a row of a table or a longer list.
        let ended = self.joint().is_none() && !(joint == b'|' && bytes.get(self.at) == Some(&b'|'));
        // The value alone: `10.0.0.1,10.0.0.2` of `hosts=10.0.0.1,10.0.0.2`.
        let key = bytes[first.span].iter().position(|b| *b == b'=').map_or(0, |equals| equals + 1);
        let start = start + key;
        if technical && ended && words > 1 && self.at - start <= LONGEST_GROUP {
            self.found.insert(0, (start..self.at, Kind::Group));
        }
        true
    }

    /// What joins the word before to one that follows without a blank.
    fn joint(&self) -> Option<u8> {
        let rest = &self.text.as_bytes()[self.at..];
        match rest {
            [joint @ (b',' | b'|' | b'{'), next, ..] if next.is_ascii_alphanumeric() => Some(*joint),
            _ => None,
        }
    }

    /// Whether the words after a number make it a code of HTTP.
    fn status_named_after(&self, word: &[u8]) -> Option<(usize, Kind)> {
        let rest = &self.text.as_bytes()[self.at..];
        let is_failure = matches!(word, [b'4' | b'5', b'0'..=b'3', b'0'..=b'9']);
        let named = is_failure
            && AFTER_STATUS.iter().any(|name| {
                rest.strip_prefix(*name)
                    .is_some_and(|after| !after.first().is_some_and(u8::is_ascii_alphabetic))
            });
        named.then_some((word.len(), Kind::ErrorCode))
    }

    /// Whether the word as a whole is a token.
    fn read_word(&mut self, word: &Word) -> bool {
        let Word { ref span, looks, called } = *word;
        let bytes = &self.text.as_bytes()[span.clone()];
        self.at = span.end + if called { 2 } else { 0 };
        let meaning = self.lead.meaning_of(bytes, looks).or_else(|| self.status_named_after(bytes));
        if let Some((length, kind)) = meaning {
            self.found.push((span.start..span.start + length, kind));
            return true;
        }
        if !called && (looks.is_plain() || looks.is_short_number(bytes.len()) || is_prose(bytes, looks)) {
            return false;
        }
        let before = self.found.len();
        let is_token = self.collect(bytes, looks, span.start);
        if called
            && let Some((first, _)) = self.found.get_mut(before)
            && *first == *span
        {
            first.end += 2;
        }
        if called
            && !is_token
            && looks.letters() > 1
            && looks.has_only(const { Marks::of(b"_.:$-") })
            && bytes[0].is_ascii_alphabetic()
        {
            self.found.insert(before, (span.start..span.end + 2, Kind::Identifier));
            return true;
        }
        is_token
    }

    /// The tokens of a word that begins here; whether the word as a whole is one.
    fn collect(&mut self, word: &'t [u8], looks: Looks, start: usize) -> bool {
        if let Some(known) = self.memo.recall(word, looks) {
            self.found
                .extend(known.tokens().map(|(span, kind)| (start + span.start..start + span.end, kind)));
            return known.is_token;
        }
        let before = self.found.len();
        let found = &mut self.found;
        let is_token = self
            .parts
            .collect(word, looks, |span, kind| found.push((start + span.start..start + span.end, kind)));
        let tokens = self.found[before..].iter();
        let tokens = tokens.map(|(span, kind)| (span.start - start..span.end - start, *kind));
        self.memo.keep(word, looks, tokens, is_token);
        is_token
    }
}

/// What follows a code of HTTP: `404 error`, `500 Internal Server Error`.
const AFTER_STATUS: [&[u8]; 6] =
    [b" error", b" Error", b" Not Found", b" Internal", b" Bad Gateway", b" Forbidden"];

/// Letters, with punctuation at the end, and no capital inside.
fn is_prose(word: &[u8], looks: Looks) -> bool {
    if looks.digits() > 0 || !looks.has_only(const { Marks::of(b".:!?-") }) {
        return false;
    }
    // As many letters at the beginning as there are: the punctuation is behind them.
    let letters = &word[..looks.letters()];
    letters.first().is_none_or(u8::is_ascii_alphabetic)
        && letters.iter().skip(1).all(u8::is_ascii_lowercase)
        && !super::path::is_file_name(letters)
}

impl<'t> Iterator for Scanner<'t> {
    type Item = TechToken<'t>;

    fn next(&mut self) -> Option<TechToken<'t>> {
        loop {
            if let Some((span, kind)) = self.found.get(self.next) {
                self.next += 1;
                return Some(TechToken { text: &self.text[span.clone()], kind: *kind, span: span.clone() });
            }
            if !self.read_group() {
                return None;
            }
        }
    }
}

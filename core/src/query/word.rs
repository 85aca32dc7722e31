//! The words of a query.

use std::ops::Range;

/// A word without the punctuation around it.
#[derive(Debug)]
pub struct Word<'a> {
    /// As it is written.
    pub raw: &'a str,
    /// In lower case, with straight apostrophes, without a possessive or contracted `'s`.
    pub plain: String,
    /// Where it is in the query, in bytes.
    pub span: Range<usize>,
    /// Whether punctuation after it ends a phrase; a comma does not.
    pub ends_phrase: bool,
}

impl Word<'_> {
    /// Whether it is written with a capital.
    pub fn is_capitalized(&self) -> bool {
        self.raw.starts_with(char::is_uppercase)
    }
}

/// Marks such as `#` or `$` belong to a word: `#2024` is no year.
const OPENING: [char; 11] = ['(', '[', '{', '"', '\'', '“', '‘', '«', '*', '_', '`'];
const CLOSING: [char; 16] = [')', ']', '}', '"', '\'', '”', '’', '»', '*', '_', '`', ',', '.', ';', ':', '!'];

/// The words between blanks. A dash between two is one too.
pub fn words(query: &str) -> Vec<Word<'_>> {
    let mut words: Vec<Word> = Vec::new();
    for piece in query.split_whitespace() {
        let begin = piece.as_ptr() as usize - query.as_ptr() as usize;
        let opened = piece.trim_start_matches(OPENING);
        let raw = opened.trim_end_matches(|c| c == '?' || CLOSING.contains(&c));
        let closing = &opened[raw.len()..];
        if raw.is_empty() {
            if let Some(last) = words.last_mut() {
                last.ends_phrase = true;
            }
            continue;
        }
        let start = begin + piece.len() - opened.len();
        let plain = plain(raw);
        // The full stop of `Jan.` only shortens.
        let abbreviated = closing == "." && super::name::is_short_month(&plain);
        let ends_phrase = !abbreviated && closing.contains(['.', ';', ':', '!', '?', ')', ']', '}']);
        words.push(Word { raw, plain, span: start..start + raw.len(), ends_phrase });
    }
    words
}

fn plain(raw: &str) -> String {
    let lower = raw.to_lowercase().replace('’', "'");
    lower.strip_suffix("'s").map(str::to_owned).unwrap_or(lower)
}

/// Whether a word is in a list that is written `a|b|c`.
pub fn is_one_of(word: &str, list: &str) -> bool {
    list.split('|').any(|one| one == word)
}

//! Text to words.

use std::ops::Range;

use super::looks::{Looks, ends_word};

/// A word: what stands between blanks, brackets and quotation marks.
pub struct Word {
    pub span: Range<usize>,
    pub looks: Looks,
    /// Whether a pair of parentheses follows, as in `run()`.
    pub called: bool,
}

/// The next word at or after a place. Inlined, so that it is handed over in registers.
#[inline]
pub fn next(bytes: &[u8], at: usize) -> Option<Word> {
    let start = at + bytes[at..].iter().position(|b| !ends_word(*b))?;
    let (looks, length) = Looks::of_word(&bytes[start..]);
    let end = start + length;
    Some(Word { span: start..end, looks, called: bytes[end..].starts_with(b"()") })
}

//! Text to words, and what a word means by the words before it.

use std::ops::Range;

use super::Kind;

/// Whether a byte ends a word. Bytes of characters beyond ASCII do: technical tokens are written in ASCII.
fn ends_word(byte: u8) -> bool {
    byte <= b' '
        || byte >= 0x7f
        || matches!(
            byte,
            b'"' | b'\'' | b'`' | b'<' | b'>' | b'(' | b')' | b'[' | b']' | b'{' | b'}' | b',' | b';' | b'|'
        )
}

/// The spans of the words of a text. A pair of parentheses after a name, as in `run()`, belongs to it.
pub fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + bytes[at..].iter().position(|b| !ends_word(*b))?;
        let length = bytes[start..].iter().position(|b| ends_word(*b)).unwrap_or(bytes.len() - start);
        at = start + length;
        if bytes[at..].starts_with(b"()") {
            at += 2;
        }
        Some(start..at)
    })
}

/// The two words before, as far as they give a number its meaning.
#[derive(Default)]
pub struct Pair {
    before: Option<Lead>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Lead {
    Exit,
    Code,
}

impl Pair {
    /// `SQLSTATE 23505`, `HTTP 422`, `exit code 137`, `signal 9`: the second of these is an error code.
    pub fn meaning_of(&mut self, word: &str) -> Option<Kind> {
        let word = word.trim_end_matches(['.', ':', '!', '?']);
        let is_code = self.before == Some(Lead::Code)
            && (1..=5).contains(&word.len())
            && word.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase())
            && word.bytes().any(|b| b.is_ascii_digit());
        self.before = match (self.before, word) {
            (_, "SQLSTATE" | "sqlstate" | "HTTP" | "signal" | "errno") => Some(Lead::Code),
            (Some(_), "code" | "status" | "with" | "=" | "is") => Some(Lead::Code),
            (_, "exit" | "exited" | "status" | "error") => Some(Lead::Exit),
            _ => None,
        };
        is_code.then_some(Kind::ErrorCode)
    }
}

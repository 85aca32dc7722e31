//! Text to words, and what a word means by the words before it.

use std::ops::Range;

use super::Kind;
use super::looks::{Looks, ends_word};
use super::number::is_version;

/// A word: what stands between blanks, brackets and quotation marks.
pub struct Word {
    pub span: Range<usize>,
    pub looks: Looks,
    /// Whether a pair of parentheses follows, as in `run()`.
    pub called: bool,
}

/// The next word at or after a place.
pub fn next(bytes: &[u8], at: usize) -> Option<Word> {
    let start = at + bytes[at..].iter().position(|b| !ends_word(*b))?;
    let (looks, length) = Looks::of_word(&bytes[start..]);
    let end = start + length;
    Some(Word { span: start..end, looks, called: bytes[end..].starts_with(b"()") })
}

/// What the words before say about a number.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum Lead {
    #[default]
    None,
    /// `exit`, `error`: a code may follow, or the word code.
    Announced,
    /// A code follows.
    Code,
    /// `status`: a code of HTTP may follow.
    Status,
    /// A port follows.
    Port,
    /// A version follows: `Python 2.7`.
    Version,
}

/// What is often named with a version of two numbers, which alone would be a decimal number.
const VERSIONED: [&[u8]; 30] = [
    b"version",
    b"Version",
    b"release",
    b"Release",
    b"Python",
    b"python",
    b"Java",
    b"PHP",
    b"Ruby",
    b"Rails",
    b"iOS",
    b"Android",
    b"Postgres",
    b"PostgreSQL",
    b"postgres",
    b"MySQL",
    b"Django",
    b"jQuery",
    b"Angular",
    b"NET",
    b"Ubuntu",
    b"Node",
    b"Go",
    b"Rust",
    b"Kubernetes",
    b"Swift",
    b"Scala",
    b"macOS",
    b"Windows",
    b"OpenGL",
];

impl Lead {
    /// What this word is by the words before it: `SQLSTATE 23505`, `HTTP 422`, `exit code 137`, `port 5432`.
    pub fn meaning_of(&mut self, word: &[u8], looks: Looks) -> Option<(usize, Kind)> {
        if looks.digits() == 0 {
            if *self != Self::None || may_lead(word) {
                *self = self.after(without_stop(word));
            }
            return None;
        }
        let lead = std::mem::take(self);
        let bare = without_stop(word);
        if bare.starts_with(b"HTTP/") {
            *self = Self::Code;
        }
        let numeric = looks.letters() == 0 && bare.iter().all(u8::is_ascii_digit);
        let code = (1..=5).contains(&bare.len())
            && bare.iter().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase());
        let kind = match lead {
            Self::Code if code => Kind::ErrorCode,
            Self::Announced if numeric && (3..=5).contains(&bare.len()) => Kind::ErrorCode,
            Self::Status if numeric && bare.len() == 3 && matches!(bare[0], b'1'..=b'5') => Kind::ErrorCode,
            Self::Version if looks.letters() == 0 && is_version(bare, true) && bare.contains(&b'.') => {
                Kind::Version
            }
            Self::Port if numeric && (2..=5).contains(&bare.len()) => Kind::Port,
            _ => return None,
        };
        Some((bare.len(), kind))
    }

    fn after(self, word: &[u8]) -> Self {
        match (self, word) {
            (_, b"SQLSTATE" | b"sqlstate" | b"HTTP" | b"signal" | b"errno") => Self::Code,
            (
                Self::Announced | Self::Status | Self::Code,
                b"code" | b"status" | b"with" | b"=" | b"is" | b"number",
            ) => Self::Code,
            (_, b"exit" | b"exited" | b"error" | b"Error" | b"ERROR") => Self::Announced,
            (_, b"status" | b"Status") => Self::Status,
            (_, b"port" | b"Port") => Self::Port,
            _ if VERSIONED.contains(&word.strip_prefix(b".").unwrap_or(word)) => Self::Version,
            _ => Self::None,
        }
    }
}

/// A cheap question first.
fn may_lead(word: &[u8]) -> bool {
    const FIRST: &[u8] = b"SsHeEpPvVrRJijADMNU.GKmWO";
    (2..=10).contains(&word.len()) && FIRST.contains(&word[0])
}

fn without_stop(word: &[u8]) -> &[u8] {
    let stops = word.iter().rev().take_while(|b| matches!(b, b'.' | b':' | b'!' | b'?')).count();
    &word[..word.len() - stops]
}

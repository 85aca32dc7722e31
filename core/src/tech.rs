//! Technical tokens: identifiers that must be found again exactly, whatever a stemmer or a model makes of them.
//!
//! Text is cut at blanks, brackets and quotation marks into words; a word that looks technical is a token, and so are its
//! parts, so that `blk_-1608999` is found by its number and `org.acme.Server$Handler` by `Server$Handler`. The same code
//! reads documents and queries, and the normal form of a token is what the two have in common.
//!
//! `scan` goes from word to word, `looks` looks at every byte once, `lead` knows what the words before say, `part` takes a
//! word apart unless `memo` remembers it, `shape` says what a part is with the help of `number`, `code`, `address`, `path`
//! and `name`. `term` finds the words that a project adds.

mod address;
mod code;
mod kind;
mod lead;
mod looks;
mod memo;
mod name;
mod number;
mod part;
mod path;
mod scan;
mod shape;
mod term;
#[cfg(test)]
mod tests;
mod word;

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

pub use kind::Kind;
pub use scan::Scanner;
pub use term::{DEFAULT_TERMS, TermError, Terms, normal_term};

/// Raised when the rules change, so that stored tokens can be told from those of today.
pub const RULES_VERSION: i32 = 2;

/// A technical token and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TechToken<'t> {
    /// As it is written.
    pub text: &'t str,
    /// What it is.
    pub kind: Kind,
    /// Its span in bytes.
    pub span: Range<usize>,
}

impl<'t> TechToken<'t> {
    /// What documents and queries have in common: lower case, without the `v` of a version, a sign, the root of a path, or
    /// punctuation around it.
    pub fn normal_form(&self) -> String {
        self.normal_part().to_ascii_lowercase()
    }

    /// The part of the text that is the normal form when it is in lower case.
    pub fn normal_part(&self) -> &'t str {
        let text = trim(self.text, |b| matches!(b, b'-' | b'+'), |b| matches!(b, b'/' | b'\\'));
        match self.kind {
            Kind::Version => trim(text, |b| matches!(b, b'v' | b'V'), |_| false),
            Kind::Identifier => text.strip_suffix("()").unwrap_or(text),
            // So that `etc/hosts` finds `/etc/hosts`.
            Kind::Path => trim(text, |b| matches!(b, b'.' | b'/' | b'~'), |_| false),
            Kind::Port => text.trim_start_matches(':'),
            _ => text,
        }
    }
}

/// Tokens are ASCII: byte by byte is much faster than by patterns of characters.
fn trim(text: &str, before: impl Fn(u8) -> bool, behind: impl Fn(u8) -> bool) -> &str {
    let start = text.bytes().take_while(|b| before(*b)).count();
    let end = text.len() - text[start..].bytes().rev().take_while(|b| behind(*b)).count();
    &text[start..end]
}

/// The tokens of a text, in the order of its words; parts follow the whole.
pub fn scan(text: &str) -> Scanner<'_> {
    Scanner::new(text)
}

/// The normal forms of a text's tokens, sorted and unique.
pub fn tokens(text: &str) -> BTreeSet<String> {
    // Most tokens of a log were there before: those need no normal form and no place in the order.
    let mut seen = HashSet::new();
    scan(text)
        .filter(|found| seen.insert((found.text, found.kind)))
        .map(|found| found.normal_form())
        .collect()
}

//! Technical tokens: identifiers that must be found again exactly, whatever a stemmer or a model makes of them.
//!
//! Text is cut at blanks, brackets and quotation marks into words; a word that looks technical is a token, and so are its
//! parts, so that `blk_-1608999` is found by its number and `org.acme.Server$Handler` by `Server$Handler`. The same code
//! reads documents and queries, and the normal form of a token is what the two have in common.

mod kind;
mod looks;
mod part;
mod shape;
#[cfg(test)]
mod tests;
mod word;

use std::collections::BTreeSet;
use std::ops::Range;

pub use kind::Kind;

/// Raised when the rules change, so that stored tokens can be told from those of today.
pub const RULES_VERSION: i32 = 1;

/// A technical token and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TechToken {
    /// Its normal form: lower case, without the `v` of a version, a sign, the root of a path, or punctuation around it.
    pub token: String,
    /// What it is.
    pub kind: Kind,
    /// Its span in bytes.
    pub span: Range<usize>,
}

/// The tokens of a text, in the order in which they begin; parts follow the whole.
pub fn scan(text: &str) -> impl Iterator<Item = TechToken> {
    let mut pair = word::Pair::default();
    let mut parts = part::Parts::default();
    word::words(text).flat_map(move |span| {
        let word = &text[span.clone()];
        let mut found = Vec::new();
        if let Some(kind) = pair.meaning_of(word) {
            found.push(TechToken { token: word.to_ascii_lowercase(), kind, span: span.clone() });
        }
        parts.collect(word, |part, kind| {
            let span = span.start + part.start..span.start + part.end;
            found.push(TechToken { token: normal_form(&text[span.clone()], kind), kind, span });
        });
        found
    })
}

/// The normal forms of a text's tokens, sorted and unique.
pub fn tokens(text: &str) -> BTreeSet<String> {
    scan(text).map(|found| found.token).collect()
}

fn normal_form(text: &str, kind: Kind) -> String {
    let text = text.trim_start_matches(['-', '+']).trim_end_matches(['/', '\\']);
    let lower = text.to_ascii_lowercase();
    match kind {
        Kind::Version => lower.trim_start_matches('v').to_owned(),
        Kind::Identifier => lower.trim_end_matches("()").to_owned(),
        // So that `etc/hosts` finds `/etc/hosts`.
        Kind::Path => lower.trim_start_matches(['.', '/', '~']).to_owned(),
        _ => lower,
    }
}

//! Terms of a field: words that look like prose and must be found exactly all the same.

use std::collections::BTreeSet;
use std::ops::Range;

use aho_corasick::AhoCorasick;

/// The terms that every project begins with: hardware, clouds and competition, as seed 002 has them.
pub const DEFAULT_TERMS: [&str; 18] = [
    "aws",
    "azure",
    "bake-off",
    "bom",
    "build",
    "competitive",
    "dell",
    "gcp",
    "head-to-head",
    "incumbent",
    "lenovo",
    "object store",
    "oci",
    "smc",
    "ssd",
    "supermicro",
    "tiering",
    "vs",
];

/// Longer ones are sentences.
pub const LONGEST_TERM: usize = 100;

/// Why something cannot be a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TermError {
    /// Nothing to find.
    #[error("it has no letter or digit")]
    Blank,
    /// Too long.
    #[error("it is longer than {LONGEST_TERM} characters")]
    TooLong,
}

/// The form in which a term is kept and found: lower case, one blank between words.
pub fn normal_term(term: &str) -> Result<String, TermError> {
    let normal = term.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    if !normal.chars().any(char::is_alphanumeric) {
        Err(TermError::Blank)
    } else if normal.chars().count() > LONGEST_TERM {
        Err(TermError::TooLong)
    } else {
        Ok(normal)
    }
}

/// Terms in their normal form, ready to be found in texts.
pub struct Terms {
    automaton: Option<AhoCorasick>,
    terms: Vec<String>,
}

impl Terms {
    /// From terms in their normal form.
    pub fn new(terms: BTreeSet<String>) -> Self {
        let terms: Vec<String> = terms.into_iter().collect();
        // None without terms, or with more than the automaton can have: far more than a project may keep.
        let automaton = AhoCorasick::new(&terms).ok().filter(|_| !terms.is_empty());
        Self { automaton, terms }
    }

    /// The terms of a text as whole words, sorted and unique. Case does not matter, nor which white space is between words.
    pub fn in_text(&self, text: &str) -> BTreeSet<String> {
        let Some(automaton) = &self.automaton else { return BTreeSet::new() };
        let folded: String =
            text.split_whitespace().flat_map(|word| [word, " "]).collect::<String>().to_lowercase();
        automaton
            .find_overlapping_iter(&folded)
            .filter(|found| is_whole(&folded, found.span().range()))
            .map(|found| self.terms[found.pattern()].clone())
            .collect()
    }
}

/// Whether no letter, digit or underscore touches the span.
fn is_whole(text: &str, span: Range<usize>) -> bool {
    let continues = |c: char| c.is_alphanumeric() || c == '_';
    !text[..span.start].ends_with(continues) && !text[span.end..].starts_with(continues)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(terms: &[&str], text: &str) -> Vec<String> {
        let terms = terms.iter().map(|term| normal_term(term).unwrap()).collect();
        Terms::new(terms).in_text(text).into_iter().collect()
    }

    #[test]
    fn terms_are_found_as_whole_words() {
        assert_eq!(found(&DEFAULT_TERMS, "Dell vs. Lenovo: tiering"), ["dell", "lenovo", "tiering", "vs"]);
        assert_eq!(found(&DEFAULT_TERMS, "the object\n  store, rebuild, dells, aws_s3"), ["object store"]);
        assert_eq!(found(&["store", "object store"], "Object Store"), ["object store", "store"]);
        assert_eq!(found(&["Größe"], "die GRÖSSE und die größe"), ["größe"]);
        assert!(found(&[], "anything").is_empty());
    }

    #[test]
    fn terms_have_a_normal_form() {
        assert_eq!(normal_term("  Object \t Store "), Ok("object store".into()));
        assert_eq!(normal_term(" -- "), Err(TermError::Blank));
        assert_eq!(normal_term(&"a".repeat(101)), Err(TermError::TooLong));
        let normal = DEFAULT_TERMS.map(|term| normal_term(term).unwrap());
        assert_eq!(normal, DEFAULT_TERMS, "the list is in normal form");
    }
}

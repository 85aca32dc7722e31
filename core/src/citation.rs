//! Whether every sentence of an answer cites evidence that it was given.

mod split;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

/// A sentence with what it cites.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedSentence<'a> {
    /// The sentence, with its citations.
    pub text: &'a str,
    /// The evidence that it cites, in order.
    pub cited: Vec<&'a str>,
    /// Why it does not pass; none if it does.
    pub problem: Option<Problem<'a>>,
}

/// Why a sentence does not pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem<'a> {
    /// It cites nothing.
    NoCitation,
    /// It cites what was not in the evidence.
    Unknown(Vec<&'a str>),
}

impl std::fmt::Display for Problem<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoCitation => f.write_str("no citation"),
            Self::Unknown(ids) => write!(f, "not in the evidence: {}", ids.join(", ")),
        }
    }
}

/// Checks an answer: every sentence must cite, as `[Q-12]` or `[A-3, Q-7]`, evidence from the list. Headings and code are
/// no sentences; a citation after the full stop belongs to the sentence before it.
pub fn check_citations<'a>(answer: &'a str, evidence: &[&str]) -> Vec<CheckedSentence<'a>> {
    let evidence: HashSet<&str> = evidence.iter().copied().collect();
    split::sentences(answer)
        .into_iter()
        .map(|text| {
            let cited: Vec<&str> = citations(text).flat_map(|citation| citation.ids).collect();
            let unknown: Vec<&str> = cited.iter().filter(|id| !evidence.contains(*id)).copied().collect();
            let problem = match (cited.is_empty(), unknown.is_empty()) {
                (true, _) => Some(Problem::NoCitation),
                (false, false) => Some(Problem::Unknown(unknown)),
                (false, true) => None,
            };
            CheckedSentence { text, cited, problem }
        })
        .collect()
}

/// A bracket that cites.
struct Citation<'a> {
    end: usize,
    ids: Vec<&'a str>,
}

/// The citations of a text: brackets whose parts all look like `Q-12`, and that are no links.
fn citations(text: &str) -> impl Iterator<Item = Citation<'_>> {
    text.match_indices('[').filter_map(|(at, _)| citation_at(text, at))
}

fn citation_at(text: &str, at: usize) -> Option<Citation<'_>> {
    let inside = text.get(at + 1..)?;
    let length = inside.find(['[', ']', '\n'])?;
    let end = at + 1 + length + 1;
    if !inside[length..].starts_with(']') || text[end..].starts_with('(') {
        return None;
    }
    let ids: Vec<&str> = inside[..length].split([',', ';']).map(str::trim).collect();
    ids.iter().all(|id| is_evidence_id(id)).then_some(Citation { end, ids })
}

/// Capital letters, a hyphen, letters or digits.
fn is_evidence_id(text: &str) -> bool {
    text.split_once('-').is_some_and(|(kind, number)| {
        !kind.is_empty()
            && kind.bytes().all(|b| b.is_ascii_uppercase())
            && !number.is_empty()
            && number.bytes().all(|b| b.is_ascii_alphanumeric())
    })
}

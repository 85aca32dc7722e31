//! Which texts are looked at. Scoring a text means to read it, so a question with frequent words cannot look at all that have
//! one of them: the rare words choose the candidates, all words rank them.

use super::{Collection, MOST_TERMS};

/// A word of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// The word in the form that texts are indexed by.
    pub word: String,
    /// How often the query says it.
    pub repeats: i64,
    /// How many texts have it.
    pub texts: i64,
}

/// Words that a candidate has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Candidates<'a> {
    /// At least one of these.
    Any(&'a [Term]),
    /// Each of these.
    All(&'a [Term]),
}

/// The rarest words first; what is beyond [`MOST_TERMS`] is left out, and so are words that no text has, unless counts may lack
/// some.
pub fn plan(mut terms: Vec<Term>, keeps_uncounted: bool) -> Vec<Term> {
    terms.retain(|term| keeps_uncounted || term.texts > 0);
    terms.sort_by(|a, b| a.texts.cmp(&b.texts).then_with(|| a.word.cmp(&b.word)));
    terms.truncate(MOST_TERMS);
    terms
}

impl<'a> Candidates<'a> {
    /// What to look at first, then next, while too little is found; the last one finds every text that has any word. `terms`
    /// come from [`plan`], `budget` is how many texts may be read.
    pub fn in_turn(terms: &'a [Term], collection: Collection, budget: i64) -> Vec<Self> {
        if terms.is_empty() {
            return Vec::new();
        }
        let mut turns = Vec::new();
        let affordable = affordable(terms, budget);
        if affordable == 0 {
            // Even the rarest word is in too many: those with several of them are the best of them.
            let needed = needed(terms, collection, budget);
            turns.extend((2..=needed).rev().map(|count| Self::All(&terms[..count])));
        } else if affordable < terms.len() {
            turns.push(Self::Any(&terms[..affordable]));
        }
        turns.push(Self::Any(terms));
        turns
    }
}

impl Candidates<'_> {
    /// How many texts that may be: at most for any of the words, and for all of them as if words were independent.
    pub fn expected(&self, collection: Collection) -> f64 {
        let all = collection.texts.max(1) as f64;
        match self {
            Self::Any(terms) => terms.iter().map(|term| term.texts as f64).sum(),
            Self::All(terms) => {
                terms.iter().fold(all, |some, term| some * (term.texts as f64 / all).min(1.0))
            }
        }
    }
}

/// How many of the rarest words have together at most that many texts.
fn affordable(terms: &[Term], budget: i64) -> usize {
    let mut texts: i64 = 0;
    terms
        .iter()
        .take_while(|term| {
            texts = texts.saturating_add(term.texts);
            texts <= budget
        })
        .count()
}

/// How many of the rarest words a text must have for that few to have them all, were words independent of each other.
fn needed(terms: &[Term], collection: Collection, budget: i64) -> usize {
    let enough = (1..=terms.len())
        .find(|count| Candidates::All(&terms[..*count]).expected(collection) <= budget as f64);
    enough.unwrap_or(terms.len())
}

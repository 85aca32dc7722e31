//! BM25: how well a text answers the words of a query, from how often they stand in it, how long it is, and how rare they are.

mod encoded;
mod plan;
#[cfg(test)]
mod tests;

pub use encoded::{EncodedQuery, score};
pub use plan::{Candidates, Term, plan};

/// The most words of a query that count: its rarest. A longer one is a document, and its rare words say what it is about.
pub const MOST_TERMS: usize = 64;

/// How much repetition and length count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// How soon repetition of a word stops to add: 0 at once, and the higher the later.
    pub k1: f64,
    /// How much a long text is held to be about more things: 0 not at all, 1 fully.
    pub b: f64,
}

impl Default for Parameters {
    /// What the literature and the engines have; nothing else was better on all development sets (docs/search.md).
    fn default() -> Self {
        Self { k1: 1.2, b: 0.75 }
    }
}

/// What is counted of the texts that are searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Collection {
    /// How many texts there are.
    pub texts: i64,
    /// How many words they have together.
    pub words: i64,
}

impl Collection {
    /// The length of an average text; never zero.
    pub fn average_length(&self) -> f64 {
        if self.texts > 0 && self.words > 0 { self.words as f64 / self.texts as f64 } else { 1.0 }
    }
}

/// How much a word says: the rarer, the more. Never negative, also for a word that stands in every text, or in more texts
/// than are counted.
pub fn rarity(collection: Collection, texts_with_word: i64) -> f64 {
    let with = texts_with_word.max(0) as f64;
    let without = (collection.texts as f64 - with).max(0.0);
    (1.0 + (without + 0.5) / (with + 0.5)).ln()
}

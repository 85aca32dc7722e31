//! How the lanes of a search are weighted, by the looks of the query.

use std::collections::BTreeSet;

use super::intent::has_stack_trace;
use super::word::Word;
use crate::tech::TechToken;

/// Kinds of queries that are best served by different lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Nothing can be told.
    Default,
    /// A few words.
    Technical,
    /// A sentence or more.
    Conversational,
    /// Identifiers, code, a stack trace.
    Code,
}

/// What each lane counts in the fusion. The first three share 1; exact identifiers come on top of them, because who names
/// one means it, and so do the ranked lists of what is preferred, which break near ties, whatever the query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LaneWeights {
    /// Full-text search.
    pub lexical: f64,
    /// Embeddings.
    pub semantic: f64,
    /// Similar spelling.
    pub trigram: f64,
    /// Exact identifiers.
    pub tech_token: f64,
    /// Canonical documents.
    pub canonical: f64,
    /// Pinned items.
    pub pinned: f64,
    /// Items of the kinds that have the answer, by the intent of the query.
    pub intent: f64,
    /// Items of the time that the query mentions.
    pub time: f64,
}

impl LaneWeights {
    /// What the weights are called where a project has its own factors, in the order of [`Self::values`].
    pub const NAMES: [&str; Self::COUNT] =
        ["lexical", "semantic", "trigram", "tech_token", "canonical", "pinned", "intent", "time"];

    /// How many they are.
    pub const COUNT: usize = 8;

    /// Factors that change nothing.
    pub const EVEN: Self = Self::of([1.0; Self::COUNT]);

    /// The weights in the order of [`Self::NAMES`].
    pub const fn of(values: [f64; Self::COUNT]) -> Self {
        let [lexical, semantic, trigram, tech_token, canonical, pinned, intent, time] = values;
        Self { lexical, semantic, trigram, tech_token, canonical, pinned, intent, time }
    }

    /// In the order of [`Self::NAMES`].
    pub const fn values(self) -> [f64; Self::COUNT] {
        let Self { lexical, semantic, trigram, tech_token, canonical, pinned, intent, time } = self;
        [lexical, semantic, trigram, tech_token, canonical, pinned, intent, time]
    }

    /// Each weight times its factor.
    pub fn times(self, factors: Self) -> Self {
        let factors = factors.values();
        let mut values = self.values();
        values.iter_mut().zip(factors).for_each(|(value, factor)| *value *= factor);
        Self::of(values)
    }
}

impl Profile {
    /// The word in results.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Technical => "technical",
            Self::Conversational => "conversational",
            Self::Code => "code",
        }
    }

    /// The weights of seed 001 for the default; the others move away from it by what they are good for.
    pub fn weights(self) -> LaneWeights {
        let (lexical, semantic, trigram) = match self {
            Self::Default => (0.4, 0.5, 0.1),
            // Few words: each is meant, and they are little for a model to go by.
            Self::Technical => (0.5, 0.4, 0.1),
            // A question has trigrams of any sentence. How much its words tell is seen by what they find.
            Self::Conversational => (0.45, 0.5, 0.05),
            // Identifiers are the same or misspelt; a model blurs them.
            Self::Code => (0.65, 0.05, 0.3),
        };
        let tech_token = if self == Self::Code { 1.0 } else { 0.5 };
        let preferred = 0.1;
        LaneWeights {
            lexical,
            semantic,
            trigram,
            tech_token,
            canonical: preferred,
            pinned: preferred,
            intent: preferred,
            time: preferred,
        }
    }
}

/// From so many words on, a query is a sentence.
const SENTENCE: usize = 6;

pub fn profile(query: &str, words: &[Word], found: &[TechToken]) -> Profile {
    if words.is_empty() {
        return Profile::Default;
    }
    let technical: BTreeSet<usize> =
        found.iter().map(|token| words.partition_point(|word| word.span.end <= token.span.start)).collect();
    let marked = query.split_whitespace().filter(|piece| has_code_marks(piece)).count();
    if technical.len().max(marked) * 2 >= words.len() || marked >= 2 || has_stack_trace(query) {
        Profile::Code
    } else if words.len() >= SENTENCE {
        Profile::Conversational
    } else {
        Profile::Technical
    }
}

/// Marks that prose does not have.
fn has_code_marks(piece: &str) -> bool {
    ["::", "->", "=>", "()", "==", "!=", "&&", "||", ":=", "</", "/>", "};", ");"]
        .iter()
        .any(|mark| piece.contains(mark))
}

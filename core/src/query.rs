//! What a search query tells without a model: what kind of answer is wanted, how much each lane should count, which
//! identifiers must be found, and which time is meant.
//!
//! English heuristics, made to keep quiet where they are not sure: a query that is not understood is only searched.

mod date;
mod intent;
pub(crate) mod name;
mod pattern;
mod period;
mod point;
mod profile;
#[cfg(test)]
mod tests;
pub(crate) mod unit;
pub(crate) mod word;

pub use date::Date;
pub use intent::Intent;
pub use period::{DateMention, DateRange};
pub use profile::{LaneWeights, Profile};

use crate::tech;

/// How many bytes of a query are looked at. A question is shorter; what is longer is pasted, and its start tells what it
/// is. It bounds the time, and the number of tokens.
pub const LONGEST_QUERY: usize = 4096;

/// What a query tells.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// What kind of answer is wanted.
    pub intent: Intent,
    /// How the lanes are weighted.
    pub weight_profile: Profile,
    /// Technical tokens in their normal form, sorted and unique, by the rules that read documents.
    pub tech_tokens: Vec<String>,
    /// Whether somebody or something is called by a name.
    pub has_name: bool,
    /// The first time that is mentioned. What is of that time is preferred, and no more: when something was stored is not when it was.
    /// Its words are searched for like others, as texts write dates too.
    pub dates: Option<DateMention>,
}

/// Looks at the first [`LONGEST_QUERY`] bytes of a query. `today` is what `yesterday` and the like are counted from.
pub fn analyze(query: &str, today: Date) -> Analysis {
    let query = &query[..query.floor_char_boundary(LONGEST_QUERY)];
    let words = word::words(query);
    let found: Vec<tech::TechToken> = tech::scan(query).collect();
    Analysis {
        intent: intent::intent(query, &words, &found),
        weight_profile: profile::profile(query, &words, &found),
        has_name: has_name(&words),
        dates: period::first(&words, today),
        tech_tokens: tech::tokens(query).into_iter().collect(),
    }
}

/// A capital inside of a sentence; `I` is none.
fn has_name(words: &[word::Word]) -> bool {
    words.windows(2).any(|pair| {
        let [before, word] = pair else { return false };
        !before.ends_phrase && word.is_capitalized() && word.plain != "i" && !word.plain.starts_with("i'")
    })
}

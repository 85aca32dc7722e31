//! How large a chunk may be, and in what unit.

use crate::token;

/// What a budget counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Tokens of the vocabulary in [`crate::token`].
    Tokens,
    /// Unicode code points.
    Chars,
}

impl Measure {
    /// The size of a text.
    pub fn size(self, text: &str) -> usize {
        match self {
            Self::Tokens => token::count(text),
            Self::Chars => text.chars().count(),
        }
    }

    /// Whether a text is larger than a limit, as far as a glance at its length can tell.
    pub(super) fn surely_exceeds(self, text: &str, limit: usize) -> bool {
        /// No token of the vocabulary, and no character, has more bytes.
        const LONGEST_UNIT_BYTES: usize = 128;
        text.len() / LONGEST_UNIT_BYTES > limit
    }

    /// Whether a text is within a limit. A token and a character have at least one byte, so it is often not counted.
    pub(crate) fn fits(self, text: &str, limit: usize) -> bool {
        text.len() <= limit || !self.surely_exceeds(text, limit) && self.size(text) <= limit
    }
}

/// The size of chunks. `target` is aimed at, `max` is never exceeded (but for a single grapheme cluster), `overlap` is
/// how much of the end of a chunk may be repeated at the start of the next, at most half of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    pub(crate) measure: Measure,
    pub(crate) target: usize,
    pub(crate) max: usize,
    pub(crate) overlap: usize,
}

/// The largest budget: beyond it a chunk is a document.
pub const MAX_BUDGET: usize = 1_000_000;

/// Why sizes make no sense together.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum BudgetError {
    /// Nothing would fit.
    #[error("the target must be between 1 and {MAX_BUDGET}, not {0}")]
    Target(i64),
    /// The limit is below what is aimed at.
    #[error("the maximum must be between the target ({target}) and {MAX_BUDGET}, not {max}")]
    Max {
        /// The target.
        target: i64,
        /// The maximum.
        max: i64,
    },
    /// Nothing can be repeated less than not at all.
    #[error("the overlap must be between 0 and {MAX_BUDGET}, not {0}")]
    Overlap(i64),
}

impl Budget {
    /// Checks the sizes, as they come from a user.
    pub fn try_new(measure: Measure, target: i64, max: i64, overlap: i64) -> Result<Self, BudgetError> {
        let limit = MAX_BUDGET as i64;
        if !(1..=limit).contains(&target) {
            return Err(BudgetError::Target(target));
        }
        if !(target..=limit).contains(&max) {
            return Err(BudgetError::Max { target, max });
        }
        if !(0..=limit).contains(&overlap) {
            return Err(BudgetError::Overlap(overlap));
        }
        // A chunk that repeats all that it may hold would never come to an end.
        let overlap = overlap.min(target / 2);
        Ok(Self { measure, target: target as usize, max: max as usize, overlap: overlap as usize })
    }
}

impl Budget {
    /// The same sizes, with nothing repeated.
    pub(crate) fn without_overlap(self) -> Self {
        Self { overlap: 0, ..self }
    }
}

impl Default for Budget {
    /// 350 tokens, at most 600: the middle of the range that seed 002 asks for, and what small embedding models take.
    fn default() -> Self {
        Self { measure: Measure::Tokens, target: 350, max: 600, overlap: 0 }
    }
}

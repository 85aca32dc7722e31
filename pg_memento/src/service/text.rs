//! Checking the arguments of the functions of text.

use memento_core::chunk::{Budget, BudgetError, Measure};

use crate::error::{Failure, reported};

/// Why a text cannot be worked on.
#[derive(Debug, thiserror::Error)]
pub enum TextError {
    #[error(transparent)]
    Budget(#[from] BudgetError),
}

reported!(TextError);

impl Failure for TextError {
    fn hint(&self) -> Option<String> {
        Some("for example: target_tokens => 350, max_tokens => 600, overlap_tokens => 50".into())
    }
}

/// The sizes of chunks, as a user gives them.
pub fn budget(measure: Measure, target: i32, max: i32, overlap: i32) -> Result<Budget, TextError> {
    Ok(Budget::try_new(measure, target.into(), max.into(), overlap.into())?)
}

/// An offset or a count as SQL has it. A text of Postgres has less than 2^30 bytes, so it always fits.
pub fn int(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

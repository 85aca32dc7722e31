//! Why a filter cannot be used.

use super::{KEYS, LONGEST_VALUE, MOST_VALUES};

/// Why a filter cannot be used. Messages name the key and never the value: it may be somebody's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FilterError {
    /// Not `{...}`.
    #[error("filters must be a JSON object")]
    NotAnObject,
    /// A key that nobody would look at.
    #[error("unknown filter \"{0}\"")]
    UnknownKey(String),
    /// A value of the wrong type.
    #[error("filter \"{key}\" must be {expected}, not {found}")]
    WrongType {
        /// The key.
        key: &'static str,
        /// What it takes.
        expected: &'static str,
        /// What was given.
        found: &'static str,
    },
    /// An element that cannot be used.
    #[error("value {position} of filter \"{key}\" {problem}")]
    BadValue {
        /// The key.
        key: &'static str,
        /// Which element, from 1.
        position: usize,
        /// What is wrong with it.
        problem: ValueProblem,
    },
    /// A time that is none.
    #[error("filter \"{key}\" is not a time such as 2026-01-31 or 2026-01-31T10:00:00Z")]
    BadTime {
        /// The key.
        key: &'static str,
    },
    /// More than [`MOST_VALUES`].
    #[error("filter \"{key}\" has {count} values, more than {MOST_VALUES}")]
    TooMany {
        /// The key.
        key: &'static str,
        /// How many there are.
        count: usize,
    },
}

/// What is wrong with an element of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ValueProblem {
    /// Of another type.
    #[error("must be a string, not {0}")]
    NotAString(&'static str),
    /// Nothing, or only white space.
    #[error("is blank")]
    Blank,
    /// Longer than [`LONGEST_VALUE`].
    #[error("is longer than {LONGEST_VALUE} characters")]
    TooLong,
    /// A character that no text of Postgres holds.
    #[error("contains a NUL character")]
    Nul,
    /// Not an id.
    #[error("is not a uuid")]
    NotAUuid,
    /// Not in the list of words.
    #[error("must be one of {}", .0.join(", "))]
    UnknownWord(&'static [&'static str]),
}

impl FilterError {
    pub(super) fn unknown(key: &str) -> Self {
        Self::UnknownKey(key.chars().take(80).collect())
    }

    /// The key that is to blame.
    pub fn key(&self) -> Option<&str> {
        match self {
            Self::NotAnObject => None,
            Self::UnknownKey(key) => Some(key),
            Self::WrongType { key, .. }
            | Self::BadValue { key, .. }
            | Self::BadTime { key }
            | Self::TooMany { key, .. } => Some(key),
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::UnknownKey(_) => format!("known filters: {}", KEYS.join(", ")),
            Self::TooMany { .. } => "ask several times, with a part of the values each".into(),
            Self::BadTime { .. } => {
                "a day, or a day and a time of day with Z or an offset such as +02:00".into()
            }
            _ => "for example: {\"kinds\": [\"note\"], \"tags_any\": [\"runbook\"]}".into(),
        }
    }
}

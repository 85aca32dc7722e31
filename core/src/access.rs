//! What a role may do in a project.

use std::fmt;
use std::str::FromStr;

/// Access levels in ascending order: each includes the ones before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AccessLevel {
    /// Search and read.
    Read,
    /// Also remember, change and forget.
    Write,
    /// Also give and take access.
    Admin,
}

impl AccessLevel {
    /// All levels, weakest first.
    pub const ALL: [Self; 3] = [Self::Read, Self::Write, Self::Admin];

    /// The word used in SQL.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Admin => "admin",
        }
    }
}

impl fmt::Display for AccessLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A word that is not an access level.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("unknown access level \"{0}\"")]
pub struct UnknownAccessLevel(pub String);

impl FromStr for AccessLevel {
    type Err = UnknownAccessLevel;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|level| level.as_str() == word)
            .ok_or_else(|| UnknownAccessLevel(word.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_ordered_and_round_trip() {
        assert!(AccessLevel::ALL.is_sorted());
        for level in AccessLevel::ALL {
            assert_eq!(level.to_string().parse(), Ok(level));
        }
    }

    #[test]
    fn other_words_are_refused() {
        for word in ["", "READ", "owner", " read"] {
            assert_eq!(word.parse::<AccessLevel>(), Err(UnknownAccessLevel(word.to_owned())));
        }
    }
}

//! The words that describe a memory. Kinds, tags and doc classes are free to choose; the others are lists.

/// An enum whose values have a word each, as SQL and JSON write them.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$value_doc:meta])* $value:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name { $($(#[$value_doc])* $value,)+ }

        impl $name {
            /// All values, in their order.
            pub const ALL: &[Self] = &[$(Self::$value),+];
            /// Their words, in the same order.
            pub const WORDS: &[&str] = &[$($word),+];

            /// The word in SQL and JSON.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$value => $word,)+ }
            }

            /// The value that a word means.
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$value),)+ _ => None }
            }
        }
    };
}
pub(crate) use words;

words! {
    /// What a memory is about.
    Scope {
        /// The whole project.
        Project = "project",
        /// A feature of it.
        Feature = "feature",
        /// One session.
        Session = "session",
        /// One task.
        Task = "task",
    }
}

words! {
    /// How much harm it does in the wrong hands, in ascending order.
    Sensitivity {
        /// The default.
        Normal = "normal",
        /// With care.
        Sensitive = "sensitive",
        /// With the utmost care.
        HighlySensitive = "highly_sensitive",
    }
}

words! {
    /// What an artifact is.
    ArtifactType {
        /// A message with a subject.
        Email = "email",
        /// A document.
        Doc = "doc",
        /// Messages of several people.
        Chat = "chat",
        /// What was said.
        Transcript = "transcript",
        /// A note.
        Note = "note",
    }
}

words! {
    /// Who speaks in a conversation.
    Speaker {
        /// The person.
        User = "user",
        /// The model.
        Assistant = "assistant",
        /// The program that frames it.
        System = "system",
        /// A tool that the model has called.
        Tool = "tool",
    }
}

words! {
    /// What is done with content that has keys or passwords in it.
    SecretPolicy {
        /// Nobody looks.
        Ignore = "ignore",
        /// It is stored, and the result says so: the default.
        Warn = "warn",
        /// It is stored without them.
        Redact = "redact",
        /// It is not stored.
        Refuse = "refuse",
    }
}

words! {
    /// Whom it is meant for.
    Visibility {
        /// Who wrote it; the default.
        Me = "me",
        /// The team.
        Team = "team",
        /// The organisation.
        Org = "org",
        /// Whoever the metadata says.
        Custom = "custom",
    }
}

/// Relations between items that say what comes before what, and so cannot go in circles. Others are free to choose, and may.
pub const ORDERING_RELATIONS: &[&str] = &[
    "blocked_by",
    "caused_by",
    "child_of",
    "depends_on",
    "derived_from",
    "part_of",
    "replaces",
    "supersedes",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_round_trip() {
        let scopes = Scope::ALL.iter().map(|scope| Scope::from_word(scope.as_str()));
        assert!(scopes.eq(Scope::ALL.iter().copied().map(Some)));
        assert_eq!(Sensitivity::WORDS, ["normal", "sensitive", "highly_sensitive"]);
        assert_eq!(Visibility::from_word("org"), Some(Visibility::Org));
        assert!(Sensitivity::Normal < Sensitivity::HighlySensitive);
    }

    #[test]
    fn other_words_mean_nothing() {
        for word in ["", "Project", " project", "global"] {
            assert_eq!(Scope::from_word(word), None);
        }
    }
}

//! The people who are known in a document: from the context, as speakers, and by their own sentences.

use std::collections::BTreeSet;

/// Names of people. Of a full name, each part is one too.
#[derive(Debug, Default)]
pub struct People<'a> {
    names: BTreeSet<&'a str>,
}

impl<'a> People<'a> {
    /// Adds somebody by their full name.
    pub fn add(&mut self, name: &'a str) {
        self.names.extend(name.split_whitespace().filter(|part| part.starts_with(char::is_uppercase)));
    }

    /// Whether a name, or a part of one, is somebody's.
    pub fn knows(&self, name: &str) -> bool {
        self.names.contains(name)
    }
}

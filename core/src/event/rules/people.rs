//! The people who are known in a document: from the context, and as speakers; and the words that are no names.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashSet};

use crate::event::token::Token;

/// Names of people. Of a full name, each part is one too.
#[derive(Debug)]
pub struct People<'a> {
    text: &'a str,
    names: BTreeSet<&'a str>,
    /// Words of the text that are also written without a capital; read when they are first asked for.
    small: OnceCell<HashSet<&'a str>>,
}

impl<'a> People<'a> {
    /// Nobody, in a text.
    pub fn new(text: &'a str) -> Self {
        Self { text, names: BTreeSet::new(), small: OnceCell::new() }
    }

    /// Adds somebody by their full name.
    pub fn add(&mut self, name: &'a str) {
        self.names.extend(name.split_whitespace().filter(|part| part.starts_with(char::is_uppercase)));
    }

    /// Whether a name, or a part of one, is somebody's.
    pub fn knows(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Whether the first word of a sentence, which has a capital in any case, is an ordinary one: it is in the lexicon, ends
    /// like a noun, or is written without a capital somewhere in the text.
    pub fn is_no_name(&self, token: &Token<'_>) -> bool {
        const ENDINGS: &str = "ing|tion|sion|tions|sions|ment|ments|ness|ity|ities|ance|ence|ware|ers|ors|ups|ents|ants|\
                               ages|ed|ly|ism|ists|acks|ests|ails|ates|ules|ures|ings|ies|logs|ics";
        !token.tags.is_empty()
            || ENDINGS.split('|').any(|ending| token.plain.ends_with(ending))
            || self.small().contains(&*token.plain)
    }

    fn small(&self) -> &HashSet<&'a str> {
        let words = || self.text.split(|c: char| !c.is_alphabetic());
        self.small.get_or_init(|| words().filter(|word| word.starts_with(char::is_lowercase)).collect())
    }
}

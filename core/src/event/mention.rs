//! Where names stand in a text.

use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};

use super::model::Entity;

/// Finds all names and aliases in one pass; of two at the same place the longer one counts.
pub fn find_mentions(text: &str, entities: &mut [Entity]) {
    let mut owners = Vec::new();
    let mut patterns = Vec::new();
    for (at, entity) in entities.iter().enumerate() {
        for name in std::iter::once(&entity.name).chain(&entity.aliases) {
            patterns.push(name.clone());
            owners.push(at);
        }
    }
    // Only too many patterns are an error, and their number is bounded.
    let Ok(finder) = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&patterns) else {
        return;
    };
    for found in finder.find_iter(text) {
        let span = found.start()..found.end();
        if is_whole(text, &span) {
            entities[owners[found.pattern().as_usize()]].mentions.push(span);
        }
    }
}

/// Whether no word goes on before or behind.
fn is_whole(text: &str, span: &Range<usize>) -> bool {
    let before = text[..span.start].chars().next_back();
    let after = text[span.end..].chars().next();
    !before.into_iter().chain(after).any(|c| c.is_alphanumeric() || c == '_')
}

//! Where names stand in a text.

use std::collections::HashMap;
use std::ops::Range;

use aho_corasick::{AhoCorasick, Input, MatchKind};

use super::model::Entity;

/// Finds all names and aliases in one pass; of two at the same place the longer one counts.
pub fn find_mentions(text: &str, entities: &mut [Entity]) {
    let mut names = Vec::new();
    for (at, entity) in entities.iter().enumerate() {
        let of_it = std::iter::once(&entity.name).chain(&entity.aliases);
        names.extend(of_it.filter(|name| !name.is_empty()).map(|name| (name.clone(), at)));
    }
    // Only too many patterns are an error, and their number is bounded.
    let patterns = names.iter().map(|(name, _)| name);
    let Ok(finder) = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(patterns) else {
        return;
    };
    // Whoever comes first has the name.
    let owners: HashMap<&str, usize> = names.iter().rev().map(|(name, at)| (name.as_str(), *at)).collect();
    let mut at = 0;
    while let Some(found) = finder.find(Input::new(text).range(at..)) {
        match longest_whole(text, found.range(), &owners) {
            Some((span, owner)) => {
                at = span.end;
                entities[owner].mentions.push(span);
            }
            None => at = behind_word(text, found.start()),
        }
    }
}

/// The longest name that begins where a name was found, and is no part of a word: of `Bob Smithson`, not `Bob Smith`, but `Bob`.
fn longest_whole(
    text: &str,
    found: Range<usize>,
    owners: &HashMap<&str, usize>,
) -> Option<(Range<usize>, usize)> {
    if text[..found.start].chars().next_back().is_some_and(is_of_word) {
        return None;
    }
    let shorter = text[found.clone()].char_indices().rev().map(|(at, _)| found.start + at);
    let ends = std::iter::once(found.end).chain(shorter);
    ends.filter(|end| !text[*end..].chars().next().is_some_and(is_of_word))
        .find_map(|end| owners.get(&text[found.start..end]).map(|owner| (found.start..end, *owner)))
}

/// Where the word ends that begins at a place or goes on there, or the character that is none: no name begins before that.
fn behind_word(text: &str, at: usize) -> usize {
    let rest = &text[at..];
    let word = rest.find(|c| !is_of_word(c)).unwrap_or(rest.len());
    at + word.max(rest.chars().next().map_or(1, char::len_utf8))
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::event::EntityType;

    fn mentions(text: &str, names: &[&str]) -> Vec<Vec<(usize, usize)>> {
        let named = |name: &&str| Entity {
            kind: EntityType::Person,
            name: (*name).to_owned(),
            aliases: Vec::new(),
            mentions: Vec::new(),
        };
        let mut entities: Vec<Entity> = names.iter().map(named).collect();
        find_mentions(text, &mut entities);
        let places = |entity: &Entity| entity.mentions.iter().map(|span| (span.start, span.end)).collect();
        entities.iter().map(places).collect()
    }

    #[test]
    fn a_longer_name_that_is_no_whole_word_hides_none() {
        let text = "Bob Smithson met Bob Smith and Bob.";
        let found = mentions(text, &["Bob", "Bob Smith", "Smithson"]);
        assert_eq!(found, [vec![(0, 3), (31, 34)], vec![(17, 26)], vec![(4, 12)]]);
        assert_eq!(
            mentions("Ann-Bob Ännbob bob_Ann é Ann", &["Ann", "Bob"]),
            [vec![(0, 3), (27, 30)], vec![(4, 7)]]
        );
        assert_eq!(mentions("Ann", &["", "Ann"]), [vec![], vec![(0, 3)]]);
        assert_eq!(mentions("@bob x@bob", &["@bob", "bob"]), [vec![(0, 4)], vec![(7, 10)]]);
    }

    proptest! {
        /// As one finds them who looks at each place: the longest name there that is no part of a word, and goes on behind it.
        #[test]
        fn mentions_are_those_of_a_plain_search(text in "[ab é]{0,40}", names in proptest::collection::vec("[ab é]{1,4}", 1..5)) {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let mut expected = vec![Vec::new(); names.len()];
            let mut at = 0;
            while at < text.len() {
                let whole = |name: &str| {
                    let before = text[..at].chars().next_back();
                    let after = text[at..].strip_prefix(name).map(|rest| rest.chars().next());
                    after.is_some_and(|after| !before.into_iter().chain(after).any(is_of_word))
                };
                let longest = names.iter().filter(|name| whole(name)).max_by_key(|name| name.len());
                match longest {
                    Some(name) => {
                        let owner = names.iter().position(|known| known == name).unwrap();
                        expected[owner].push((at, at + name.len()));
                        at += name.len();
                    }
                    None => at += text[at..].chars().next().map_or(1, char::len_utf8),
                }
            }
            prop_assert_eq!(mentions(&text, &names), expected);
        }
    }
}

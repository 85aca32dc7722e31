//! The people of a document, with the places where they are named.

use std::collections::BTreeMap;
use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};

use super::line::Line;
use super::people::People;
use crate::event::{Entity, EntityType, Event};

/// More people than these are not looked for.
const MOST: usize = 1_000;

/// Speakers, and actors who are known to be people. A first name that only one of them has is another name for them.
pub fn entities(text: &str, lines: &[Line<'_>], events: &[Event], people: &People<'_>) -> Vec<Entity> {
    let speakers = lines.iter().filter_map(|line| line.speaker).map(str::to_owned);
    let is_person = |name: &&str| name.split_whitespace().any(|part| people.knows(part));
    let actors =
        events.iter().flat_map(|event| &event.actors).map(|actor| actor.name.as_str()).filter(is_person);
    let mut names: Vec<String> = speakers.chain(actors.map(str::to_owned)).collect();
    names.sort_unstable();
    names.dedup();
    names.truncate(MOST);
    let mut entities = with_aliases(names);
    find_mentions(text, &mut entities);
    entities.retain(|entity| !entity.mentions.is_empty());
    entities.sort_by(|a, b| (a.mentions[0].start, &a.name).cmp(&(b.mentions[0].start, &b.name)));
    entities
}

/// A name that is the first word of exactly one longer one is an alias of it.
fn with_aliases(names: Vec<String>) -> Vec<Entity> {
    let mut longer: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, name) in names.iter().enumerate() {
        if let Some((first, _)) = name.split_once(' ') {
            longer.entry(first).or_default().push(at);
        }
    }
    let mut entities: Vec<Option<Entity>> = names.iter().map(|name| Some(person(name))).collect();
    for (at, name) in names.iter().enumerate() {
        if let Some([only]) = longer.get(name.as_str()).map(Vec::as_slice) {
            entities[at] = None;
            if let Some(entity) = &mut entities[*only] {
                entity.aliases.push(name.clone());
            }
        }
    }
    entities.into_iter().flatten().collect()
}

fn person(name: &str) -> Entity {
    Entity { kind: EntityType::Person, name: name.to_owned(), aliases: Vec::new(), mentions: Vec::new() }
}

/// All names in one pass; of two at the same place the longer one.
fn find_mentions(text: &str, entities: &mut [Entity]) {
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

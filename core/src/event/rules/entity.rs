//! The people of a document, with the places where they are named.

use std::collections::BTreeMap;

use super::line::Line;
use super::people::People;
use crate::event::mention::find_mentions;
use crate::event::{Entity, EntityType, Event};

/// More people than these are not looked for.
const MOST: usize = 1_000;

/// Speakers, and actors who are known to be people, and how many more there are. A first name that only one of them has is another name
/// for them.
pub fn entities(
    text: &str,
    lines: &[Line<'_>],
    events: &[Event],
    people: &People<'_>,
) -> (Vec<Entity>, usize) {
    let speakers = lines.iter().filter_map(|line| line.speaker).map(str::to_owned);
    let is_person = |name: &&str| name.split_whitespace().any(|part| people.knows(part));
    let actors =
        events.iter().flat_map(|event| &event.actors).map(|actor| actor.name.as_str()).filter(is_person);
    let mut names: Vec<String> = speakers.chain(actors.map(str::to_owned)).collect();
    names.sort_unstable();
    names.dedup();
    let beyond = names.len().saturating_sub(MOST);
    names.truncate(MOST);
    let mut entities = with_aliases(names);
    find_mentions(text, &mut entities);
    entities.retain(|entity| !entity.mentions.is_empty());
    entities.sort_by(|a, b| (a.mentions[0].start, &a.name).cmp(&(b.mentions[0].start, &b.name)));
    (entities, beyond)
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

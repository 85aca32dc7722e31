//! Events that say the same.

use std::collections::HashMap;

use super::check::{MOST_ACTORS, MOST_EVIDENCE};
use super::model::Event;

/// Makes one event of those that say the same in the same words: its evidence and actors are those of all of them, as far
/// as there is room. The first keeps its place.
pub fn merge_duplicates(events: Vec<Event>) -> Vec<Event> {
    let mut merged: Vec<Event> = Vec::with_capacity(events.len());
    let mut known: HashMap<_, usize> = HashMap::with_capacity(events.len());
    for event in events {
        let key = (event.category.as_str(), plain(&event.narrative), event.event_time);
        match known.get(&key) {
            Some(at) => absorb(&mut merged[*at], event),
            None => {
                known.insert(key, merged.len());
                merged.push(event);
            }
        }
    }
    merged
}

/// Adds actors and evidence of an event to those of another that it repeats.
pub(super) fn absorb(event: &mut Event, other: Event) {
    for actor in other.actors {
        let is_new = event.actors.iter().all(|known| !known.name.eq_ignore_ascii_case(&actor.name));
        if is_new && event.actors.len() < MOST_ACTORS {
            event.actors.push(actor);
        }
    }
    for span in other.evidence {
        if !event.evidence.contains(&span) && event.evidence.len() < MOST_EVIDENCE {
            event.evidence.push(span);
        }
    }
    event.evidence.sort_by_key(|span| (span.start, span.end));
    event.event_time = event.event_time.or(other.event_time);
    event.confidence = event.confidence.max(other.confidence);
}

/// Without case, punctuation and differences of white space.
pub(super) fn plain(narrative: &str) -> String {
    let words = narrative.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

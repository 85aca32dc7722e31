//! Events that say the same.

use std::collections::{HashMap, HashSet};

use super::check::{MOST_ACTORS, MOST_EVIDENCE};
use super::model::Event;

/// Makes one event of those that say the same in the same words: its evidence and actors are those of all of them, as far
/// as there is room. The first keeps its place. Also says for how many quotes there was no room.
pub fn merge_duplicates(events: Vec<Event>) -> (Vec<Event>, usize) {
    let mut crowded = 0;
    let mut merged: Vec<Event> = Vec::with_capacity(events.len());
    let mut known: HashMap<_, usize> = HashMap::with_capacity(events.len());
    for event in events {
        let key = (event.category.as_str(), plain(&event.narrative), event.event_time);
        match known.get(&key) {
            Some(at) => crowded += absorb(&mut merged[*at], event),
            None => {
                known.insert(key, merged.len());
                merged.push(event);
            }
        }
    }
    (merged, crowded)
}

/// Whether two events can be one occurrence, whoever says that they are: of the same category, not at different times, and
/// about something in common.
pub(super) fn may_be_same(one: &Event, other: &Event) -> bool {
    let times = one.event_time.zip(other.event_time);
    one.category == other.category
        && times.is_none_or(|(one, other)| one == other)
        && (in_common(&one.subject.name, &other.subject.name).0 > 0
            || is_alike(&one.narrative, &other.narrative))
}

/// Whether the shorter of two sentences has half of its words in the other.
fn is_alike(one: &str, other: &str) -> bool {
    let (common, shorter) = in_common(one, other);
    common > 0 && 2 * common >= shorter
}

/// How many words two texts have in common, and how many the shorter has. Words of one or two letters, and articles, say nothing.
fn in_common(one: &str, other: &str) -> (usize, usize) {
    let words = |text: &str| -> HashSet<String> {
        let plain = plain(text);
        let says_something =
            |word: &&str| word.chars().nth(2).is_some() && !matches!(*word, "the" | "and" | "for");
        plain.split(' ').filter(says_something).map(str::to_owned).collect()
    };
    let (one, other) = (words(one), words(other));
    (one.intersection(&other).count(), one.len().min(other.len()))
}

/// Adds actors and evidence of an event to those of another that it repeats, and says for how many quotes there was no room.
pub(super) fn absorb(event: &mut Event, other: Event) -> usize {
    let mut crowded = 0;
    for actor in other.actors {
        let is_new = event.actors.iter().all(|known| !known.name.eq_ignore_ascii_case(&actor.name));
        if is_new && event.actors.len() < MOST_ACTORS {
            event.actors.push(actor);
        }
    }
    for span in other.evidence {
        if event.evidence.contains(&span) {
            continue;
        }
        if event.evidence.len() < MOST_EVIDENCE {
            event.evidence.push(span);
        } else {
            crowded += 1;
        }
    }
    event.evidence.sort_by_key(|span| (span.start, span.end));
    event.event_time = event.event_time.or(other.event_time);
    event.confidence = event.confidence.max(other.confidence);
    crowded
}

/// Without case, punctuation and differences of white space.
pub(super) fn plain(narrative: &str) -> String {
    let words = narrative.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

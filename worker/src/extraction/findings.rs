//! Events and entities as the database takes them: spans in code points, with the quotes, which it checks again.

use std::ops::Range;

use memento_core::event::{Entity, Event, Extraction};
use memento_core::quote::CodePoints;
use serde_json::{Value, json};

use crate::store::Findings;

/// The most events of a document: more are not what happened, but what a model makes of it.
pub const MOST_EVENTS: usize = 5_000;

/// The most entities of a document, and the most mentions of all of them: so many that those of a book have room, because a search for what
/// speaks of an entity finds no part of the document without one.
const MOST_ENTITIES: usize = 5_000;
const MOST_MENTIONS: usize = 100_000;

/// What was found in a text, without what does not keep its form or goes beyond the limits; `outcome` says how much that was.
pub fn findings(text: &str, found: &Extraction, extractor: String, mut outcome: Value) -> Findings {
    let points = CodePoints::new(text);
    let kept: Vec<&Event> =
        found.events.iter().filter(|event| event.violations(text).is_empty()).take(MOST_EVENTS).collect();
    let entities: Vec<&Entity> = found
        .entities
        .iter()
        .filter(|entity| entity.violations(text).is_empty())
        .take(MOST_ENTITIES)
        .collect();
    let most = fair_share(entities.iter().map(|entity| entity.mentions.len()).collect(), MOST_MENTIONS);
    let crowded = entities.iter().map(|entity| entity.mentions.len().saturating_sub(most)).sum();
    let left_out = [
        ("events_left_out", found.events.len() - kept.len()),
        ("quotes_left_out", found.left_out.quotes),
        ("entities_left_out", found.left_out.entities + found.entities.len() - entities.len()),
        ("mentions_left_out", crowded),
    ];
    for (name, count) in left_out.into_iter().filter(|(_, count)| *count > 0) {
        outcome[name] = json!(count);
    }
    Findings {
        extractor,
        events: kept.iter().map(|event| event_json(text, &points, event)).collect(),
        entities: entities.iter().map(|entity| entity_json(&points, entity, most)).collect(),
        outcome,
    }
}

/// How many each may have so that all have no more than there is room for: those that have few keep all.
fn fair_share(mut counts: Vec<usize>, mut room: usize) -> usize {
    counts.sort_unstable();
    for (place, count) in counts.iter().enumerate() {
        let share = room / (counts.len() - place);
        if *count > share {
            return share;
        }
        room -= count;
    }
    usize::MAX
}

fn event_json(text: &str, points: &CodePoints, event: &Event) -> Value {
    let actors: Vec<Value> = event
        .actors
        .iter()
        .map(|actor| json!({"ref": plain(&actor.name), "role": actor.role.as_str()}))
        .collect();
    let evidence: Vec<Value> = event
        .evidence
        .iter()
        .map(|bytes| {
            let mut quoted = span_json(points, bytes);
            quoted["quote"] = json!(text.get(bytes.clone()).unwrap_or_default());
            quoted
        })
        .collect();
    json!({
        "category": event.category.as_str(),
        "narrative": plain(&event.narrative),
        "subject": {"type": event.subject.kind.as_str(), "ref": plain(&event.subject.name)},
        "actors": actors,
        "event_time": event.event_time.and_then(|time| time.to_rfc3339()),
        "confidence": event.confidence,
        "evidence": evidence,
    })
}

/// With at most so many mentions, from all over the text.
fn entity_json(points: &CodePoints, entity: &Entity, most: usize) -> Value {
    let count = entity.mentions.len();
    let kept = count.min(most);
    let mentions: Vec<Value> =
        (0..kept).map(|n| span_json(points, &entity.mentions[n * count / kept])).collect();
    json!({"type": entity.kind.as_str(), "name": plain(&entity.name), "mentions": mentions})
}

fn span_json(points: &CodePoints, bytes: &Range<usize>) -> Value {
    let span = points.span(bytes);
    json!({"start_char": span.start, "end_char": span.end})
}

/// The server cannot store a null character, which JSON can say.
fn plain(text: &str) -> String {
    text.replace('\0', "")
}

#[cfg(test)]
mod tests {
    use memento_core::event::{Category, EntityType, LeftOut, Subject, SubjectType};

    use super::*;

    #[test]
    fn events_that_are_left_out_are_counted() {
        let event = |confidence: f64| Event {
            category: Category::Decision,
            narrative: "Tea is drunk.".into(),
            subject: Subject { kind: SubjectType::Object, name: "tea".into() },
            actors: Vec::new(),
            event_time: None,
            confidence,
            evidence: std::iter::once(0..3).collect(),
        };
        let left_out = |events: Vec<Event>| {
            let found = Extraction { events, ..Extraction::default() };
            let found = findings("tea", &found, "rules".into(), json!({}));
            (found.events.as_array().map(Vec::len), found.outcome["events_left_out"].as_u64())
        };
        assert_eq!(left_out(vec![event(0.5)]), (Some(1), None));
        assert_eq!(left_out(vec![event(0.5), event(7.0)]), (Some(1), Some(1)));
        assert_eq!(left_out(vec![event(0.5); MOST_EVENTS + 3]), (Some(MOST_EVENTS), Some(3)));
    }

    /// Those of whom there is little said are not crowded out, and what is kept of the others is from everywhere.
    #[test]
    fn mentions_share_the_room_and_are_counted() {
        let text = "ab ".repeat(MOST_MENTIONS);
        let entity = |name: &str, count: usize| Entity {
            kind: EntityType::Person,
            name: name.into(),
            aliases: Vec::new(),
            mentions: (0..count).map(|n| 3 * n..3 * n + 2).collect(),
        };
        let entities = vec![entity("often", MOST_MENTIONS), entity("too", MOST_MENTIONS), entity("rare", 10)];
        let left_out = LeftOut { quotes: 2, entities: 1 };
        let found = Extraction { entities, left_out, ..Extraction::default() };
        let found = findings(&text, &found, "rules".into(), json!({}));
        let mentions = |place: usize| found.entities[place]["mentions"].as_array().unwrap();
        let share = (MOST_MENTIONS - 10) / 2;
        assert_eq!((mentions(0).len(), mentions(1).len(), mentions(2).len()), (share, share, 10));
        let last = mentions(0).last().unwrap()["start_char"].as_u64().unwrap();
        assert!(last > 3 * (MOST_MENTIONS as u64 - 4), "{last}");
        assert_eq!(
            found.outcome,
            json!({"quotes_left_out": 2, "entities_left_out": 1, "mentions_left_out": 2 * (MOST_MENTIONS - share)})
        );
    }
}

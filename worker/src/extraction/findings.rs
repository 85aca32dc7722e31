//! Events and entities as the database takes them: spans in code points, with the quotes, which it checks again.

use std::ops::Range;

use memento_core::event::{Entity, Event, Extraction};
use memento_core::quote::CodePoints;
use serde_json::{Value, json};

use crate::store::Findings;

/// The most events of a document: more are not what happened, but what a model makes of it.
pub const MOST_EVENTS: usize = 5_000;

/// The most entities of a document, and mentions of each.
const MOST_ENTITIES: usize = 5_000;
const MOST_MENTIONS: usize = 100;

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
    let left_out = found.events.len() - kept.len();
    if left_out > 0 {
        outcome["events_left_out"] = json!(left_out);
    }
    Findings {
        extractor,
        events: kept.iter().map(|event| event_json(text, &points, event)).collect(),
        entities: entities.iter().map(|entity| entity_json(&points, entity)).collect(),
        outcome,
    }
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

fn entity_json(points: &CodePoints, entity: &Entity) -> Value {
    let mentions: Vec<Value> =
        entity.mentions.iter().take(MOST_MENTIONS).map(|bytes| span_json(points, bytes)).collect();
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
    use memento_core::event::{Category, Subject, SubjectType};

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
            let found = Extraction { events, entities: Vec::new() };
            let found = findings("tea", &found, "rules".into(), json!({}));
            (found.events.as_array().map(Vec::len), found.outcome["events_left_out"].as_u64())
        };
        assert_eq!(left_out(vec![event(0.5)]), (Some(1), None));
        assert_eq!(left_out(vec![event(0.5), event(7.0)]), (Some(1), Some(1)));
        assert_eq!(left_out(vec![event(0.5); MOST_EVENTS + 3]), (Some(MOST_EVENTS), Some(3)));
    }
}

//! The forms that a model is held to, as JSON schemas. In the strict form of OpenAI: every property is required, and there are no
//! others.

use memento_core::event::{Category, EntityType, Role, SubjectType};
use serde_json::{Value, json};

use crate::provider::Format;

/// Events and entities of a passage.
pub fn extraction() -> Format {
    let entity = object(&[("name", text()), ("type", one_of(EntityType::WORDS)), ("aliases", list(text()))]);
    let evidence = object(&[("quote", text())]);
    let event = event(&[("evidence", evidence)]);
    hinted("event_extraction", object(&[("entities", list(entity)), ("events", list(event))]))
}

/// One list of the events of a document, each with the numbers of those that it is made of.
pub fn canonical() -> Format {
    let event = event(&[("sources", list(json!({"type": "integer"})))]);
    hinted("canonical_events", object(&[("canonical_events", list(event))]))
}

fn event(more: &[(&str, Value)]) -> Value {
    let actor = object(&[("ref", text()), ("role", one_of(Role::WORDS))]);
    let mut fields = vec![
        ("category", one_of(Category::WORDS)),
        ("subject", object(&[("type", one_of(SubjectType::WORDS)), ("ref", text())])),
        ("actors", list(actor)),
        ("event_time", json!({"type": ["string", "null"]})),
        ("narrative", text()),
        ("confidence", json!({"type": "number"})),
    ];
    fields.extend(more.iter().cloned());
    object(&fields)
}

fn hinted(name: &str, schema: Value) -> Format {
    Format::Hinted { name: name.into(), schema }
}

fn object(fields: &[(&str, Value)]) -> Value {
    let names: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
    let properties: serde_json::Map<String, Value> =
        fields.iter().map(|(name, form)| ((*name).to_owned(), form.clone())).collect();
    json!({"type": "object", "properties": properties, "required": names, "additionalProperties": false})
}

fn list(items: Value) -> Value {
    json!({"type": "array", "items": items})
}

fn text() -> Value {
    json!({"type": "string"})
}

fn one_of(words: &[&str]) -> Value {
    json!({"type": "string", "enum": words})
}

//! Evidence that the rules find events and nothing else: labelled sentences, the scenarios of the specification, and what
//! holds for any text.

#![allow(clippy::unwrap_used)] // Also in functions that only tests call.

mod labelled;
mod property;
mod scenario;
mod snapshot;

use memento_core::event::rules::{Context, extract};
use memento_core::event::{Category, Event};
use memento_core::query::Date;

/// The events of a text of Wednesday, 11 March 2026.
fn events(text: &str) -> Vec<Event> {
    extract(text, &Context { document_date: Date::try_new(2026, 3, 11), ..Context::default() }).events
}

fn categories(text: &str) -> Vec<Category> {
    events(text).iter().map(|event| event.category).collect()
}

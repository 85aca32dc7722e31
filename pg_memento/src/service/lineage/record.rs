//! Operations that record themselves as events, where the session asks for it.

use memento_core::access::AccessLevel;
use pgrx::Uuid;
use serde_json::{Value, json};

use super::new_event_id;
use crate::service::access::{AccessError, as_owner, authorize_current};
use crate::spi::lineage::NewEvent;
use crate::{ffi, gucs, spi};

/// How much is kept of a parent that is no event.
const SHOWN_CHARS: usize = 80;

/// The items of what was found, as an event names them: each once, best first.
pub fn found_items(items: impl Iterator<Item = Uuid>) -> Vec<String> {
    let mut named: Vec<String> = Vec::new();
    for item in items.map(|item| item.to_string()) {
        if !named.contains(&item) {
            named.push(item);
        }
    }
    named
}

/// Records an operation in the session's project, if memento.record_events is on, with memento.parent_event as its parent.
/// `data` has to be an object. What cannot be recorded must not stop the operation: nothing happens where the transaction
/// cannot write or the caller may not, and a parent that is not there is named in the data.
pub fn record(event_type: &str, data: impl FnOnce() -> Value) -> Result<(), AccessError> {
    if !gucs::record_events() || !ffi::server::can_write() {
        return Ok(());
    }
    let project = match authorize_current(AccessLevel::Write) {
        Ok(project) => project,
        Err(AccessError::TooWeak { .. }) => return Ok(()),
        Err(error) => return Err(error),
    };
    let mut data = data();
    let given = gucs::parent_event();
    let parent = given.as_deref().and_then(|text| uuid::Uuid::try_parse(text).ok());
    let parent = parent.map(|id| Uuid::from_bytes(*id.as_bytes()));
    as_owner(|| {
        let known = match parent {
            Some(parent) => spi::lineage::locate(project, parent)?,
            None => None,
        };
        if let (Some(given), None) = (given, &known) {
            data["parent_missing"] = json!(given.chars().take(SHOWN_CHARS).collect::<String>());
        }
        let event = NewEvent {
            event_type,
            data: data.into(),
            parent: parent.filter(|_| known.is_some()),
            session: known.and_then(|place| place.session),
            id: new_event_id(),
            happened_at: None,
        };
        spi::lineage::insert(project, event)
    })?;
    Ok(())
}

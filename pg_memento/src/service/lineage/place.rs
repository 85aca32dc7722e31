//! Where a new event belongs.

use pgrx::{PgTrigger, Uuid};

use super::LineageError;
use crate::ffi::new_row::Placed;
use crate::service::access::as_owner;
use crate::spi::event_place::{self, Arriving, Parent, Place};

/// The row of an event that is about to be inserted, with its root and depth.
pub fn place(trigger: &PgTrigger) -> Result<Placed<'static>, LineageError> {
    event_place::placed(trigger, |table, arriving| {
        let Arriving { project, event, parent: Some(parent) } = *arriving else {
            return Ok(Place { root: arriving.event, depth: 0 });
        };
        let above = match event_place::hold_parent(table, project, parent) {
            Parent::Held(above) => Some(above),
            Parent::Waiting => None,
            Parent::Unknown => as_owner(|| event_place::lock_parent(project, parent))?,
        };
        match above {
            Some(above) => Ok(Place { root: above.root, depth: above.depth + 1 }),
            None if parent == event => Err(LineageError::OwnParent(event)),
            None => Ok(waiting(event)),
        }
    })
}

/// Its parent may come later in the same statement: marked as no event that is in its place can be, for _settle_events().
fn waiting(event: Uuid) -> Place {
    Place { root: event, depth: 1 }
}

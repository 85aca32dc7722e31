//! Searches of what mentions somebody or something: where it is mentioned is looked up once, so that lanes begin there.

use memento_core::filter::Filter;
use pgrx::Uuid;

use crate::spi::search::Scope;
use crate::spi::{self, StatementResult};

/// What is mentioned more often leaves much to search, and lanes find it there.
const MANY: i64 = 10_000;

/// The filter with entities by their keys, and with the items that mention them if those are few; none if it names no entity.
pub fn looked_up(scope: &Scope) -> StatementResult<Option<Filter>> {
    let Some(names) = &scope.filter.entities else { return Ok(None) };
    let entities = spi::search::entities(scope.project, names)?;
    let mut filter = scope.filter.clone();
    if let Some(items) = spi::search::items_mentioning(scope.project, &entities, MANY)? {
        let mut items: Vec<uuid::Uuid> = items.iter().map(of_core).collect();
        if let Some(wanted) = &filter.item_ids {
            items.retain(|item| wanted.contains(item));
        }
        items.sort_unstable();
        filter.item_ids = Some(items);
    }
    filter.entities = Some(entities);
    Ok(Some(filter))
}

fn of_core(item: &Uuid) -> uuid::Uuid {
    uuid::Uuid::from_bytes(*item.as_bytes())
}

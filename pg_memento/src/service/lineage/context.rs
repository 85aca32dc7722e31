//! What an agent needs to go on from an event.

use std::collections::HashMap;

use memento_core::access::AccessLevel;
use memento_core::lineage::{Budget, Named};
use memento_core::token;
use pgrx::Uuid;
use serde_json::json;

use super::{LineageError, MAX_BUDGET, Place, located};
use crate::ffi::jsonb::Jsonb;
use crate::service::access::{as_owner, authorize_current};
use crate::spi;
use crate::spi::StatementResult;

/// How far up a context looks. More would not fit in any budget that a model has.
const MAX_STEPS: i32 = 10_000;

/// What is read for each token of the budget: hardly any text has fewer tokens than that.
const BYTES_PER_TOKEN: i64 = 32;

/// The event and what led to it, nearest first, as far as the budget goes, then the memories that those name, then the packs.
pub fn resume_context(event: Uuid, budget: i32) -> Result<Jsonb, LineageError> {
    let Some(tokens) = usize::try_from(budget).ok().filter(|_| (1..=MAX_BUDGET).contains(&budget)) else {
        return Err(LineageError::BadLimit { argument: "token_budget", limit: MAX_BUDGET, given: budget });
    };
    let project = authorize_current(AccessLevel::Read)?;
    let Place { root, depth, .. } = located(project, event)?;
    let bytes = i64::from(budget) * BYTES_PER_TOKEN;
    let chain = spi::event_walk::chain_ids(project, event, MAX_STEPS);
    let chain = as_owner(|| spi::lineage::context_events(project, chain, bytes))?;
    let mut left = Budget::new(tokens);
    let mut events: Vec<Jsonb> = chain.into_iter().flatten().collect();
    events.retain(|event| left.take(token::count(event.as_str())));
    let mut named = Named::default();
    // Deeper than JSON can be here names nothing.
    events.iter().filter_map(|event| event.parse().ok()).for_each(|event| named.add(&event));
    let memories = fitting(&named.items, &mut left, |ids| spi::lineage::named_items(project, ids))?;
    let packs = fitting(&named.packs, &mut left, |ids| spi::lineage::named_packs(project, ids))?;
    // Somebody may have moved the event between the two statements.
    let events_left_out = (usize::try_from(depth).unwrap_or(0) + 1).saturating_sub(events.len());
    let left_out = json!({"events": events_left_out, "memories": memories.left_out, "packs": packs.left_out});
    let texts =
        |ids: &[uuid::Uuid]| Jsonb::from(json!(ids.iter().map(ToString::to_string).collect::<Vec<_>>()));
    Ok(Jsonb::object(&[
        ("event_id", json!(event.to_string()).into()),
        ("root_uuid", json!(root.to_string()).into()),
        ("depth", json!(depth).into()),
        ("token_budget", json!(budget).into()),
        ("tokens", json!(tokens - left.left()).into()),
        ("events", Jsonb::array(&events)),
        ("memories", Jsonb::array(&memories.shown)),
        ("missing_memories", texts(&memories.missing)),
        ("packs", texts(&named.packs)),
        ("evidence", Jsonb::array(&packs.shown)),
        ("missing_packs", texts(&packs.missing)),
        ("left_out", left_out.into()),
    ]))
}

/// The memories that the data of an event names.
pub fn named_items(data: &Jsonb) -> Vec<Uuid> {
    let mut named = Named::default();
    // Deeper than JSON can be here names nothing.
    if let Ok(data) = data.parse() {
        named.add(&data);
    }
    named.items.iter().map(|id| Uuid::from_bytes(*id.as_bytes())).collect()
}

/// What events name, as a context shows it.
struct Fitting {
    /// What fits in the budget, in the order in which it is named.
    shown: Vec<Jsonb>,
    /// How much does not fit.
    left_out: usize,
    /// What is not there any more.
    missing: Vec<uuid::Uuid>,
}

/// What fits of what is named; `known` gives what there is of it.
fn fitting(
    named: &[uuid::Uuid],
    left: &mut Budget,
    known: impl FnOnce(Vec<Uuid>) -> StatementResult<Vec<(Uuid, Jsonb)>>,
) -> Result<Fitting, LineageError> {
    let ids = named.iter().map(|id| Uuid::from_bytes(*id.as_bytes())).collect();
    let mut known: HashMap<[u8; 16], Jsonb> =
        as_owner(|| known(ids))?.into_iter().map(|(id, shown)| (*id.as_bytes(), shown)).collect();
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    for id in named {
        match known.remove(id.as_bytes()) {
            Some(shown) => found.push(shown),
            None => missing.push(*id),
        }
    }
    let count = found.len();
    found.retain(|shown| left.take(token::count(shown.as_str())));
    Ok(Fitting { left_out: count - found.len(), shown: found, missing })
}

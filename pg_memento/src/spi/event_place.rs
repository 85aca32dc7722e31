//! Where a new event belongs: its root and depth, from its parent. This runs for every event that is inserted.

use pgrx::{PgTrigger, Uuid};

use super::{StatementResult, kept_write, required};
use crate::ffi::index_scan::{Condition, Order, Scan, Table, Visible};
use crate::ffi::new_row::{NewRow, Placed};

/// Root and depth of an event.
#[derive(Clone, Copy)]
pub struct Place {
    pub root: Uuid,
    pub depth: i32,
}

/// What is known of a parent without a statement.
pub enum Parent {
    /// It stays there until the transaction ends: it is of this transaction, so that nobody else sees it, or it was locked.
    Held(Place),
    /// One of this transaction that is itself waiting for its parent.
    Waiting,
    /// It is not there, or cannot be locked at once.
    Unknown,
}

/// An event that is about to be inserted.
pub struct Arriving {
    pub project: Uuid,
    pub event: Uuid,
    pub parent: Option<Uuid>,
}

/// The row of a trigger with the root and depth that `place` finds for it.
pub fn placed<E>(
    trigger: &PgTrigger,
    place: impl FnOnce(&Table, &Arriving) -> Result<Place, E>,
) -> Result<Placed<'static>, E> {
    let table = Table::open(c"memento", c"event_store");
    let row = NewRow::of(trigger, &table);
    let (project, event) = (table.column(c"project_id"), table.column(c"event_id"));
    let (root, depth, parent_depth) =
        (table.column(c"root_uuid"), table.column::<i32>(c"depth"), table.column::<i32>(c"parent_depth"));
    let (Some(project), Some(event)) = (row.get::<Uuid>(&project), row.get::<Uuid>(&event)) else {
        // The server refuses it: neither can be null.
        return Ok(row.with([]));
    };
    let arriving = Arriving { project, event, parent: row.get(&table.column(c"parent_uuid")) };
    let found = place(&table, &arriving)?;
    let above = arriving.parent.map(|_| found.depth - 1);
    Ok(row.with([
        row.value(&root, Some(found.root)),
        row.value(&depth, Some(found.depth)),
        row.value(&parent_depth, above),
    ]))
}

/// Looks for a parent by hand. One that this transaction has inserted, as most are in a bulk load, needs no lock.
pub fn hold_parent(table: &Table, project: Uuid, parent: Uuid) -> Parent {
    let mut scan = Scan::open(table, c"event_store_pkey", 2, Visible::ToTransactionNow);
    scan.seek(&[Condition::Is(project), Condition::Is(parent)], Order::Rising);
    if !scan.next_row() || !(scan.is_own_row() || scan.lock_key()) {
        return Parent::Unknown;
    }
    let root = scan.required(&table.column::<Uuid>(c"root_uuid"));
    let is_child = scan.get(&table.column::<Uuid>(c"parent_uuid")).is_some();
    if is_child && root == parent {
        return Parent::Waiting;
    }
    Parent::Held(Place { root, depth: scan.required(&table.column(c"depth")) })
}

/// Where a parent is, which stays there until this transaction ends. None if there is none, or if it is waiting itself.
pub fn lock_parent(project: Uuid, parent: Uuid) -> StatementResult<Option<Place>> {
    let found =
        kept_write(include_str!("queries/lock_parent.sql"), &[project.into(), parent.into()], |row| {
            Ok(Place { root: required(&row, 1)?, depth: required(&row, 2)? })
        })?;
    Ok(found.into_iter().next())
}

//! Walks from event to event, straight over the indexes of event_store. A statement with a recursive step, which was here before,
//! took one and a half times as long for a chain of a hundred, and its plan depended on what the table was like when it was made.

use pgrx::Uuid;
use pgrx::prelude::*;

use crate::ffi::index_scan::{Column, Condition, Order, Scan, Table, Visible};
use crate::ffi::relayed::Rows;
use crate::ffi::shaped::{Given, Part, Row, Shape};

/// How many entries of other branches are passed over on the way up, and how many more for each step that was found: less work
/// than a look-up, where a tree is narrow.
const PATIENCE: usize = 64;
const PATIENCE_PER_STEP: usize = 8;

/// The columns that a walk looks at.
struct Events {
    id: Column<Uuid>,
    parent: Column<Uuid>,
    root: Column<Uuid>,
    depth: Column<i32>,
    number: Column<i64>,
    time: Column<TimestampWithTimeZone>,
}

fn open() -> (Table, Events) {
    let table = Table::open(c"memento", c"event_store");
    let events = Events {
        id: table.column(c"event_id"),
        parent: table.column(c"parent_uuid"),
        root: table.column(c"root_uuid"),
        depth: table.column(c"depth"),
        number: table.column(c"sequence_num"),
        time: table.column(c"timestamp"),
    };
    (table, events)
}

/// By project and id.
fn by_id(table: &Table) -> Scan<'_> {
    Scan::open(table, c"event_store_pkey", 2, Visible::ToStatement)
}

fn find(by_id: &mut Scan, project: Uuid, event: Uuid) -> bool {
    by_id.seek(&[Condition::Is(project), Condition::Is(event)], Order::Rising);
    by_id.next_row()
}

/// What led to an event, root first; depth counts up from it, and the last column says whether there is more. None if there is
/// no such event.
pub fn chain(project: Uuid, of: Uuid, max_steps: i32) -> Rows {
    const PARTS: [Part; 6] = [
        Part::Column(c"event_id"),
        Part::Column(c"event_type"),
        Part::Column(c"timestamp"),
        Part::Column(c"event_data"),
        Part::Number,
        Part::Flag,
    ];
    let (table, events) = open();
    let shape = Shape::new(&table, &PARTS);
    let mut rows = Vec::new();
    let mut is_truncated = false;
    climb(&table, &events, project, of, max_steps, |scan, steps| {
        if steps == 0 {
            is_truncated = scan.required(&events.depth) > max_steps;
        }
        rows.push(shape.row(scan, &[Given::Number(steps), Given::Flag(is_truncated)]));
    });
    shape.rows(rows.into_iter().rev())
}

/// An event and what led to it, nearest first.
pub fn chain_ids(project: Uuid, of: Uuid, max_steps: i32) -> Vec<Uuid> {
    let (table, events) = open();
    let mut ids = Vec::new();
    climb(&table, &events, project, of, max_steps, |scan, _| ids.push(scan.required(&events.id)));
    ids
}

/// Hands over the row of an event and those of what led to it, with the number of steps.
fn climb(
    table: &Table,
    events: &Events,
    project: Uuid,
    of: Uuid,
    max_steps: i32,
    mut visit: impl FnMut(&Scan, i32),
) {
    let mut by_id = by_id(table);
    if !find(&mut by_id, project, of) {
        return;
    }
    visit(&by_id, 0);
    let mut steps = 0;
    let mut parent = by_id.get(&events.parent);
    if parent.is_some() && max_steps > 0 {
        let (root, depth) = (by_id.required(&events.root), by_id.required(&events.depth));
        let mut tree = Scan::open(table, c"event_store_root_uuid_key", 3, Visible::ToStatement);
        tree.seek(
            &[Condition::Is(project), Condition::Is(root), Condition::AtMost(depth - 1)],
            Order::Falling,
        );
        let mut patience = PATIENCE;
        while let Some(wanted) = parent
            && steps < max_steps
            && find_above(&mut tree, depth - 1 - steps, wanted, &mut patience)
        {
            steps += 1;
            patience += PATIENCE_PER_STEP;
            visit(&tree, steps);
            parent = tree.get(&events.parent);
        }
    }
    // What is left where a tree is wide.
    while let Some(wanted) = parent
        && steps < max_steps
        && find(&mut by_id, project, wanted)
    {
        steps += 1;
        visit(&by_id, steps);
        parent = by_id.get(&events.parent);
    }
}

/// Goes on in the index of trees, from the deepest upwards, to an event at that depth. Where the tree is a chain, it is the next
/// entry. False where it is not found with patience.
fn find_above(tree: &mut Scan, depth: i32, wanted: Uuid, patience: &mut usize) -> bool {
    while tree.next_entry() {
        let (found_depth, found) = tree.entry();
        if found_depth < depth {
            return false;
        } else if found_depth == depth && found == wanted && tree.fetch() {
            return true;
        } else if *patience == 0 {
            return false;
        }
        *patience -= 1;
    }
    false
}

/// What came of an event, level by level, with the parent of each; depth counts down from it, and the last column says whether
/// there is more. None if there is no such event.
pub fn tree(project: Uuid, of: Uuid, max_depth: i32, max_events: i32) -> Rows {
    const PARTS: [Part; 7] = [
        Part::Column(c"event_id"),
        Part::Column(c"event_type"),
        Part::Column(c"timestamp"),
        Part::Column(c"event_data"),
        Part::Number,
        Part::Column(c"parent_uuid"),
        Part::Flag,
    ];
    let (table, events) = open();
    let mut by_id = by_id(&table);
    let mut gathered = Gathered {
        shape: Shape::new(&table, &PARTS),
        events: &events,
        most: max_events as usize,
        seen: 0,
        rows: Vec::new(),
    };
    let is_cut = if !find(&mut by_id, project, of) {
        false
    } else if by_id.required(&events.depth) == 0 {
        gather_whole(&table, project, of, max_depth, &mut gathered)
    } else {
        gathered.add(&by_id, 0);
        gather_below(&table, project, of, max_depth, &mut gathered)
    };
    gathered.into_rows(is_cut)
}

/// A whole tree stands together in an index, level by level. Whether there is more below.
fn gather_whole(table: &Table, project: Uuid, root: Uuid, max_depth: i32, gathered: &mut Gathered) -> bool {
    let mut tree = Scan::open(table, c"event_store_root_uuid_key", 2, Visible::ToStatement);
    tree.seek(&[Condition::Is(project), Condition::Is(root)], Order::Rising);
    let mut level = 0;
    while tree.next_row() {
        let depth = tree.required(&gathered.events.depth);
        if depth > max_depth || (depth > level && gathered.is_full()) {
            return true;
        }
        level = depth;
        gathered.add(&tree, depth);
    }
    false
}

/// What is below an event, by the children of each. Whether there is more below.
fn gather_below(table: &Table, project: Uuid, of: Uuid, max_depth: i32, gathered: &mut Gathered) -> bool {
    let mut children = Scan::open(table, c"event_store_parent_uuid_idx", 2, Visible::ToStatement);
    let mut level = vec![of];
    for depth in 1..=max_depth {
        let mut next = Vec::new();
        for parent in level {
            children.seek(&[Condition::Is(project), Condition::Is(parent)], Order::Rising);
            while children.next_row() {
                next.push(children.required(&gathered.events.id));
                gathered.add(&children, depth);
            }
        }
        level = next;
        if level.is_empty() || gathered.is_full() {
            break;
        }
    }
    level.into_iter().any(|parent| {
        children.seek(&[Condition::Is(project), Condition::Is(parent)], Order::Rising);
        children.next_row()
    })
}

/// What a row of a tree is ordered by: level, time, number, id.
type TreeOrder = (i32, TimestampWithTimeZone, i64, [u8; 16]);

/// Rows of a tree, each with what it is ordered by.
struct Gathered<'a> {
    shape: Shape,
    events: &'a Events,
    most: usize,
    seen: usize,
    rows: Vec<(TreeOrder, Row)>,
}

impl Gathered<'_> {
    /// The row that the scan has read last. Of many more than are wanted, the last ones are let go.
    fn add(&mut self, scan: &Scan, depth: i32) {
        let id = scan.required(&self.events.id);
        let key =
            (depth, scan.required(&self.events.time), scan.required(&self.events.number), *id.as_bytes());
        self.rows.push((key, self.shape.row(scan, &[Given::Number(depth), Given::Flag(false)])));
        self.seen += 1;
        if self.rows.len() > 2 * self.most + PATIENCE {
            self.prune();
        }
    }

    /// Whether there are more than are wanted.
    fn is_full(&self) -> bool {
        self.seen > self.most
    }

    /// In order, and no more than are wanted.
    fn prune(&mut self) {
        self.rows.sort_unstable_by_key(|(order, _)| *order);
        let beyond = self.rows.len().min(self.most);
        self.rows.drain(beyond..).for_each(|(_, row)| row.free());
    }

    fn into_rows(mut self, is_cut: bool) -> Rows {
        self.prune();
        let is_truncated = is_cut || self.is_full();
        let shape = &self.shape;
        shape.rows(
            self.rows
                .into_iter()
                .map(|(_, row)| if is_truncated { shape.with_last(&row, Given::Flag(true)) } else { row }),
        )
    }
}

//! Events of another table brought in, as roots.

use memento_core::access::AccessLevel;
use pgrx::Uuid;
use pgrx::pg_sys::Oid;
use serde_json::{Value, json};

use super::LineageError;
use crate::ffi::jsonb::Jsonb;
use crate::service::access::{as_owner, authorize_current};
use crate::spi::lineage::{ADOPTED, Column};
use crate::{ffi, spi};

/// How many rows are in memory at once.
const BATCH: i32 = 5000;

/// Copies rows of a table that are not there yet, in the order of their key. The table is read with the privileges of the
/// caller; what is written is checked by the caller's access to the project.
pub fn adopt(
    table: Oid,
    mapping: &Jsonb,
    max_rows: Option<i32>,
    after: Option<String>,
) -> Result<Jsonb, LineageError> {
    if let Some(given) = max_rows.filter(|given| *given < 1) {
        return Err(LineageError::BadLimit { argument: "max_rows", limit: i32::MAX, given });
    }
    let project = authorize_current(AccessLevel::Write)?;
    let columns = spi::lineage::columns(table)?;
    let mapped = mapped(&columns, mapping)?;
    let (mut after, mut left) = (after, max_rows.unwrap_or(i32::MAX));
    let (mut read, mut adopted) = (0, 0);
    loop {
        ffi::server::check_for_interrupts();
        let limit = BATCH.min(left);
        let rows = spi::lineage::read_foreign(table, &mapped, after.as_deref(), limit)?;
        let count = i32::try_from(rows[0].len()).unwrap_or(i32::MAX);
        after = rows[0].last().cloned().flatten();
        read += usize::try_from(count).unwrap_or(0);
        adopted += store(project, rows)?;
        left = if max_rows.is_some() { left - count } else { left };
        if count < limit || left == 0 {
            let next = after.filter(|_| count == limit);
            return Ok(json!({"read": read, "adopted": adopted, "next_after": next}).into());
        }
    }
}

fn store(project: Uuid, rows: spi::lineage::Columns) -> Result<usize, LineageError> {
    if rows[0].is_empty() { Ok(0) } else { Ok(as_owner(|| spi::lineage::adopt(project, rows))?) }
}

/// The table's column for each of ours: the one that the mapping names, or else the one of the same name, if there is one.
fn mapped<'a>(
    columns: &'a [Column],
    mapping: &Jsonb,
) -> Result<[Option<&'a Column>; ADOPTED.len()], LineageError> {
    let Ok(Value::Object(mapping)) = mapping.parse() else { return Err(LineageError::BadMapping) };
    let unknown: Vec<String> = mapping
        .keys()
        .filter(|key| !ADOPTED.contains(&key.as_str()))
        .map(|key| key.chars().take(80).collect())
        .collect();
    if !unknown.is_empty() {
        return Err(LineageError::UnknownKeys(unknown));
    }
    let column = |name: &str| columns.iter().find(|column| column.name == name);
    let missing = |name: &str| LineageError::NoColumn(name.chars().take(80).collect());
    let mut mapped = [None; ADOPTED.len()];
    for (place, ours) in mapped.iter_mut().zip(ADOPTED) {
        *place = match mapping.get(ours) {
            None => column(ours),
            Some(Value::String(theirs)) => Some(column(theirs).ok_or_else(|| missing(theirs))?),
            Some(_) => return Err(LineageError::BadMapping),
        };
    }
    if mapped[0].is_none() { Err(missing(ADOPTED[0])) } else { Ok(mapped) }
}

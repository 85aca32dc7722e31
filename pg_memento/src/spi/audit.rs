//! What may be wrong with the memories of a project.

use pgrx::Uuid;

use super::{StatementResult, required, rows};
use crate::ffi::jsonb::Jsonb;

/// Something that may be wrong.
pub struct Finding {
    pub problem: String,
    /// How often the problem was found in all.
    pub count: i64,
    pub detail: Option<Jsonb>,
}

/// What the tables say about a project: some findings of each problem, and how many items are known to be `recalled`.
pub fn findings(project: Uuid, most: i32, oversized_bytes: i32) -> StatementResult<Vec<Finding>> {
    rows(
        include_str!("queries/audit_findings.sql"),
        &[project.into(), most.into(), oversized_bytes.into()],
        |row| Ok(Finding { problem: required(&row, 1)?, count: required(&row, 2)?, detail: row.get(3)? }),
    )
}

/// The latest content of an item.
pub struct Latest {
    pub item: Uuid,
    /// In microseconds since 1970, to go on after.
    pub created_at: i64,
    pub title: Option<String>,
    pub hash: Vec<u8>,
    pub content: String,
}

/// Contents of active items, newest first, without what is longer than a limit; after the item that was made then and has this
/// key.
pub fn contents(
    project: Uuid,
    after: Option<(i64, Uuid)>,
    batch: i32,
    longest: i32,
) -> StatementResult<Vec<Latest>> {
    let (created_at, item) = after.unzip();
    rows(
        include_str!("queries/audit_contents.sql"),
        &[project.into(), created_at.into(), item.into(), batch.into(), longest.into()],
        |row| {
            Ok(Latest {
                item: required(&row, 1)?,
                created_at: required(&row, 2)?,
                title: row.get(3)?,
                hash: required(&row, 4)?,
                content: required(&row, 5)?,
            })
        },
    )
}

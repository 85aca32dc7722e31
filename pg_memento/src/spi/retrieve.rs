//! Evidence packs, and the text around evidence.

use pgrx::Uuid;
use pgrx::pg_sys::Oid;
use pgrx::prelude::*;

use super::{StatementResult, required, rows, write_one};
use crate::ffi::jsonb::Jsonb;

/// A pack to be kept.
pub struct NewPack<'a> {
    pub caller: Oid,
    pub query: &'a str,
    pub settings: Jsonb,
    pub lanes: Jsonb,
    pub evidence: Jsonb,
    pub item_ids: Vec<Uuid>,
    pub as_of: Option<TimestampWithTimeZone>,
}

/// A pack that was kept.
pub struct StoredPack {
    pub settings: Jsonb,
    pub lanes: Jsonb,
    pub evidence: Jsonb,
}

/// Keeps a pack and gives its key.
pub fn insert_pack(project: Uuid, pack: NewPack) -> StatementResult<Uuid> {
    write_one(
        include_str!("queries/insert_pack.sql"),
        &[
            project.into(),
            pack.caller.into(),
            pack.query.into(),
            pack.settings.into(),
            pack.lanes.into(),
            pack.evidence.into(),
            pack.item_ids.into(),
            pack.as_of.into(),
        ],
    )
}

/// A pack by its key.
pub fn pack(project: Uuid, pack_id: Uuid) -> StatementResult<Option<StoredPack>> {
    let found = rows(
        "select p.settings, p.lanes, p.evidence from memento.evidence_pack p where p.project_id = $1 and p.pack_id = $2",
        &[project.into(), pack_id.into()],
        |row| {
            Ok(StoredPack {
                settings: required(&row, 1)?,
                lanes: required(&row, 2)?,
                evidence: required(&row, 3)?,
            })
        },
    )?;
    Ok(found.into_iter().next())
}

/// A chunk with the text around it.
pub fn surroundings(
    project: Uuid,
    chunk: i64,
    max_chars: i32,
    evidence_id: &str,
) -> StatementResult<Option<Jsonb>> {
    let found = rows(
        include_str!("queries/surroundings.sql"),
        &[project.into(), chunk.into(), max_chars.into(), evidence_id.into()],
        |row| required(&row, 1),
    )?;
    Ok(found.into_iter().next())
}

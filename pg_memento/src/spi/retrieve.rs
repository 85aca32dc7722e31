//! Evidence packs, and the text around evidence.

use pgrx::Uuid;
use pgrx::pg_sys::Oid;
use pgrx::prelude::*;

use super::{StatementResult, kept_rows, required, rows, write_one};
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
    /// What was shown: its digest is kept.
    pub shown: Jsonb,
}

/// A pack that was kept.
pub struct StoredPack {
    pub query: String,
    pub created_at: TimestampWithTimeZone,
    pub as_of: Option<TimestampWithTimeZone>,
    pub settings: Jsonb,
    pub lanes: Jsonb,
    pub evidence: Jsonb,
    /// The notes on how it was looked for, as they were given.
    pub retrieval: Jsonb,
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
            pack.shown.into(),
        ],
    )
}

/// A pack by its key.
pub fn pack(project: Uuid, pack_id: Uuid) -> StatementResult<Option<StoredPack>> {
    let found = rows(include_str!("queries/pack.sql"), &[project.into(), pack_id.into()], |row| {
        Ok(StoredPack {
            query: required(&row, 1)?,
            created_at: required(&row, 2)?,
            as_of: row.get(3)?,
            settings: required(&row, 4)?,
            lanes: required(&row, 5)?,
            evidence: required(&row, 6)?,
            retrieval: required(&row, 7)?,
        })
    })?;
    Ok(found.into_iter().next())
}

/// Whether a pack has shown just this.
pub fn has_shown(project: Uuid, pack_id: Uuid, shown: Jsonb) -> StatementResult<bool> {
    let found = rows(
        include_str!("queries/pack_has_shown.sql"),
        &[project.into(), pack_id.into(), shown.into()],
        |row| required(&row, 1),
    )?;
    Ok(found.into_iter().next().unwrap_or(false))
}

/// What has become of evidence, in its order.
pub struct Fate {
    pub evidence_id: String,
    pub item_id: Uuid,
    pub version_num: i32,
    /// None if nothing has happened to it.
    pub change: Option<String>,
    pub latest_version_num: Option<i32>,
    /// Whether its version was not there at a time.
    pub is_newer: bool,
}

/// What has become of evidence, as packs keep it, since a time.
pub fn fates(
    project: Uuid,
    evidence: Jsonb,
    as_of: Option<TimestampWithTimeZone>,
    since: TimestampWithTimeZone,
) -> StatementResult<Vec<Fate>> {
    let arguments = [project.into(), evidence.into(), as_of.into(), since.into()];
    rows(include_str!("queries/fates.sql"), &arguments, |row| {
        Ok(Fate {
            evidence_id: required(&row, 1)?,
            item_id: required(&row, 2)?,
            version_num: required(&row, 3)?,
            change: row.get(4)?,
            latest_version_num: row.get(5)?,
            is_newer: required(&row, 6)?,
        })
    })
}

/// The conversations that items are, or were made from. An item that is neither has none.
pub fn calls(project: Uuid, items: Vec<Uuid>) -> StatementResult<Vec<(Uuid, Uuid)>> {
    kept_rows(include_str!("queries/calls.sql"), &[project.into(), items.into()], |row| {
        Ok((required(&row, 1)?, required(&row, 2)?))
    })
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

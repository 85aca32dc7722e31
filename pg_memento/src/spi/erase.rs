//! Erasing: what is erased, with all that belongs to it, and what is left of it.

use pgrx::Uuid;
use pgrx::pg_sys::Oid;
use pgrx::prelude::*;
use serde_json::json;

use super::{StatementResult, required, rows, write, write_one};
use crate::ffi::jsonb::Jsonb;

/// What is to be erased: one of these.
#[derive(Default)]
pub struct Doomed<'a> {
    pub item: Option<Uuid>,
    pub source_system: Option<&'a str>,
    pub source_id: Option<&'a str>,
    pub whole_source: bool,
    /// A person: the author of items, or one who took part.
    pub subject: Option<&'a str>,
    pub conversation: Option<&'a str>,
    pub whole_project: bool,
}

/// Why it is erased.
#[derive(Clone, Copy)]
pub enum Reason {
    Forget,
    Retention,
}

impl Reason {
    fn as_str(self) -> &'static str {
        match self {
            Self::Forget => "forget",
            Self::Retention => "retention",
        }
    }
}

/// Erases items and turns of conversations with all that belongs to them, and keeps a receipt; none if there was nothing.
pub fn forget(project: Uuid, doomed: &Doomed, by: Oid) -> StatementResult<Option<Jsonb>> {
    let items: Vec<Uuid> = write(
        include_str!("queries/lock_doomed.sql"),
        &[
            project.into(),
            doomed.item.into(),
            doomed.source_system.into(),
            doomed.source_id.into(),
            doomed.whole_project.into(),
            doomed.whole_source.into(),
            doomed.subject.into(),
        ],
        |row| required(&row, 1),
    )?;
    let beside = if doomed.whole_project {
        forget_project(project)?
    } else if doomed.conversation.is_some() {
        forget_turns(project, doomed.conversation)?
    } else {
        Beside::default()
    };
    if items.is_empty() && beside.is_nothing() {
        return Ok(None);
    }
    erase(project, items, beside, by, Reason::Forget).map(Some)
}

/// What was erased beside items.
#[derive(Default)]
struct Beside {
    turns: i64,
    conversations: Vec<String>,
    events: i64,
    packs: i64,
    eval_sets: i64,
    is_whole_project: bool,
}

impl Beside {
    fn is_nothing(&self) -> bool {
        self.turns + self.events + self.packs + self.eval_sets == 0
    }

    /// Rows by table.
    fn counts(&self) -> Jsonb {
        json!({
            "history_turn": self.turns, "event_store": self.events,
            "evidence_pack": self.packs, "eval_set": self.eval_sets,
        })
        .into()
    }
}

/// All that was said in a project beside its items. Its settings stay: who may, terms, prompts, limits.
fn forget_project(project: Uuid) -> StatementResult<Beside> {
    let turns = forget_turns(project, None)?;
    let words = write(include_str!("queries/forget_words.sql"), &[project.into()], |row| {
        Ok((required(&row, 1)?, required(&row, 2)?))
    })?;
    let (packs, eval_sets) = words.into_iter().next().unwrap_or_default();
    let events = write_one(include_str!("queries/forget_events.sql"), &[project.into()])?;
    Ok(Beside { events, packs, eval_sets, is_whole_project: true, ..turns })
}

fn forget_turns(project: Uuid, conversation: Option<&str>) -> StatementResult<Beside> {
    let gone =
        write(include_str!("queries/forget_turns.sql"), &[project.into(), conversation.into()], |row| {
            Ok(Beside { turns: required(&row, 1)?, conversations: required(&row, 2)?, ..Beside::default() })
        })?;
    Ok(gone.into_iter().next().unwrap_or_default())
}

/// Erases items, which are locked. A statement of its own: it sees what was written to them before they were.
fn erase(project: Uuid, items: Vec<Uuid>, beside: Beside, by: Oid, reason: Reason) -> StatementResult<Jsonb> {
    let counts: Jsonb =
        write_one("select memento._count_below($1, $2::uuid[])", &[project.into(), items.clone().into()])?;
    write_one(
        include_str!("queries/forget_items.sql"),
        &[
            project.into(),
            items.into(),
            by.into(),
            counts.into(),
            reason.as_str().into(),
            beside.counts().into(),
            beside.conversations.into(),
            beside.is_whole_project.into(),
        ],
    )
}

/// What is left of what a receipt says was erased.
pub fn verify(project: Uuid, receipt: Uuid) -> StatementResult<Option<Jsonb>> {
    let found =
        rows(include_str!("queries/verify_forgotten.sql"), &[project.into(), receipt.into()], |row| {
            row.get::<Jsonb>(1)
        })?;
    Ok(found.into_iter().flatten().next())
}

/// Erases what retention has come to the end of, at most so many items, in any project; says how many. What somebody is
/// writing just now is left for the next time.
pub fn erase_expired(batch: i32, by: Oid) -> StatementResult<i64> {
    let due = write(include_str!("queries/lock_expired.sql"), &[batch.into()], |row| {
        Ok((required::<Uuid>(&row, 1)?, required::<Vec<Uuid>>(&row, 2)?))
    })?;
    let mut erased = 0;
    for (project, items) in due {
        erased += items.len() as i64;
        erase(project, items, Beside::default(), by, Reason::Retention)?;
    }
    Ok(erased)
}

/// An item that retention has come to the end of.
pub struct Due {
    pub item_id: Uuid,
    pub title: Option<String>,
    pub retention: String,
    pub due_at: TimestampWithTimeZone,
}

/// Items of a project that will be erased by then, the first ones first.
pub fn due(project: Uuid, at: Option<TimestampWithTimeZone>, limit: i32) -> StatementResult<Vec<Due>> {
    rows(include_str!("queries/retention_due.sql"), &[project.into(), at.into(), limit.into()], |row| {
        Ok(Due {
            item_id: required(&row, 1)?,
            title: row.get(2)?,
            retention: required(&row, 3)?,
            due_at: required(&row, 4)?,
        })
    })
}

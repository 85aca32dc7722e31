//! Semantic events: searching and showing them.

use memento_core::bm25::EncodedQuery;
use pgrx::Uuid;
use pgrx::datum::DatumWithOid;
use pgrx::prelude::*;
use pgrx::spi::SpiHeapTupleData;

use super::artifact::Name;
use super::dense::planned_rows;
use super::{StatementResult, required, rows};
use crate::ffi::jsonb::Jsonb;
use crate::ffi::setting::with_settings;

/// Which events are wanted; none for any.
#[derive(Default)]
pub struct Wanted<'a> {
    pub category: Option<&'a str>,
    pub from: Option<TimestampWithTimeZone>,
    pub to: Option<TimestampWithTimeZone>,
    pub artifact_uid: Option<&'a str>,
    pub actor: Option<&'a str>,
    pub subject: Option<&'a str>,
    pub confidence: Option<f64>,
}

/// What the index knows wanted events by.
pub struct Keys {
    /// Of the words that are asked for.
    pub words: Vec<i64>,
    /// Of all else: each event has each.
    pub each: Vec<i64>,
    /// Of the time, of which each event has one; none where it is all time, or a long one.
    pub time: Option<Vec<i64>>,
    /// Whether names that are asked for have words; else no event has them.
    pub are_names: bool,
}

/// The words that an event has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Has {
    All,
    Any,
}

/// Where a page ended.
pub struct Cursor {
    pub score: f64,
    /// Microseconds since 1970; none if the event has no time.
    pub time: Option<i64>,
    pub event: Uuid,
}

/// An event as the user sees it, and its place in the order.
pub struct Found {
    pub cursor: Cursor,
    pub seen: Jsonb,
}

/// A page of events.
pub struct Page<'a> {
    pub limit: i32,
    pub with_evidence: bool,
    pub after: Option<&'a Cursor>,
}

/// The keys of what is wanted.
pub fn keys(project: Uuid, words: Vec<&str>, wanted: &Wanted) -> StatementResult<Option<Keys>> {
    let arguments = [
        project.into(),
        words.into(),
        wanted.category.into(),
        wanted.from.into(),
        wanted.to.into(),
        wanted.artifact_uid.into(),
        wanted.actor.into(),
        wanted.subject.into(),
    ];
    let read = rows(include_str!("queries/semantic_keys.sql"), &arguments, |row| {
        Ok(Keys {
            words: required(&row, 1)?,
            each: required(&row, 2)?,
            time: row.get(3)?,
            are_names: required(&row, 4)?,
        })
    })?;
    Ok(read.into_iter().next())
}

fn keyed(project: Uuid, keys: &Keys, has: Has, wanted: &Wanted) -> Vec<DatumWithOid<'static>> {
    let (mut each, mut any) = (keys.each.clone(), None);
    match has {
        Has::All => each.extend(&keys.words),
        Has::Any => any = Some(keys.words.clone()),
    }
    vec![
        project.into(),
        // Of no keys at all, all events would have each.
        Some(each).filter(|keys| !keys.is_empty()).into(),
        any.into(),
        keys.time.clone().into(),
        wanted.from.into(),
        wanted.to.into(),
        wanted.confidence.into(),
    ]
}

/// About how many events are wanted, as the server's planner has it from its statistics.
pub fn expected(project: Uuid, keys: &Keys, has: Has, wanted: &Wanted) -> StatementResult<f64> {
    let statement =
        concat!("explain (format json) ", include_str!("queries/semantic_keyed.sql"), " select from wanted");
    planned_rows(statement, &keyed(project, keys, has, wanted))
}

/// How far to go.
pub struct Limits {
    /// Up to so many are ranked; of more, the newest come first.
    pub ranked: i64,
    /// Up to so many are counted, and of as many there is no page.
    pub counted: i64,
}

/// How many events are wanted, and those of a page: the best first, or, without a ranking, the newest.
pub fn best(
    project: Uuid,
    (keys, has, wanted): (&Keys, Has, &Wanted),
    page: &Page,
    ranking: Option<&EncodedQuery>,
    limits: &Limits,
) -> StatementResult<(i64, Vec<Found>)> {
    let statement =
        concat!(include_str!("queries/semantic_keyed.sql"), include_str!("queries/semantic_best.sql"));
    let mut arguments = keyed(project, keys, has, wanted);
    arguments.extend([
        limits.counted.into(),
        limits.ranked.into(),
        page.limit.into(),
        page.with_evidence.into(),
        ranking.map(|query| query.clone().into_bytes()).into(),
        page.after.map(|after| after.score).into(),
        page.after.and_then(|after| after.time).into(),
        page.after.map(|after| after.event).into(),
    ]);
    // Where the places of what the index finds do not fit, the server keeps pages only and makes the keys of all their rows anew.
    // To compile a statement, or to start processes for it, takes longer than to run this one.
    let settings = [
        (c"work_mem", "64MB".to_owned()),
        (c"jit", "off".to_owned()),
        (c"max_parallel_workers_per_gather", "0".to_owned()),
    ];
    let read = with_settings(&settings, || {
        rows(statement, &arguments, |row| {
            let event = row.get::<Uuid>(1)?.map(|_| found(&row)).transpose()?;
            Ok((required::<i64>(&row, 5)?, event))
        })
    })?;
    let total = read.first().map_or(0, |(total, _)| *total);
    Ok((total, read.into_iter().filter_map(|(_, event)| event).collect()))
}

/// How many events there are of a category, a time and a confidence, counted up to a limit.
pub fn count(project: Uuid, wanted: &Wanted, limit: i64) -> StatementResult<i64> {
    let arguments = [
        project.into(),
        wanted.category.into(),
        wanted.from.into(),
        wanted.to.into(),
        wanted.confidence.into(),
        limit.into(),
    ];
    let counted =
        rows(include_str!("queries/semantic_count.sql"), &arguments, |row| required::<i64>(&row, 1))?;
    Ok(counted.into_iter().sum())
}

/// The wanted events of a page, the newest first, that also a tsquery matches. `among` so many of the newest of their category and time;
/// none for all.
pub fn newest(
    project: Uuid,
    words: Option<String>,
    wanted: &Wanted,
    page: &Page,
    among: Option<i64>,
) -> StatementResult<Vec<Found>> {
    let arguments = [
        project.into(),
        words.into(),
        wanted.category.into(),
        wanted.from.into(),
        wanted.to.into(),
        wanted.artifact_uid.into(),
        wanted.actor.into(),
        wanted.subject.into(),
        wanted.confidence.into(),
        page.limit.into(),
        page.with_evidence.into(),
        page.after.and_then(|after| after.time).into(),
        page.after.map(|after| after.event).into(),
        among.into(),
    ];
    rows(include_str!("queries/semantic_by_time.sql"), &arguments, |row| found(&row))
}

fn found(row: &SpiHeapTupleData) -> pgrx::spi::Result<Found> {
    Ok(Found {
        cursor: Cursor { event: required(row, 1)?, score: required(row, 2)?, time: row.get(3)? },
        seen: required(row, 4)?,
    })
}

/// One event in full.
pub fn get(project: Uuid, event: Uuid) -> StatementResult<Option<Jsonb>> {
    let found =
        rows(include_str!("queries/semantic_get.sql"), &[project.into(), event.into()], |row| row.get(1))?;
    Ok(found.into_iter().flatten().next())
}

/// The events of a version, in the order of time, then of the text.
pub fn of_version(project: Uuid, version: Uuid, with_evidence: bool) -> StatementResult<Vec<Jsonb>> {
    rows(
        include_str!("queries/semantic_of_version.sql"),
        &[project.into(), version.into(), with_evidence.into()],
        |row| required(&row, 1),
    )
}

/// An event that is quoted from a chunk.
pub struct Quoted {
    pub chunk: i64,
    /// Characters of what it says and quotes.
    pub chars: i32,
    pub seen: Jsonb,
}

/// The events that are quoted from chunks, in the order of the chunks.
pub fn of_chunks(project: Uuid, chunks: Vec<i64>, limit: i32) -> StatementResult<Vec<Quoted>> {
    rows(
        include_str!("queries/semantic_of_chunks.sql"),
        &[project.into(), chunks.into(), limit.into()],
        |row| Ok(Quoted { chunk: required(&row, 1)?, chars: required(&row, 2)?, seen: required(&row, 3)? }),
    )
}

/// The chunk that an event is first quoted from.
pub fn chunk(project: Uuid, event: Uuid) -> StatementResult<Option<i64>> {
    let found = rows(
        "select q.chunk_id from memento.semantic_event e
           join memento.event_evidence q on q.project_id = e.project_id and q.event_id = e.event_id and q.evidence_id = e.evidence_id
          where e.project_id = $1 and e.event_id = $2",
        &[project.into(), event.into()],
        |row| row.get(1),
    )?;
    Ok(found.into_iter().flatten().next())
}

/// A revision of an artifact, or of any other item.
pub struct Revision {
    pub artifact_uid: String,
    pub revision_id: String,
    /// The first version with its content.
    pub version: Uuid,
    pub is_latest: bool,
}

/// The revision that is named, or the latest.
pub fn revision(project: Uuid, name: &Name, revision_id: Option<&str>) -> StatementResult<Option<Revision>> {
    let (artifact_id, uid, item) = name.columns();
    let found = rows(
        include_str!("queries/find_revision.sql"),
        &[project.into(), artifact_id.into(), uid.into(), item.into(), revision_id.into()],
        |row| {
            Ok(Revision {
                artifact_uid: required(&row, 1)?,
                revision_id: required(&row, 2)?,
                version: required(&row, 3)?,
                is_latest: required(&row, 4)?,
            })
        },
    )?;
    Ok(found.into_iter().next())
}

//! Semantic events: searching and showing them.

use memento_core::bm25::EncodedQuery;
use pgrx::Uuid;
use pgrx::datum::DatumWithOid;
use pgrx::prelude::*;
use pgrx::spi::SpiHeapTupleData;

use super::artifact::Name;
use super::{StatementResult, required, rows};
use crate::ffi::jsonb::Jsonb;

/// Which events are wanted; none for any.
#[derive(Default)]
pub struct Wanted<'a> {
    /// A tsquery.
    pub words: Option<String>,
    pub category: Option<&'a str>,
    pub from: Option<TimestampWithTimeZone>,
    pub to: Option<TimestampWithTimeZone>,
    pub artifact_uid: Option<&'a str>,
    pub actor: Option<&'a str>,
    pub subject: Option<&'a str>,
    pub confidence: Option<f64>,
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

fn arguments(project: Uuid, wanted: &Wanted) -> Vec<DatumWithOid<'static>> {
    let text = |text: Option<&str>| text.map(str::to_owned);
    vec![
        project.into(),
        wanted.words.clone().into(),
        text(wanted.category).into(),
        wanted.from.into(),
        wanted.to.into(),
        text(wanted.artifact_uid).into(),
        text(wanted.actor).into(),
        text(wanted.subject).into(),
        wanted.confidence.into(),
    ]
}

/// How many events are wanted, counted up to a limit.
pub fn count(project: Uuid, wanted: &Wanted, limit: i64) -> StatementResult<i64> {
    let statement =
        concat!(include_str!("queries/semantic_wanted.sql"), include_str!("queries/semantic_count.sql"));
    let mut arguments = arguments(project, wanted);
    arguments.push(limit.into());
    let counted = rows(statement, &arguments, |row| required::<i64>(&row, 1))?;
    Ok(counted.into_iter().sum())
}

/// The wanted events of a page, the newest first.
pub fn newest(project: Uuid, wanted: &Wanted, page: &Page) -> StatementResult<Vec<Found>> {
    let statement =
        concat!(include_str!("queries/semantic_wanted.sql"), include_str!("queries/semantic_by_time.sql"));
    let mut arguments = arguments(project, wanted);
    arguments.extend(page_arguments(page, None));
    rows(statement, &arguments, |row| found(&row))
}

/// How many events are wanted, counted up to a limit, and those of a page, the best first; none if there are more than `most`.
pub fn best(
    project: Uuid,
    wanted: &Wanted,
    page: &Page,
    ranking: &EncodedQuery,
    most: i64,
    limit: i64,
) -> StatementResult<(i64, Option<Vec<Found>>)> {
    let statement =
        concat!(include_str!("queries/semantic_wanted.sql"), include_str!("queries/semantic_page.sql"));
    let mut arguments = arguments(project, wanted);
    arguments.extend(page_arguments(page, Some(ranking)));
    arguments.extend([most.into(), limit.into()]);
    let read = rows(statement, &arguments, |row| {
        let event = row.get::<Uuid>(1)?.map(|_| found(&row)).transpose()?;
        Ok((required::<i64>(&row, 5)?, event))
    })?;
    let total = read.first().map_or(0, |(total, _)| *total);
    Ok((total, (total <= most).then(|| read.into_iter().filter_map(|(_, event)| event).collect())))
}

fn page_arguments(page: &Page, ranking: Option<&EncodedQuery>) -> [DatumWithOid<'static>; 6] {
    [
        page.limit.into(),
        page.with_evidence.into(),
        ranking.map(|query| query.clone().into_bytes()).into(),
        page.after.map(|after| after.score).into(),
        page.after.and_then(|after| after.time).into(),
        page.after.map(|after| after.event).into(),
    ]
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

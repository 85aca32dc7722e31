//! Searching events: the statements, each planned once.

use memento_core::bm25::EncodedQuery;
use memento_core::event::Category;
use pgrx::Uuid;
use pgrx::datum::DatumWithOid;
use pgrx::prelude::*;
use pgrx::spi::SpiHeapTupleData;

use super::{StatementResult, kept_rows, required};
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
#[derive(Clone)]
pub struct Cursor {
    pub score: f64,
    /// None if the event has no time.
    pub time: Option<TimestampWithTimeZone>,
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
    let read = kept_rows(include_str!("queries/semantic_keys.sql"), &arguments, |row| {
        Ok(Keys {
            words: required(&row, 1)?,
            each: required(&row, 2)?,
            time: row.get(3)?,
            are_names: required(&row, 4)?,
        })
    })?;
    Ok(read.into_iter().next())
}

/// The words that events have because of their category, as the table says them.
pub fn words_of_categories() -> StatementResult<Vec<String>> {
    const WORDS: &str =
        "select w.lexeme from pg_catalog.unnest(memento._words($1::text || ' quality risk')) w";
    kept_rows(WORDS, &[Category::WORDS.join(" ").into()], |row| required(&row, 1))
}

/// The statement of what is wanted, with only those conditions that there are: it is planned once for all values, and of a condition
/// that may or may not be there the index could not be used.
macro_rules! wanted {
    ([$($keys:literal)*] $($tail:tt)*) => {
        concat!(
            "with wanted as (
               select e.ctid as place, e.event_id, e.event_time, case when $12::bytea is not null then e.tsv end as tsv
                 from memento.semantic_event e
                where e.project_id = $1",
            $(" and memento._event_keys(e.project_id, e.category, e.artifact_uid, e.event_time, e.tsv, e.actor_names, e.subject_names)", $keys,)*
            " and ($5::timestamptz is null or e.event_time >= $5) and ($6::timestamptz is null or e.event_time <= $6)
                  and ($7::float8 is null or e.confidence >= $7))
             ",
            $($tail)*
        )
    };
}

/// Such a statement, by whether there are keys that each event has, words of which it has any, and times of which it has one.
macro_rules! by_key {
    ($name:ident: $($tail:tt)*) => {
        fn $name(given: &Given) -> &'static str {
            match (!given.each.is_empty(), !given.any.is_empty(), given.time.is_some()) {
                (true, false, false) => wanted!([" @> $2"] $($tail)*),
                (true, false, true) => wanted!([" @> $2" " && $4"] $($tail)*),
                (true, true, false) => wanted!([" @> $2" " && $3"] $($tail)*),
                (true, true, true) => wanted!([" @> $2" " && $3" " && $4"] $($tail)*),
                (false, true, false) => wanted!([" && $3"] $($tail)*),
                (false, true, true) => wanted!([" && $3" " && $4"] $($tail)*),
                (false, false, true) => wanted!([" && $4"] $($tail)*),
                (false, false, false) => wanted!([] $($tail)*),
            }
        }
    };
}

by_key!(best_statement: include_str!("queries/semantic_best.sql"));
by_key!(total_statement: "select count(*) from wanted");

/// What the index is asked for.
struct Given {
    each: Vec<i64>,
    any: Vec<i64>,
    time: Option<Vec<i64>>,
}

impl Given {
    fn new(keys: &Keys, has: Has) -> Self {
        let (mut each, mut any) = (keys.each.clone(), Vec::new());
        match has {
            Has::All => each.extend(&keys.words),
            Has::Any => any.extend(&keys.words),
        }
        Self { each, any, time: keys.time.clone() }
    }

    /// The values that all of these statements have.
    fn arguments(self, project: Uuid, wanted: &Wanted) -> Vec<DatumWithOid<'static>> {
        vec![
            project.into(),
            self.each.into(),
            self.any.into(),
            self.time.into(),
            wanted.from.into(),
            wanted.to.into(),
            wanted.confidence.into(),
        ]
    }
}

/// How far to go.
pub struct Limits {
    /// Up to so many are ranked; of more, the newest come first.
    pub ranked: i64,
    /// Up to so many are counted, and of as many there is no page.
    pub counted: i64,
}

/// Plans are kept, and the same for all values: by the indexes, in their order, row by row. To compile a statement, or to start
/// processes for it, takes longer than to run one of these. Where the places of what the index finds do not fit, the server keeps pages
/// only and makes the keys of all their rows anew.
fn planned_once<T>(work: impl FnOnce() -> T) -> T {
    let settings = [
        (c"plan_cache_mode", "force_generic_plan"),
        (c"work_mem", "64MB"),
        (c"jit", "off"),
        (c"max_parallel_workers_per_gather", "0"),
        (c"enable_seqscan", "off"),
        (c"enable_hashjoin", "off"),
        (c"enable_mergejoin", "off"),
    ]
    .map(|(name, value)| (name, value.to_owned()));
    with_settings(&settings, work)
}

/// The same, and only the index gives the order without a sort.
fn planned_in_order<T>(work: impl FnOnce() -> T) -> T {
    planned_once(|| with_settings(&[(c"enable_sort", "off".to_owned())], work))
}

/// What an index knows of the wanted events.
#[derive(Default)]
pub struct Counted {
    pub total: i64,
    /// About how many there are, where counting came to its end.
    pub expected: f64,
    pub found: Vec<Found>,
}

/// How many events are wanted, and those of a page: the best first, or, without a ranking, the newest.
pub fn best(
    project: Uuid,
    (keys, has, wanted): (&Keys, Has, &Wanted),
    page: &Page,
    ranking: Option<&EncodedQuery>,
    limits: &Limits,
) -> StatementResult<Counted> {
    let given = Given::new(keys, has);
    let statement = best_statement(&given);
    let mut arguments = given.arguments(project, wanted);
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
    planned_once(|| counted(statement, &arguments))
}

/// How many events are wanted, each of them counted.
pub fn total(project: Uuid, (keys, has, wanted): (&Keys, Has, &Wanted)) -> StatementResult<i64> {
    let given = Given::new(keys, has);
    let statement = total_statement(&given);
    let mut arguments = given.arguments(project, wanted);
    // What is ranked and shown is not asked for.
    arguments.extend([0_i64.into(), 0_i64.into(), 0_i32.into(), false.into(), None::<Vec<u8>>.into()]);
    let read = planned_once(|| kept_rows(statement, &arguments, |row| required::<i64>(&row, 1)))?;
    Ok(read.into_iter().next().unwrap_or_default())
}

/// Rows of events that may be missing, each with how many there are.
fn counted(statement: &'static str, arguments: &[DatumWithOid]) -> StatementResult<Counted> {
    let read = kept_rows(statement, arguments, |row| {
        let event = row.get::<Uuid>(1)?.map(|_| found(&row)).transpose()?;
        Ok((required::<i64>(&row, 5)?, required::<f64>(&row, 6)?, event))
    })?;
    let (total, expected) = read.first().map_or((0, 0.0), |(total, expected, _)| (*total, *expected));
    Ok(Counted { total, expected, found: read.into_iter().filter_map(|(_, _, event)| event).collect() })
}

/// Statements in the order of time, which indexes have: of a category or of all; events that have a time, or, after all of these, those
/// that have none.
macro_rules! in_order_of_time {
    ($name:ident: $head:literal $($tail:tt)*) => {
        fn $name(wanted: &Wanted, are_timed: bool) -> &'static str {
            match (wanted.category.is_some(), are_timed) {
                (false, true) => concat!($head, include_str!("queries/semantic_timed.sql"), $($tail)*),
                (false, false) => concat!($head, include_str!("queries/semantic_untimed.sql"), $($tail)*),
                (true, true) => concat!($head, "e.category = $3 and ", include_str!("queries/semantic_timed.sql"), $($tail)*),
                (true, false) => concat!($head, "e.category = $3 and ", include_str!("queries/semantic_untimed.sql"), $($tail)*),
            }
        }
    };
}

in_order_of_time!(walk_statement:
    "with near as (select e.* from memento.semantic_event e where "
    include_str!("queries/semantic_walk.sql"));
in_order_of_time!(walk_end_statement:
    "select e.event_id, 0::float8, e.event_time from memento.semantic_event e where "
    " offset $10::bigint - 1 limit 1");
in_order_of_time!(listed_statement:
    "with found as materialized (
       select e.event_id, e.event_time from memento.semantic_event e where ($9::float8 is null or e.confidence >= $9) and "
    include_str!("queries/semantic_listed.sql"));

/// Where a look at the events in the order of time begins, and how far it goes.
pub struct Stretch<'a> {
    /// Those that have a time, or, after all of these, those that have none.
    pub are_timed: bool,
    pub after: Option<&'a Cursor>,
    /// So many events.
    pub length: i64,
}

fn in_order_of_time(
    project: Uuid,
    words: Option<&str>,
    wanted: &Wanted,
    stretch: &Stretch,
    (limit, with_evidence): (i32, bool),
) -> Vec<DatumWithOid<'static>> {
    let after = stretch.after.filter(|after| after.time.is_some() == stretch.are_timed);
    let text = |text: Option<&str>| text.map(str::to_owned).into();
    vec![
        project.into(),
        text(words),
        text(wanted.category),
        wanted.from.into(),
        wanted.to.into(),
        text(wanted.artifact_uid),
        text(wanted.actor),
        text(wanted.subject),
        wanted.confidence.into(),
        stretch.length.into(),
        after.and_then(|after| after.time).into(),
        after.map(|after| after.event).into(),
        limit.into(),
        with_evidence.into(),
    ]
}

/// The wanted events of a stretch, the newest first, that also a tsquery matches.
pub fn walk(
    project: Uuid,
    words: Option<&str>,
    wanted: &Wanted,
    stretch: &Stretch,
    page: (i32, bool),
) -> StatementResult<Vec<Found>> {
    let arguments = in_order_of_time(project, words, wanted, stretch, page);
    let statement = walk_statement(wanted, stretch.are_timed);
    planned_in_order(|| kept_rows(statement, &arguments, |row| found(&row)))
}

/// So many rows are looked at for an estimate.
const SAMPLED: i64 = 600;

/// What a sample of the table tells.
#[derive(Clone, Copy, Default)]
pub struct Sample {
    /// About how many events are wanted; 0 where there are too few of them in it to say.
    pub expected: f64,
    /// About how many events there are.
    pub size: f64,
}

/// About how many events are wanted that a tsquery matches.
pub fn sampled(project: Uuid, words: Option<&str>, wanted: &Wanted) -> StatementResult<Sample> {
    // Of a share of a thousandth so many come into a sample less than once in a hundred million.
    const ENOUGH: i64 = 12;
    let everywhere = Stretch { are_timed: true, after: None, length: SAMPLED };
    let mut arguments = in_order_of_time(project, words, wanted, &everywhere, (0, false));
    arguments.truncate(10);
    let sample = planned_once(|| {
        kept_rows(include_str!("queries/semantic_sample.sql"), &arguments, |row| {
            let (hits, size): (i64, f64) = (required(&row, 1)?, required(&row, 2)?);
            let expected = if hits < ENOUGH { 0.0 } else { hits as f64 / SAMPLED as f64 * size };
            Ok(Sample { expected, size })
        })
    })?;
    Ok(sample.into_iter().next().unwrap_or_default())
}

/// The last event of a stretch; none if there are not as many.
pub fn walk_end(project: Uuid, wanted: &Wanted, stretch: &Stretch) -> StatementResult<Option<Cursor>> {
    let arguments = in_order_of_time(project, None, wanted, stretch, (0, false));
    let statement = walk_end_statement(wanted, stretch.are_timed);
    let ends = planned_in_order(|| {
        kept_rows(statement, &arguments, |row| {
            Ok(Cursor { event: required(&row, 1)?, score: required(&row, 2)?, time: row.get(3)? })
        })
    })?;
    Ok(ends.into_iter().next())
}

/// How many events a stretch has of a category, a time and a confidence, and the newest of them.
pub fn listed(
    project: Uuid,
    wanted: &Wanted,
    stretch: &Stretch,
    page: (i32, bool),
) -> StatementResult<Counted> {
    let arguments = in_order_of_time(project, None, wanted, stretch, page);
    planned_in_order(|| counted(listed_statement(wanted, stretch.are_timed), &arguments))
}

fn found(row: &SpiHeapTupleData) -> pgrx::spi::Result<Found> {
    Ok(Found {
        cursor: Cursor { event: required(row, 1)?, score: required(row, 2)?, time: row.get(3)? },
        seen: required(row, 4)?,
    })
}

//! Times in a text, as seen from the day that the text is from: `March 15`, `next Monday`, `by Q1`, `in two weeks`.
//!
//! A time is read first and resolved later, because what is promised lies ahead and what was done lies behind: the same
//! `on Friday` is another day. Without the day of the text only absolute times are resolved.

mod read;
#[cfg(test)]
mod tests;

use std::ops::Range;

use super::token::tokens;
use crate::filter::Timestamp;
use crate::query::Date;
use crate::query::unit::Unit;

pub(super) use read::{Read, read};

/// Which of several days is meant that have the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lean {
    /// The first that is not before the day of the text.
    Future,
    /// The last that is not after the day of the text.
    Past,
}

/// A time in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// Its words, with a preposition that makes it a deadline, in bytes.
    pub span: Range<usize>,
    /// When it is: for a deadline the last day of its time, or the day before it, else the first.
    pub time: Timestamp,
}

/// The times of a text that can be resolved. `document_date` is the day that `tomorrow` is counted from.
pub fn mentions(text: &str, document_date: Option<Date>, lean: Lean) -> Vec<Mention> {
    let tokens = tokens(text, 0..text.len());
    let resolve = |found: Read| {
        let span = tokens[found.words.start].span.start..tokens[found.words.end - 1].span.end;
        Some(Mention { span, time: found.resolve(document_date, lean)? })
    };
    read(&tokens).into_iter().filter_map(resolve).collect()
}

/// What words say about a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phrase {
    Instant(Timestamp),
    Day(Date),
    /// A day of some year.
    MonthDay(u8, u8),
    /// A month, of some year if there is none.
    Month(Option<i32>, u8),
    Quarter(Option<i32>, u8),
    Year(i32),
    /// 0 is Monday. Weeks from this one, if the text says so.
    Weekday(u8, Option<i32>),
    /// The last one before the day of the text.
    LastWeekday(u8),
    /// Units from the day of the text.
    Distance(Unit, i32),
    /// The same of what lies ahead; of what lies behind, how long it took: `in two weeks`.
    Within(Unit, i32),
    /// The whole unit, so many from the current one: `next week`.
    Whole(Unit, i32),
}

/// Which day of a time is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    First,
    /// `by March`, `end of the week`.
    Last,
    /// The last day before it, if it is longer than a day: `before March`.
    Before,
}

/// Days from the first to the last.
#[derive(Clone, Copy, Debug)]
struct Period {
    first: Date,
    last: Date,
}

impl Period {
    /// A unit that begins on a day.
    fn of(unit: Unit, begin: Option<Date>) -> Option<Self> {
        let first = begin?;
        Some(Self { first, last: unit.end(first)?.add_days(-1)? })
    }

    fn day(self, edge: Edge) -> Option<Date> {
        match edge {
            Edge::First => Some(self.first),
            Edge::Before if self.first < self.last => self.first.add_days(-1),
            Edge::Last | Edge::Before => Some(self.last),
        }
    }
}

impl Read {
    /// When it is; none if it has no such day, or needs the day of the text and there is none.
    pub fn resolve(&self, document_date: Option<Date>, lean: Lean) -> Option<Timestamp> {
        if let Phrase::Instant(time) = self.phrase {
            return Some(time);
        }
        let period = absolute(self.phrase).or_else(|| {
            let seen = Seen { today: document_date?, lean, edge: self.edge };
            seen.relative(self.phrase)
        })?;
        Some(Timestamp::start_of(period.day(self.edge)?))
    }
}

fn absolute(phrase: Phrase) -> Option<Period> {
    match phrase {
        Phrase::Day(day) => Period::of(Unit::Day, Some(day)),
        Phrase::Month(Some(year), month) => Period::of(Unit::Month, Date::try_new(year, month, 1)),
        Phrase::Quarter(Some(year), quarter) => {
            Period::of(Unit::Quarter, Date::try_new(year, quarter * 3 - 2, 1))
        }
        Phrase::Year(year) => Period::of(Unit::Year, Date::try_new(year, 1, 1)),
        _ => None,
    }
}

/// From which day times are seen, and how.
struct Seen {
    today: Date,
    lean: Lean,
    edge: Edge,
}

impl Seen {
    fn relative(&self, phrase: Phrase) -> Option<Period> {
        let today = self.today;
        match phrase {
            Phrase::MonthDay(month, day) => {
                // A leap day may be eight years away.
                let years = (0..=8).map(|away| self.year(away));
                self.nearest(years.filter_map(|year| Period::of(Unit::Day, Date::try_new(year, month, day))))
            }
            Phrase::Month(None, month) => self.nearest(self.each_year(Unit::Month, month)),
            Phrase::Quarter(None, quarter) => self.nearest(self.each_year(Unit::Quarter, quarter * 3 - 2)),
            Phrase::Weekday(weekday, None) if self.lean == Lean::Future => {
                // On a Friday, `on Friday` is the next one.
                let away = (i64::from(weekday) - (today.days() + 3) - 1).rem_euclid(7) + 1;
                Period::of(Unit::Day, today.add_days(away))
            }
            Phrase::Weekday(weekday, None) | Phrase::LastWeekday(weekday) => {
                let away = (today.days() + 3 - i64::from(weekday) - 1).rem_euclid(7) + 1;
                Period::of(Unit::Day, today.add_days(-away))
            }
            Phrase::Weekday(weekday, Some(weeks)) => {
                let away = i64::from(weekday) + 7 * i64::from(weeks);
                Period::of(Unit::Day, today.monday()?.add_days(away))
            }
            Phrase::Within(..) if self.lean == Lean::Past => None,
            Phrase::Distance(unit, count) | Phrase::Within(unit, count) => {
                Period::of(Unit::Day, unit.back(today, -count))
            }
            Phrase::Whole(unit, count) => Period::of(unit, unit.begin(unit.back(today, -count)?)),
            _ => None,
        }
    }

    /// So many years ahead, or behind.
    fn year(&self, away: i32) -> i32 {
        self.today.year() + if self.lean == Lean::Future { away } else { -away }
    }

    /// The units that begin in a month of this year and the years beside it.
    fn each_year(&self, unit: Unit, month: u8) -> impl Iterator<Item = Period> {
        let years = [self.year(0), self.year(1)].into_iter();
        years.filter_map(move |year| Period::of(unit, Date::try_new(year, month, 1)))
    }

    /// The first that is not over, or that has begun. What is to be done before one begins needs one that has not begun.
    fn nearest(&self, mut periods: impl Iterator<Item = Period>) -> Option<Period> {
        let end = if self.edge == Edge::Before { Edge::Before } else { Edge::Last };
        periods.find(|period| match self.lean {
            Lean::Future => period.day(end) >= Some(self.today),
            Lean::Past => period.first <= self.today,
        })
    }
}

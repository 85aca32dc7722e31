//! One time, without a preposition: a day, week, month, quarter or year, by its name or as seen from today.

use super::date::Date;
use super::name::{
    COUNTED, NUMBERED, count_of, day_of, is_clearly_a_month, is_verb, month_of, quarter_of, two_digits,
    year_of,
};
use super::unit::Unit;
use super::word::{Word, is_one_of};

/// Days from the first to the one after the last.
#[derive(Clone, Copy)]
pub struct Span {
    pub from: Date,
    pub until: Date,
}

/// What words are, up to the word at an index.
pub enum Reading<T> {
    Is(T, usize),
    /// They look like a date, and there is no such day. They are not to be read in parts.
    IsNot(usize),
}

/// Reads times.
pub struct Points<'a> {
    pub words: &'a [Word<'a>],
    pub today: Date,
}

type Found = Option<Reading<Span>>;

impl Points<'_> {
    pub fn word(&self, at: usize) -> Option<&Word<'_>> {
        self.words.get(at)
    }

    /// Whether the word goes on with the phrase of the one before it.
    pub fn follows(&self, at: usize) -> bool {
        at > 0 && at < self.words.len() && !self.words[at - 1].ends_phrase
    }

    /// Whether the word goes on and is one of these.
    pub fn next_is(&self, at: usize, these: &[&str]) -> bool {
        self.next(at).is_some_and(|word| these.contains(&word))
    }

    fn next(&self, at: usize) -> Option<&str> {
        if self.follows(at) { self.word(at).map(|word| word.plain.as_str()) } else { None }
    }

    /// The time that begins at a word. `introduced`: a preposition of time is before it. A month without a year is the
    /// last that has begun on `anchor`.
    pub fn point(&self, at: usize, introduced: bool, anchor: Date) -> Found {
        let word = self.word(at)?.plain.as_str();
        match word {
            "today" => return self.is(Some(self.today), |day| day.add_days(1), at + 1),
            "yesterday" => return self.is(self.today.add_days(-1), |day| day.add_days(1), at + 1),
            "last" | "previous" | "past" | "this" | "current" => return self.relative(at, anchor),
            "week" if self.next_is(at + 1, &["of"]) => return self.week_of(at + 2, anchor),
            _ => {}
        }
        self.iso(at)
            .or_else(|| self.quarter(at))
            .or_else(|| self.year(at, introduced))
            .or_else(|| self.ago(at))
            .or_else(|| self.day_first(at, anchor))
            .or_else(|| self.month_first(at, introduced, anchor))
    }

    /// From a day to the end that it leads to; none if one of them is not in the calendar.
    fn is(&self, from: Option<Date>, end: impl Fn(Date) -> Option<Date>, after: usize) -> Found {
        Some(match from.and_then(|from| Some(Span { from, until: end(from)? })) {
            Some(span) => Reading::Is(span, after),
            None => Reading::IsNot(after),
        })
    }

    /// `2026-01-05` and `2026-01`. With a time of day to the second it is from a log.
    fn iso(&self, at: usize) -> Found {
        let parts: Vec<&str> = self.word(at)?.plain.split('-').collect();
        let (year, month) = (year_of(parts[0])?, two_digits(parts.get(1)?)?);
        match parts[2..] {
            [] => self.is(Date::try_new(year, month, 1), |day| day.add_months(1), at + 1),
            [day] => {
                let is_time = |word: &str| word.matches(':').count() == 2;
                if self.next(at + 1).is_some_and(is_time) {
                    return Some(Reading::IsNot(at + 2));
                }
                self.is(Date::try_new(year, month, two_digits(day)?), |day| day.add_days(1), at + 1)
            }
            _ => None,
        }
    }

    /// `Q3 2025`, `2025 Q3` and `2025-Q3`.
    fn quarter(&self, at: usize) -> Found {
        let word = self.word(at)?.plain.as_str();
        let (quarter, year, after) = match (quarter_of(word), word.split_once('-')) {
            (Some(quarter), _) => (quarter, year_of(self.next(at + 1)?)?, at + 2),
            (None, Some((year, quarter))) => (quarter_of(quarter)?, year_of(year)?, at + 1),
            (None, None) => (quarter_of(self.next(at + 1)?)?, year_of(word)?, at + 2),
        };
        self.is(Date::try_new(year, quarter * 3 - 2, 1), |day| day.add_months(3), after)
    }

    /// `2025`, unless the words around it make it a number of something.
    fn year(&self, at: usize, introduced: bool) -> Found {
        let year = year_of(&self.word(at)?.plain)?;
        let near = (self.today.year() - 30..=self.today.year() + 1).contains(&year);
        let counts = self.next(at + 1).is_some_and(|next| is_one_of(next, COUNTED));
        let named = self.follows(at) && is_one_of(&self.words[at - 1].plain, NUMBERED);
        if counts || named || !(near || introduced) {
            return None;
        }
        self.is(Date::try_new(year, 1, 1), |day| day.add_months(12), at + 1)
    }

    /// `3 days ago`: that day, week, month or year.
    fn ago(&self, at: usize) -> Found {
        let count = count_of(&self.word(at)?.plain)?;
        let unit = Unit::of(self.next(at + 1)?)?;
        if !self.next_is(at + 2, &["ago"]) {
            return None;
        }
        let begin = unit.back(self.today, count).and_then(|day| unit.begin(day));
        self.is(begin, |begin| unit.end(begin), at + 3)
    }

    /// `last week`, `this quarter`, `last 7 days`, `past month`, `last March`.
    fn relative(&self, at: usize, anchor: Date) -> Found {
        let word = self.word(at)?.plain.as_str();
        let back = matches!(word, "last" | "previous" | "past");
        let next = self.next(at + 1)?;
        if let Some(unit) = Unit::of(next) {
            // `the last day of the sprint` is no time that we know.
            if unit == Unit::Day {
                return None;
            }
            if word == "past" {
                return self.rolling(1, unit, at + 2);
            }
            let day = if back { unit.back(self.today, 1) } else { Some(self.today) };
            return self.is(day.and_then(|day| unit.begin(day)), |begin| unit.end(begin), at + 2);
        }
        if let (true, Some(count)) = (back, count_of(next)) {
            return self.rolling(count, Unit::of(self.next(at + 2)?)?, at + 3);
        }
        // `this March` may be still to come.
        let anchor = if back { anchor } else { Date::try_new(anchor.year(), 12, 31)? };
        self.month_first(at + 1, true, anchor)
    }

    /// So many units back from today, and today.
    fn rolling(&self, count: i32, unit: Unit, after: usize) -> Found {
        self.is(unit.back(self.today, count), |_| self.today.add_days(1), after)
    }

    /// The week of a day: `week of March 2`.
    fn week_of(&self, at: usize, anchor: Date) -> Found {
        if !self.follows(at) {
            return None;
        }
        let day = self
            .iso(at)
            .or_else(|| self.day_first(at, anchor))
            .or_else(|| self.month_first(at, false, anchor));
        match day? {
            // `week of January` does not say which.
            Reading::Is(day, _) if day.from.add_days(1) != Some(day.until) => None,
            Reading::Is(day, after) => {
                self.is(Unit::Week.begin(day.from), |begin| Unit::Week.end(begin), after)
            }
            none => Some(none),
        }
    }

    /// `5 January 2026`, `5th of January`.
    fn day_first(&self, at: usize, anchor: Date) -> Found {
        let day = day_of(&self.word(at)?.plain)?;
        let month_at = at + 1 + usize::from(self.next_is(at + 1, &["of"]));
        let month = month_of(self.next(month_at)?)?;
        match self.next(month_at + 1).and_then(year_of) {
            Some(year) => self.is(Date::try_new(year, month, day), |day| day.add_days(1), month_at + 2),
            // `only 5 may fail`
            None if is_verb(&self.words[month_at]) => None,
            None => self.is(latest(month, day, anchor), |day| day.add_days(1), month_at + 1),
        }
    }

    /// `January 5, 2026`, `January 5`, `January 2026`, `January`.
    fn month_first(&self, at: usize, introduced: bool, anchor: Date) -> Found {
        let word = self.word(at)?;
        let month = month_of(&word.plain)?;
        let next = self.next(at + 1);
        if let Some(day) = next.and_then(day_of) {
            return match self.next(at + 2).and_then(year_of) {
                Some(year) => self.is(Date::try_new(year, month, day), |day| day.add_days(1), at + 3),
                None => self.is(latest(month, day, anchor), |day| day.add_days(1), at + 2),
            };
        }
        let (year, after) = match next.and_then(year_of) {
            Some(year) => (year, at + 2),
            // `January 5-10, 2025` has a year, only not here.
            None if next.is_some_and(|next| next.starts_with(|c: char| c.is_ascii_digit())) => return None,
            None if is_clearly_a_month(word, self.follows(at), introduced) => {
                (anchor.year() - i32::from(month > anchor.month()), at + 1)
            }
            None => return None,
        };
        self.is(Date::try_new(year, month, 1), |day| day.add_months(1), after)
    }
}

/// The last such day that is not after the anchor; a leap day may be eight years back.
fn latest(month: u8, day: u8, anchor: Date) -> Option<Date> {
    let years = (anchor.year() - 8..=anchor.year()).rev();
    years.filter_map(|year| Date::try_new(year, month, day)).find(|date| *date <= anchor)
}

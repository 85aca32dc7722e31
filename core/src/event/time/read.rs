//! Reads times, without asking yet which day they are.

use std::ops::Range;

use super::{Edge, Phrase};
use crate::event::token::{After, Token};
use crate::filter::Timestamp;
use crate::query::Date;
use crate::query::name::{count_of, day_of, month_of, quarter_of, year_of};
use crate::query::unit::Unit;

/// A time and its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    pub words: Range<usize>,
    pub phrase: Phrase,
    pub edge: Edge,
}

impl Read {
    /// Whether something is to be done until then: `by March`, `end of the week`.
    pub fn is_deadline(&self) -> bool {
        self.edge != Edge::First
    }
}

/// All times of a sentence, in order.
pub fn read(tokens: &[Token<'_>]) -> Vec<Read> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match (Words { tokens }).time(at) {
            Some(time) => {
                at = time.words.end;
                found.push(time);
            }
            None => at += 1,
        }
    }
    found
}

/// A phrase and the word after it.
type Found = Option<(Phrase, usize)>;

struct Words<'t, 'a> {
    tokens: &'t [Token<'a>],
}

impl Words<'_, '_> {
    /// The word at a place that goes on with the phrase; a comma may stand before it.
    fn next(&self, at: usize) -> Option<&str> {
        let goes_on = at == 0 || self.tokens[at - 1].after != After::Break;
        self.tokens.get(at).filter(|_| goes_on).map(|token| &*token.plain)
    }

    fn is(&self, at: usize, these: &[&str]) -> bool {
        self.next(at).is_some_and(|word| these.contains(&word))
    }

    fn time(&self, start: usize) -> Option<Read> {
        let plain = &*self.tokens[start].plain;
        let mut at = start;
        let mut is_deadline = matches!(plain, "by" | "until" | "till" | "before" | "due");
        let mut is_before = plain == "before";
        if is_deadline {
            at += 1;
            is_before |= self.is(at, &["before"]);
            at += usize::from(self.is(at, &["by", "on", "at", "before", "back"]));
        }
        at += usize::from(is_deadline && self.is(at, &["the"]) && self.is(at + 1, &["end"]));
        if self.is(at, &["end", "close"]) && self.is(at + 1, &["of"]) {
            (is_deadline, is_before) = (true, false);
            at += 2;
            // `close of business today`
            at += usize::from(self.is(at, &["business", "play"]) && self.next(at + 1).is_some());
        }
        let inside = is_deadline && at > start;
        let (phrase, end) = self.phrase(at, inside).or_else(|| self.year(at, inside))?;
        let begin = if is_deadline { start } else { at };
        let edge = match phrase {
            // `before the month is over`, and EOM is its end.
            Phrase::Whole(_, 0) if is_before => Edge::Last,
            _ if is_before => Edge::Before,
            _ if is_deadline => Edge::Last,
            _ => Edge::First,
        };
        Some(Read { words: begin..end, phrase, edge })
    }

    /// Whether a preposition of time stands before a word.
    fn is_introduced(&self, at: usize) -> bool {
        let before = at.checked_sub(1).map(|before| &self.tokens[before]);
        before.is_some_and(|token| {
            let leads = matches!(&*token.plain, "in" | "on" | "during" | "since" | "until" | "from" | "to");
            leads && token.after == After::Nothing
        })
    }

    /// A year by itself needs a preposition.
    fn year(&self, at: usize, inside: bool) -> Found {
        let year = self.next(at).and_then(year_of)?;
        let leads = inside || (self.is_introduced(at) && !self.is(at - 1, &["to", "from"]));
        leads.then_some((Phrase::Year(year), at + 1))
    }

    fn phrase(&self, at: usize, inside: bool) -> Found {
        let word = self.next(at)?;
        let simple = |phrase| Some((phrase, at + 1));
        match word {
            "today" | "tonight" | "eod" | "cob" => return simple(Phrase::Distance(Unit::Day, 0)),
            "tomorrow" => return simple(Phrase::Distance(Unit::Day, 1)),
            "yesterday" => return simple(Phrase::Distance(Unit::Day, -1)),
            "eow" => return simple(Phrase::Weekday(4, Some(0))),
            "eom" => return simple(Phrase::Whole(Unit::Month, 0)),
            "eoq" => return simple(Phrase::Whole(Unit::Quarter, 0)),
            "eoy" => return simple(Phrase::Whole(Unit::Year, 0)),
            "next" | "last" | "this" | "coming" | "previous" | "current" | "the" => {
                return self.relative(at, inside);
            }
            "in" | "within" => return self.ahead(at + 1),
            // `end of month`
            _ if inside && self.tokens[at - 1].plain == "of" => {
                if let Some(unit) = Unit::of(word) {
                    return simple(Phrase::Whole(unit, 0));
                }
            }
            _ => {}
        }
        self.iso(at)
            .or_else(|| self.weekday(at, None))
            .or_else(|| self.quarter(at))
            .or_else(|| self.counted(at))
            .or_else(|| self.day_first(at))
            .or_else(|| self.month_first(at, inside))
    }

    /// `2026-03-01` and `2026-03-01T10:00:00Z`, also with a blank.
    fn iso(&self, at: usize) -> Found {
        let word = self.next(at)?;
        if !word.starts_with(|c: char| c.is_ascii_digit()) || word.len() < 8 {
            return None;
        }
        let time = Timestamp::parse(word)?;
        if word.len() > 10 {
            return Some((Phrase::Instant(time), at + 1));
        }
        let clock = self.next(at + 1).filter(|next| next.contains(':'));
        if let Some(time) = clock.and_then(|clock| Timestamp::parse(&format!("{word} {clock}"))) {
            return Some((Phrase::Instant(time), at + 2));
        }
        Some((Phrase::Day(Date::from_days(time.micros().div_euclid(86_400_000_000))?), at + 1))
    }

    fn weekday(&self, at: usize, weeks: Option<i32>) -> Found {
        let token = self.tokens.get(at)?;
        let weekday = weekday_of(&token.plain)?;
        // `sun` and `wed` are words.
        if token.plain.len() < 6 && !token.is_capitalized() {
            return None;
        }
        // `Monday, 9 March` says more than the day of the week.
        let date =
            self.iso(at + 1).or_else(|| self.day_first(at + 1)).or_else(|| self.month_first(at + 1, false));
        date.or(Some((Phrase::Weekday(weekday, weeks), at + 1)))
    }

    /// `next Monday`, `this quarter`, `the end of June`, `the 5th of May`, `the week`.
    fn relative(&self, at: usize, inside: bool) -> Found {
        let word = self.next(at)?;
        let shift = match word {
            "next" => 1,
            "last" | "previous" => -1,
            _ => 0,
        };
        let following = self.next(at + 1)?;
        if word == "the" {
            return match following {
                "next" | "coming" | "current" | "last" | "previous" => self.relative(at + 1, inside),
                // `by the end of the month`
                _ if inside && Unit::of(following).is_some() => {
                    Some((Phrase::Whole(Unit::of(following)?, 0), at + 2))
                }
                _ => self.day_first(at + 1),
            };
        }
        match self.weekday(at + 1, None) {
            Some((Phrase::Weekday(weekday, _), end)) => {
                let phrase = match word {
                    "last" | "previous" => Phrase::LastWeekday(weekday),
                    "coming" => Phrase::Weekday(weekday, None),
                    _ => Phrase::Weekday(weekday, Some(shift)),
                };
                return Some((phrase, end));
            }
            Some(dated) => return Some(dated),
            None => {}
        }
        match following {
            "morning" | "afternoon" | "evening" | "noon" if word == "this" => {
                return Some((Phrase::Distance(Unit::Day, 0), at + 2));
            }
            "night" if word == "last" => return Some((Phrase::Distance(Unit::Day, -1), at + 2)),
            _ => {}
        }
        let unit = Unit::of(following).filter(|unit| *unit != Unit::Day && !following.ends_with('s'))?;
        Some((Phrase::Whole(unit, shift), at + 2))
    }

    /// `in two weeks`, `in a month`, `within 3 days`.
    fn ahead(&self, at: usize) -> Found {
        let at = at + usize::from(self.is(at, &["the", "about", "around"]) && !self.is(at + 1, &["next"]));
        let lies_ahead = self.is(at, &["the"]) && self.is(at + 1, &["next"]);
        let at = if lies_ahead { at + 2 } else { at };
        let count = count_of(self.next(at)?)?;
        let unit = Unit::of(self.next(at + 1)?)?;
        let phrase = if lies_ahead { Phrase::Distance(unit, count) } else { Phrase::Within(unit, count) };
        Some((phrase, at + 2))
    }

    /// `two weeks ago`, `3 days from now`.
    fn counted(&self, at: usize) -> Found {
        let count = count_of(self.next(at)?)?;
        let unit = Unit::of(self.next(at + 1)?)?;
        if self.is(at + 2, &["ago"]) {
            return Some((Phrase::Distance(unit, -count), at + 3));
        }
        let from_now = self.is(at + 2, &["from"]) && self.is(at + 3, &["now", "today"]);
        from_now.then_some((Phrase::Distance(unit, count), at + 4))
    }

    /// `Q3 2025`, `Q3`, `2025-Q3`.
    fn quarter(&self, at: usize) -> Found {
        let word = self.next(at)?;
        if let Some(quarter) = quarter_of(word) {
            let year = self.next(at + 1).and_then(year_of);
            return Some((Phrase::Quarter(year, quarter), at + 1 + usize::from(year.is_some())));
        }
        let (year, quarter) = word.split_once('-')?;
        Some((Phrase::Quarter(Some(year_of(year)?), quarter_of(quarter)?), at + 1))
    }

    /// `5 January 2026`, `5th of January`.
    fn day_first(&self, at: usize) -> Found {
        let day = day_of(self.next(at)?)?;
        let month_at = at + 1 + usize::from(self.is(at + 1, &["of"]));
        let token = self.tokens.get(month_at).filter(|_| self.next(month_at).is_some())?;
        let month = month_of(&token.plain).filter(|_| token.is_capitalized())?;
        self.dated(month, day, month_at + 1)
    }

    /// `January 5, 2026`, `January 5`, `January 2026`; `January` after a preposition.
    fn month_first(&self, at: usize, inside: bool) -> Found {
        let token = self.tokens.get(at).filter(|token| token.is_capitalized())?;
        let month = month_of(&token.plain)?;
        let next = self.next(at + 1);
        if let Some(day) = next.and_then(day_of) {
            return self.dated(month, day, at + 2);
        }
        if let Some(year) = next.and_then(year_of) {
            return Some((Phrase::Month(Some(year), month), at + 2));
        }
        (inside || self.is_introduced(at)).then_some((Phrase::Month(None, month), at + 1))
    }

    /// With the year that may follow.
    fn dated(&self, month: u8, day: u8, at: usize) -> Found {
        match self.next(at).and_then(year_of) {
            Some(year) => Some((Phrase::Day(Date::try_new(year, month, day)?), at + 1)),
            None => Some((Phrase::MonthDay(month, day), at)),
        }
    }
}

fn weekday_of(word: &str) -> Option<u8> {
    const DAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
    let word = match word {
        "tues" => "tue",
        "thur" | "thurs" => "thu",
        word => word,
    };
    let is = |day: &str| word == day || (word.len() == 3 && day.starts_with(word));
    u8::try_from(DAYS.iter().position(|day| is(day))?).ok()
}

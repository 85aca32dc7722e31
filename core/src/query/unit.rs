//! Weeks, months and the like, as parts of the calendar.

use super::date::Date;

/// What time is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Day,
    Week,
    Month,
    Quarter,
    Year,
}

impl Unit {
    pub fn of(word: &str) -> Option<Self> {
        Some(match word {
            "day" | "days" => Self::Day,
            "week" | "weeks" => Self::Week,
            "month" | "months" => Self::Month,
            "quarter" | "quarters" => Self::Quarter,
            "year" | "years" => Self::Year,
            _ => return None,
        })
    }

    fn months(self) -> i32 {
        match self {
            Self::Day | Self::Week => 0,
            Self::Month => 1,
            Self::Quarter => 3,
            Self::Year => 12,
        }
    }

    fn days(self) -> i32 {
        match self {
            Self::Day => 1,
            Self::Week => 7,
            Self::Month | Self::Quarter | Self::Year => 0,
        }
    }

    /// The day so many units before.
    pub fn back(self, day: Date, count: i32) -> Option<Date> {
        day.add_days(-i64::from(self.days() * count))?.add_months(-self.months() * count)
    }

    /// The first day of the unit that a day is in. Weeks begin on Monday.
    pub fn begin(self, day: Date) -> Option<Date> {
        match self {
            Self::Day => Some(day),
            Self::Week => day.monday(),
            Self::Month => Date::try_new(day.year(), day.month(), 1),
            Self::Quarter => Date::try_new(day.year(), (day.month() - 1) / 3 * 3 + 1, 1),
            Self::Year => Date::try_new(day.year(), 1, 1),
        }
    }

    /// The first day of the next unit.
    pub fn end(self, begin: Date) -> Option<Date> {
        begin.add_days(i64::from(self.days()))?.add_months(self.months())
    }
}

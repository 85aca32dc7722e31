//! Days of the Gregorian calendar.

/// A day of the years 1 to 9999.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    year: i32,
    month: u8,
    day: u8,
}

impl Date {
    /// 1970-01-01
    pub const EPOCH: Self = Self { year: 1970, month: 1, day: 1 };

    /// A day that exists.
    pub fn try_new(year: i32, month: u8, day: u8) -> Option<Self> {
        let exists = (1..=9999).contains(&year)
            && (1..=12).contains(&month)
            && (1..=days_of_month(year, month)).contains(&day);
        exists.then_some(Self { year, month, day })
    }

    /// The year, 1 to 9999.
    pub fn year(self) -> i32 {
        self.year
    }

    /// The month, 1 to 12.
    pub fn month(self) -> u8 {
        self.month
    }

    /// The day of the month, from 1.
    pub fn day(self) -> u8 {
        self.day
    }

    /// Days since 1970-01-01.
    pub fn days(self) -> i64 {
        // Years begin in March here, so that the leap day is the last of its year.
        let shifted = i64::from(self.month + 9) % 12;
        let year = i64::from(self.year) - i64::from(self.month <= 2);
        let day_of_year = (153 * shifted + 2) / 5 + i64::from(self.day) - 1;
        365 * year + year / 4 - year / 100 + year / 400 + day_of_year - 719_468
    }

    /// The day that is so many days after 1970-01-01.
    pub fn from_days(days: i64) -> Option<Self> {
        // The average year is off by less than one.
        let guess = i32::try_from(days.checked_add(719_468)?.checked_mul(400)? / 146_097).ok()?;
        let first = (guess - 1..=guess + 1).rev().filter_map(|year| Self::try_new(year, 1, 1));
        let first = first.into_iter().find(|first| first.days() <= days)?;
        let mut rest = days - first.days();
        for month in 1..=12 {
            let length = i64::from(days_of_month(first.year, month));
            if rest < length {
                return Self::try_new(first.year, month, u8::try_from(rest + 1).ok()?);
            }
            rest -= length;
        }
        None
    }

    pub(crate) fn add_days(self, days: i64) -> Option<Self> {
        Self::from_days(self.days().checked_add(days)?)
    }

    /// The same day of another month, or its last.
    pub(crate) fn add_months(self, months: i32) -> Option<Self> {
        let all = (self.year * 12 + i32::from(self.month) - 1).checked_add(months)?;
        let (year, month) = (all.div_euclid(12), u8::try_from(all.rem_euclid(12) + 1).ok()?);
        Self::try_new(year, month, self.day.min(days_of_month(year, month)))
    }

    /// The Monday of its week.
    pub(crate) fn monday(self) -> Option<Self> {
        // 1970-01-01 was a Thursday.
        self.add_days(-(self.days() + 3).rem_euclid(7))
    }
}

/// As ISO 8601 has it: `2026-01-31`.
impl std::fmt::Display for Date {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

fn days_of_month(year: i32, month: u8) -> u8 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 => 28 + u8::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

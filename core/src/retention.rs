//! How long a memory is kept.

use std::fmt;
use std::str::FromStr;

use crate::query::Date;

/// The most units of a period: nothing that is written today is kept by rule in a thousand years.
pub const MOST_UNITS: u16 = 1000;

/// What is to become of a memory with time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retention {
    /// Kept: the default.
    Forever,
    /// Kept until somebody says that it is resolved.
    UntilResolved,
    /// A rule of somebody else's; kept here.
    Custom,
    /// Kept for a time.
    For(Period),
}

/// A time such as `1y` or `90d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    count: u16,
    unit: Unit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Day,
    Week,
    Month,
    Year,
}

impl Period {
    /// As months and days, which is how an interval of Postgres has it.
    pub fn months_and_days(self) -> (i32, i32) {
        let count = i32::from(self.count);
        match self.unit {
            Unit::Day => (0, count),
            Unit::Week => (0, 7 * count),
            Unit::Month => (count, 0),
            Unit::Year => (12 * count, 0),
        }
    }

    /// The day that is this much later: the same day of its month, or the last if there is none. None after the year 9999.
    pub fn after(self, day: Date) -> Option<Date> {
        let (months, days) = self.months_and_days();
        let all = day.year() * 12 + i32::from(day.month()) - 1 + months;
        let (year, month) = (all / 12, u8::try_from(all % 12 + 1).ok()?);
        let moved = (0..4).find_map(|less| Date::try_new(year, month, day.day().checked_sub(less)?))?;
        Date::from_days(moved.days() + i64::from(days))
    }
}

impl Retention {
    /// The first day on which a memory of a given day need not be kept any more, if time alone decides.
    pub fn expires_on(self, created: Date) -> Option<Date> {
        match self {
            Self::For(period) => period.after(created),
            Self::Forever | Self::UntilResolved | Self::Custom => None,
        }
    }

    /// Whether a memory may go.
    pub fn is_over(self, created: Date, today: Date, resolved: bool) -> bool {
        match self {
            Self::UntilResolved => resolved,
            _ => self.expires_on(created).is_some_and(|day| day <= today),
        }
    }
}

/// A word that says nothing about retention.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "retention must be forever, until_resolved, custom, or a time of 1 to {MOST_UNITS} days, weeks, months or years such as 90d, 2w, 6m or 1y"
)]
pub struct RetentionError;

impl FromStr for Retention {
    type Err = RetentionError;

    fn from_str(word: &str) -> Result<Self, RetentionError> {
        match word {
            "forever" => Ok(Self::Forever),
            "until_resolved" => Ok(Self::UntilResolved),
            "custom" => Ok(Self::Custom),
            _ => period(word).map(Self::For).ok_or(RetentionError),
        }
    }
}

fn period(word: &str) -> Option<Period> {
    let unit = match word.as_bytes().last()? {
        b'd' => Unit::Day,
        b'w' => Unit::Week,
        b'm' => Unit::Month,
        b'y' => Unit::Year,
        _ => return None,
    };
    let count = &word[..word.len() - 1];
    // One way to write each period: no sign, no zero in front.
    let is_plain = count.bytes().all(|b| b.is_ascii_digit()) && !count.starts_with('0');
    let count = count.parse().ok().filter(|count| is_plain && *count <= MOST_UNITS)?;
    Some(Period { count, unit })
}

impl fmt::Display for Retention {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Forever => f.write_str("forever"),
            Self::UntilResolved => f.write_str("until_resolved"),
            Self::Custom => f.write_str("custom"),
            Self::For(period) => period.fmt(f),
        }
    }
}

impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = match self.unit {
            Unit::Day => 'd',
            Unit::Week => 'w',
            Unit::Month => 'm',
            Unit::Year => 'y',
        };
        write!(f, "{}{unit}", self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn expires(word: &str, year: i32, month: u8, day: u8) -> String {
        let created = Date::try_new(year, month, day).unwrap();
        word.parse::<Retention>().unwrap().expires_on(created).map_or("never".into(), |date| date.to_string())
    }

    #[test]
    fn periods_end_on_the_day_that_a_calendar_shows() {
        assert_eq!(expires("1y", 2026, 3, 15), "2027-03-15");
        assert_eq!(expires("1y", 2024, 2, 29), "2025-02-28");
        assert_eq!(expires("4y", 2024, 2, 29), "2028-02-29");
        assert_eq!(expires("1m", 2026, 1, 31), "2026-02-28");
        assert_eq!(expires("13m", 2026, 12, 31), "2028-01-31");
        assert_eq!(expires("90d", 2026, 1, 1), "2026-04-01");
        assert_eq!(expires("2w", 2025, 12, 25), "2026-01-08");
    }

    #[test]
    fn the_others_do_not_end_by_time() {
        for word in ["forever", "until_resolved", "custom"] {
            assert_eq!(expires(word, 2026, 1, 1), "never");
        }
        assert_eq!(expires("1y", 9999, 1, 1), "never", "no day that could be stored");
    }

    #[test]
    fn a_memory_may_go_when_its_rule_says_so() {
        let day = |text: i64| Date::from_days(text).unwrap();
        let over = |word: &str, today, resolved| {
            word.parse::<Retention>().unwrap().is_over(day(0), day(today), resolved)
        };
        assert!(!over("90d", 89, true) && over("90d", 90, false));
        assert!(!over("until_resolved", 9000, false) && over("until_resolved", 0, true));
        assert!(!over("forever", 90_000, true) && !over("custom", 90_000, true));
    }

    #[test]
    fn other_words_are_refused() {
        for word in [
            "", "d", "0d", "01d", "+1d", "-1d", "1", "1h", "1Y", "1 y", "1y ", "1001d", "99999y", "ever",
            "é", "1é",
        ] {
            assert_eq!(word.parse::<Retention>(), Err(RetentionError), "{word:?}");
        }
    }

    proptest! {
        #[test]
        fn what_is_accepted_is_written_back(word in "\\PC{0,6}|[0-9]{1,4}[dwmy]") {
            if let Ok(retention) = word.parse::<Retention>() {
                prop_assert_eq!(retention.to_string(), word);
            }
        }

        #[test]
        fn every_period_ends_later_and_longer_ones_not_earlier(days in 0i64..300_000, count in 1u16..=MOST_UNITS, unit in "[dwmy]") {
            let created = Date::from_days(days).unwrap();
            let end = |count: u16| format!("{count}{unit}").parse::<Retention>().unwrap().expires_on(created).unwrap();
            prop_assert!(end(count) > created);
            prop_assert!(count == 1 || end(count - 1) < end(count));
        }
    }
}

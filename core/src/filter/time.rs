//! Points in time, as RFC 3339 and people write them.

use crate::query::Date;

const MICROS_PER_DAY: i64 = 86_400_000_000;
const MICROS_PER_MINUTE: i64 = 60_000_000;

/// A point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The first moment of a day, in UTC.
    pub fn start_of(date: Date) -> Self {
        Self(date.days() * MICROS_PER_DAY)
    }

    /// Microseconds since the beginning of 1970 in UTC.
    pub fn micros(self) -> i64 {
        self.0
    }

    /// As RFC 3339 has it, in UTC and to the second: `2026-01-31T10:00:00Z`. None out of the calendar, which an offset can
    /// lead to.
    pub fn to_rfc3339(self) -> Option<String> {
        let date = Date::from_days(self.0.div_euclid(MICROS_PER_DAY))?;
        let minutes = self.0.rem_euclid(MICROS_PER_DAY) / MICROS_PER_MINUTE;
        let seconds = self.0.rem_euclid(MICROS_PER_MINUTE) / 1_000_000;
        Some(format!("{date}T{:02}:{:02}:{seconds:02}Z", minutes / 60, minutes % 60))
    }

    /// Reads `2026-01-31`, which is its first moment, or `2026-01-31T10:00:00.5+02:00`: seconds, their fraction and the
    /// offset may be left out, and a blank may stand for the T. Without an offset it is UTC, so that the same filter
    /// means the same in every session.
    pub fn parse(text: &str) -> Option<Self> {
        let mut rest = Rest(text.as_bytes());
        let year = rest.number(4)?;
        rest.expect(b'-')?;
        let month = rest.number(2)?;
        rest.expect(b'-')?;
        let day = rest.number(2)?;
        let date =
            Date::try_new(i32::try_from(year).ok()?, u8::try_from(month).ok()?, u8::try_from(day).ok()?)?;
        let Self(midnight) = Self::start_of(date);
        if rest.0.is_empty() {
            return Some(Self(midnight));
        }
        rest.take(|b| matches!(b, b'T' | b't' | b' '))?;
        let time = time_of_day(&mut rest)?;
        let offset = offset(&mut rest)?;
        rest.0.is_empty().then_some(Self(midnight + time - offset))
    }
}

fn time_of_day(rest: &mut Rest<'_>) -> Option<i64> {
    let hour = rest.number(2).filter(|hour| *hour < 24)?;
    rest.expect(b':')?;
    let minute = rest.number(2).filter(|minute| *minute < 60)?;
    let mut micros = (60 * hour + minute) * MICROS_PER_MINUTE;
    if rest.expect(b':').is_some() {
        micros += 1_000_000 * rest.number(2).filter(|second| *second < 60)?;
        if rest.expect(b'.').is_some() {
            micros += fraction(rest)?;
        }
    }
    Some(micros)
}

/// Up to nine digits, of which Postgres keeps six.
fn fraction(rest: &mut Rest<'_>) -> Option<i64> {
    let mut micros = 0;
    let mut scale = 100_000;
    let mut digits = 0;
    while let Some(digit) = rest.take(|b| b.is_ascii_digit()) {
        micros += i64::from(digit - b'0') * scale;
        scale /= 10;
        digits += 1;
    }
    (1..=9).contains(&digits).then_some(micros)
}

/// East of Greenwich: `Z`, `+02`, `+0200`, `+02:00` or nothing, in microseconds.
fn offset(rest: &mut Rest<'_>) -> Option<i64> {
    let Some(sign) = rest.take(|b| matches!(b, b'+' | b'-')) else {
        rest.take(|b| matches!(b, b'Z' | b'z'));
        return Some(0);
    };
    let hours = rest.number(2).filter(|hours| *hours < 16)?;
    let has_minutes = rest.expect(b':').is_some() || !rest.0.is_empty();
    let minutes = if has_minutes { rest.number(2).filter(|minutes| *minutes < 60)? } else { 0 };
    let east = (60 * hours + minutes) * MICROS_PER_MINUTE;
    Some(if sign == b'+' { east } else { -east })
}

/// What is left to read.
struct Rest<'t>(&'t [u8]);

impl Rest<'_> {
    fn take(&mut self, wanted: impl Fn(u8) -> bool) -> Option<u8> {
        let (first, rest) = self.0.split_first().filter(|(first, _)| wanted(**first))?;
        self.0 = rest;
        Some(*first)
    }

    fn expect(&mut self, byte: u8) -> Option<u8> {
        self.take(|b| b == byte)
    }

    /// So many digits.
    fn number(&mut self, digits: usize) -> Option<i64> {
        let mut number = 0;
        for _ in 0..digits {
            number = 10 * number + i64::from(self.take(|b| b.is_ascii_digit())? - b'0');
        }
        Some(number)
    }
}

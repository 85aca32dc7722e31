//! What a page of events says for the next.

use pgrx::Uuid;
use pgrx::prelude::*;

use crate::spi::event_search::Cursor;

/// More events than a table has.
const BEYOND: i64 = 1_000_000_000_000;

/// By what something was found.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum How {
    /// Not by words.
    #[default]
    Filters,
    AllWords,
    AnyWord,
    /// No word of the query says anything.
    Nothing,
}

impl How {
    pub fn in_words(self) -> Option<&'static str> {
        match self {
            Self::Filters => None,
            Self::AllWords => Some("all words"),
            Self::AnyWord => Some("any word"),
            Self::Nothing => Some("nothing"),
        }
    }
}

/// Where a page ended, and how the next goes on.
pub struct After {
    pub how: How,
    pub is_ranked: bool,
    /// As the first page has counted, and whether that is all.
    pub total: i64,
    pub is_exact: bool,
    pub cursor: Cursor,
}

impl After {
    /// What it is found by, its order and the total, with a + if there are more; score, time and key of the last event.
    pub fn written(&self) -> String {
        let how = match self.how {
            How::AllWords => 'a',
            How::AnyWord => 'o',
            How::Filters | How::Nothing => 'f',
        };
        let order = if self.is_ranked { 'r' } else { 't' };
        let time = self.cursor.time.map_or_else(|| "-".to_owned(), |time| time.into_inner().to_string());
        let score = self.cursor.score.to_bits();
        let more = if self.is_exact { "" } else { "+" };
        format!("{how}{order}{}{more}/{score:x}/{time}/{}", self.total, self.cursor.event)
    }

    /// None if no page has given it.
    pub fn read(text: &str) -> Option<Self> {
        let mut parts = text.split('/');
        let (begun, score, time, event) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let mut letters = begun.chars();
        let how = match letters.next()? {
            'a' => How::AllWords,
            'o' => How::AnyWord,
            'f' => How::Filters,
            _ => return None,
        };
        let is_ranked = match letters.next()? {
            'r' => true,
            't' => false,
            _ => return None,
        };
        let counted = letters.as_str();
        let number = counted.strip_suffix('+').unwrap_or(counted);
        let total = number.parse().ok().filter(|total| (0..BEYOND).contains(total))?;
        let score = f64::from_bits(u64::from_str_radix(score, 16).ok()?);
        let time = match time {
            "-" => None,
            time => Some(TimestampWithTimeZone::try_from(time.parse::<i64>().ok()?).ok()?),
        };
        let event = Uuid::from_bytes(*uuid::Uuid::try_parse(event).ok()?.as_bytes());
        (parts.next().is_none() && score.is_finite()).then_some(Self {
            how,
            is_ranked,
            total,
            is_exact: number == counted,
            cursor: Cursor { score, time, event },
        })
    }
}

//! The time that a query mentions: `since last week`, `between January and March 2026`.

use std::ops::Range;

use super::date::Date;
use super::point::{Points, Reading, Span};
use super::word::Word;

/// Days from the first to the one after the last; none where the end is open. One end at least is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DateRange {
    /// The first day.
    pub from: Option<Date>,
    /// The day after the last.
    pub until: Option<Date>,
}

impl DateRange {
    /// Whether a day is in it.
    pub fn contains(self, day: Date) -> bool {
        self.from.is_none_or(|from| from <= day) && self.until.is_none_or(|until| day < until)
    }
}

/// A time and the words that name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DateMention {
    /// The time.
    pub range: DateRange,
    /// The words, with their preposition, in bytes of the query.
    pub span: Range<usize>,
}

/// The first time that is mentioned. Where there are several, the others stay words: one of them is the subject, and a
/// filter that is too wide loses nothing.
pub fn first(words: &[Word], today: Date) -> Option<DateMention> {
    let points = Points { words, today };
    let mut at = 0;
    while at < words.len() {
        match mention(&points, at) {
            Some(Reading::Is(range, end)) => {
                let span = words[at].span.start..words[end - 1].span.end;
                return Some(DateMention { range, span });
            }
            Some(Reading::IsNot(end)) => at = end,
            None => at += 1,
        }
    }
    None
}

/// What a preposition makes of the time after it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lead {
    Since,
    After,
    Before,
    Until,
    /// The same, or who did something: `by April`.
    By,
    Between,
    /// It only introduces: `in`, `during`.
    Time,
    /// It also introduces other things than time, such as people: `for April`.
    Any,
}

fn lead(word: &str) -> Option<Lead> {
    Some(match word {
        "since" => Lead::Since,
        "after" => Lead::After,
        "before" => Lead::Before,
        "until" | "till" => Lead::Until,
        "by" => Lead::By,
        "between" => Lead::Between,
        "in" | "during" | "within" | "over" | "the" => Lead::Time,
        "on" | "of" | "for" | "from" => Lead::Any,
        _ => return None,
    })
}

/// The time that is mentioned from a word on.
fn mention(points: &Points, at: usize) -> Option<Reading<DateRange>> {
    let lead = lead(&points.word(at)?.plain);
    let mut start = at + usize::from(lead.is_some());
    if lead.is_some() && points.next_is(start, &["the"]) {
        start += 1;
    }
    if start > at && !points.follows(start) {
        return None;
    }
    let introduced = !matches!(lead, None | Some(Lead::Any | Lead::By));
    let (first, end) = match points.point(start, introduced, points.today)? {
        Reading::Is(span, end) => (span, end),
        Reading::IsNot(end) => return Some(Reading::IsNot(end)),
    };
    let (from, until) = (Some(first.from), Some(first.until));
    let open = |range| Some(Reading::Is(range, end));
    match lead {
        Some(Lead::Since) => open(DateRange { from, until: None }),
        Some(Lead::After) => open(DateRange { from: until, until: None }),
        Some(Lead::Before) => open(DateRange { from: None, until: from }),
        Some(Lead::Until | Lead::By) => open(DateRange { from: None, until }),
        Some(Lead::Between) => {
            range(points, start, end, &["and", "to", "-", "–"]).or(Some(Reading::IsNot(end)))
        }
        _ => range(points, start, end, &["to", "through", "until", "till", "-", "–", "—"]).or_else(|| {
            if points.next_is(end, &["onward", "onwards"]) {
                return Some(Reading::Is(DateRange { from, until: None }, end + 1));
            }
            open(closed(first))
        }),
    }
}

/// Two times with a word between them. A month without a year is the last one before the second time:
/// `November to February 2026`.
fn range(points: &Points, start: usize, end: usize, joints: &[&str]) -> Option<Reading<DateRange>> {
    if !points.next_is(end, joints) || !points.follows(end + 1) {
        return None;
    }
    let Some(Reading::Is(last, after)) = points.point(end + 1, true, points.today) else {
        // `Jan 5 to 10` is more than the fifth.
        let goes_on = points.word(end + 1)?.plain.starts_with(|c: char| c.is_ascii_digit());
        return goes_on.then_some(Reading::IsNot(end + 2));
    };
    let Reading::Is(first, _) = points.point(start, true, last.from)? else { return None };
    let span = Span { from: first.from.min(last.from), until: first.until.max(last.until) };
    Some(Reading::Is(closed(span), after))
}

fn closed(span: Span) -> DateRange {
    DateRange { from: Some(span.from), until: Some(span.until) }
}

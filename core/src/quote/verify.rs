//! Whether quotes are what a text says at the places that they are said to be at.

use std::ops::Range;

use crate::event::MOST_QUOTE_WORDS;

/// How many code points lie between two places that are kept.
const STEP: usize = 1024;

/// What is wrong with a quote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QuoteProblem {
    /// The span is empty, reversed, or ends behind the text.
    #[error("the span is not inside of the text")]
    Outside,
    /// The text says something else there.
    #[error("the quote is not what the text says at its span")]
    Different,
    /// It has no words.
    #[error("the quote has no words")]
    Empty,
    /// It has too many words.
    #[error("the quote has more than {MOST_QUOTE_WORDS} words")]
    TooLong,
}

/// Places in a text, by code points. Makes many look-ups in a long text cheap.
pub struct CodePoints<'a> {
    text: &'a str,
    /// The byte of each code point whose number is a multiple of [`STEP`].
    kept: Vec<usize>,
    count: usize,
}

impl<'a> CodePoints<'a> {
    /// Of a text, in one pass.
    pub fn new(text: &'a str) -> Self {
        let mut kept = Vec::with_capacity(text.len() / STEP + 1);
        let mut count = 0;
        for (at, _) in text.char_indices() {
            if count % STEP == 0 {
                kept.push(at);
            }
            count += 1;
        }
        Self { text, kept, count }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The byte at which a code point begins; none behind the end.
    pub fn byte(&self, place: usize) -> Option<usize> {
        if place >= self.count {
            return (place == self.count).then_some(self.text.len());
        }
        let near = *self.kept.get(place / STEP)?;
        self.text[near..].char_indices().nth(place % STEP).map(|(at, _)| near + at)
    }

    /// The code point that begins at a byte, which must be a boundary.
    pub fn place(&self, byte: usize) -> usize {
        let after = self.kept.partition_point(|kept| *kept <= byte);
        let index = after.saturating_sub(1);
        let near = self.kept.get(index).copied().unwrap_or(0);
        index * STEP + self.text.get(near..byte).map_or(0, |between| between.chars().count())
    }

    /// The span of code points that a span of bytes is.
    pub fn span(&self, bytes: &Range<usize>) -> Range<usize> {
        self.place(bytes.start)..self.place(bytes.end)
    }

    /// What the text says at a span of code points; none where it has no such span.
    pub fn said(&self, span: &Range<usize>) -> Option<&'a str> {
        let bytes = self.byte(span.start).zip(self.byte(span.end)).filter(|(start, end)| start < end);
        bytes.map(|(start, end)| &self.text[start..end])
    }

    /// Checks one quote, whose span is in code points.
    pub fn verify(&self, span: &Range<usize>, quote: &str) -> Result<(), QuoteProblem> {
        if self.said(span).ok_or(QuoteProblem::Outside)? != quote {
            return Err(QuoteProblem::Different);
        }
        match quote.split_whitespace().take(MOST_QUOTE_WORDS + 1).count() {
            0 => Err(QuoteProblem::Empty),
            words if words > MOST_QUOTE_WORDS => Err(QuoteProblem::TooLong),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_quote_is_what_the_text_says() {
        let text = "Wir nehmen Größe 7, ‘ganz’ sicher.";
        let points = CodePoints::new(text);
        assert_eq!(points.verify(&(11..18), "Größe 7"), Ok(()));
        assert_eq!(points.verify(&(11..18), "größe 7"), Err(QuoteProblem::Different));
        assert_eq!(points.verify(&(20..26), "'ganz'"), Err(QuoteProblem::Different), "marks are kept");
        assert_eq!(points.verify(&(20..26), "‘ganz’"), Ok(()));
        assert_eq!(points.verify(&(11..11), ""), Err(QuoteProblem::Outside));
        assert_eq!(points.verify(&Range { start: 18, end: 11 }, "Größe 7"), Err(QuoteProblem::Outside));
        assert_eq!(points.verify(&(30..99), "sicher."), Err(QuoteProblem::Outside));
        assert_eq!(points.verify(&(3..4), " "), Err(QuoteProblem::Empty));
        assert_eq!(CodePoints::new("").verify(&(0..1), "x"), Err(QuoteProblem::Outside));
        assert_eq!((points.said(&(11..18)), points.said(&(30..99))), (Some("Größe 7"), None));
    }

    #[test]
    fn twenty_five_words_are_enough() {
        let words = |count: usize| vec!["word"; count].join(" ");
        for (count, outcome) in [(25, Ok(())), (26, Err(QuoteProblem::TooLong))] {
            let text = words(count);
            assert_eq!(CodePoints::new(&text).verify(&(0..text.len()), &text), outcome);
        }
    }

    proptest! {
        #[test]
        fn places_and_bytes_are_each_others_inverse(text in "[aä€😀]{0,3000}", at in 0usize..3000) {
            let points = CodePoints::new(&text);
            prop_assert_eq!(points.count(), text.chars().count());
            match points.byte(at) {
                Some(byte) => prop_assert_eq!(points.place(byte), at),
                None => prop_assert!(at > points.count()),
            }
        }
    }
}

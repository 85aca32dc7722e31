//! The part of a text that shows why it was found: an exact span around what matched.

use std::collections::BTreeSet;
use std::ops::Range;

/// Words that say nothing about what is meant.
const COMMON: [&str; 24] = [
    "the", "and", "for", "was", "were", "are", "did", "does", "what", "when", "where", "which", "who", "why",
    "how", "with", "that", "this", "from", "have", "has", "had", "not", "you",
];

/// From so many letters on, words that begin alike are taken for forms of one.
const STEM: usize = 5;

/// The span of at most `most` characters, in characters, with the most different words of the query in it; the first of equals.
/// It begins and ends at words, and is the whole text if that is no longer.
pub fn span(text: &str, query: &str, most: usize) -> Range<usize> {
    let words = words(text);
    let length = text.chars().count();
    if length <= most {
        return 0..length;
    }
    let matches = matches(&words, query);
    let best = densest(&matches, most).unwrap_or(0..0);
    // What matched goes to the middle.
    let spare = most.saturating_sub(best.len());
    let start = best.start.saturating_sub(spare / 2).min(length - most);
    trimmed(text, whole_words(&words, start..start + most, length, best))
}

/// Without blanks at its ends.
fn trimmed(text: &str, span: Range<usize>) -> Range<usize> {
    let blanks = |chars: &mut dyn Iterator<Item = char>| chars.take_while(|c| c.is_whitespace()).count();
    let shown: Vec<char> = text.chars().skip(span.start).take(span.len()).collect();
    let before = blanks(&mut shown.iter().copied());
    let after = blanks(&mut shown[before..].iter().rev().copied());
    span.start + before..span.end - after
}

/// A word of the text: where it is, in characters, and in lower case.
struct Word {
    span: Range<usize>,
    plain: String,
}

fn words(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut inside = false;
    for (at, c) in text.chars().enumerate() {
        if !c.is_alphanumeric() {
            inside = false;
            continue;
        }
        match words.last_mut() {
            Some(word) if inside => {
                word.span.end = at + 1;
                word.plain.extend(c.to_lowercase());
            }
            _ => words.push(Word { span: at..at + 1, plain: c.to_lowercase().collect() }),
        }
        inside = true;
    }
    words
}

/// Where words of the query are in the text, and which.
fn matches(in_text: &[Word], query: &str) -> Vec<(Range<usize>, usize)> {
    let asked: Vec<String> = words(query)
        .into_iter()
        .map(|word| word.plain)
        .filter(|word| word.len() > 2 && !COMMON.contains(&word.as_str()))
        .collect();
    let which = |plain: &str| asked.iter().position(|word| is_form_of(word, plain));
    in_text.iter().filter_map(|word| Some((word.span.clone(), which(&word.plain)?))).collect()
}

fn is_form_of(one: &str, other: &str) -> bool {
    let shared = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    one == other || shared >= STEM
}

/// The stretch of matches that fits, with the most different words.
fn densest(matches: &[(Range<usize>, usize)], most: usize) -> Option<Range<usize>> {
    let mut best: Option<(usize, Range<usize>)> = None;
    let mut end = 0;
    for (start, (first, _)) in matches.iter().enumerate() {
        end = end.max(start);
        while matches.get(end).is_some_and(|(span, _)| span.end <= first.start + most) {
            end += 1;
        }
        let inside = &matches[start..end];
        let different = inside.iter().map(|(_, which)| which).collect::<BTreeSet<_>>().len();
        if let Some((last, _)) = inside.last()
            && best.as_ref().is_none_or(|(count, _)| different > *count)
        {
            best = Some((different, first.start..last.end));
        }
    }
    best.map(|(_, span)| span)
}

/// Cuts off the halves of words at both ends, but nothing of what matched.
fn whole_words(words: &[Word], window: Range<usize>, length: usize, kept: Range<usize>) -> Range<usize> {
    let torn = |at: usize| words.iter().find(|word| word.span.start < at && at < word.span.end);
    let start = match torn(window.start) {
        Some(word) if window.start > 0 && word.span.end <= kept.start => word.span.end,
        _ => window.start,
    };
    let end = match torn(window.end) {
        Some(word) if window.end < length && word.span.start >= kept.end && word.span.start > start => {
            word.span.start
        }
        _ => window.end,
    };
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cut(text: &str, query: &str, most: usize) -> String {
        let span = span(text, query, most);
        text.chars().skip(span.start).take(span.len()).collect()
    }

    #[test]
    fn it_shows_what_matched() {
        let text = format!("{} The ledger closes at midnight. {}", "filler ".repeat(40), "other ".repeat(40));
        let shown = cut(&text, "when is the ledger closed?", 60);
        assert!(shown.contains("ledger closes"), "{shown}");
        assert!(shown.chars().count() <= 60);
        assert!(!shown.trim().starts_with("iller") && !shown.trim().ends_with("othe"), "{shown}");
    }

    #[test]
    fn a_short_text_is_shown_whole_and_no_match_from_the_start() {
        assert_eq!(cut("short", "anything", 60), "short");
        assert!(cut(&"abc ".repeat(50), "xyz", 10).starts_with("abc"));
        assert_eq!(cut("", "x", 10), "");
    }

    proptest! {
        #[test]
        fn it_is_a_span_within_the_bounds(text in "\\PC{0,200}", query in "\\PC{0,30}", most in 0..80_usize) {
            let span = span(&text, &query, most);
            prop_assert!(span.start <= span.end && span.end <= text.chars().count());
            prop_assert!(span.len() <= most);
        }
    }
}

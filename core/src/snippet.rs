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

/// The span of at most `most` characters, in characters, with the most different words of identifiers in it, and of those the one with
/// the most different words of the query; the first of equals. It begins and ends at words, and is the whole text if that is no longer.
pub fn span(text: &str, query: &str, identifiers: &[&str], most: usize) -> Range<usize> {
    let in_text = words(text);
    let length = text.chars().count();
    if length <= most {
        return 0..length;
    }
    let matches = matches(&in_text, query, identifiers);
    let best = densest(&matches, most).unwrap_or(0..0);
    // What matched goes to the middle.
    let spare = most.saturating_sub(best.len());
    let start = best.start.saturating_sub(spare / 2).min(length - most);
    trimmed(text, whole_words(&in_text, start..start + most, length, best))
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

/// A word of the text that was asked for, and by which word.
struct Match {
    span: Range<usize>,
    which: usize,
    is_of_identifier: bool,
}

/// Where words of identifiers and of the query are in the text.
fn matches(in_text: &[Word], query: &str, identifiers: &[&str]) -> Vec<Match> {
    let exact = distinct(identifiers.iter().copied());
    let mut asked = distinct([query]);
    asked.retain(|word| word.len() > 2 && !COMMON.contains(&word.as_str()));
    let matched = |word: &Word| {
        let span = word.span.clone();
        if let Some(which) = exact.iter().position(|one| *one == word.plain) {
            return Some(Match { span, which, is_of_identifier: true });
        }
        let which = exact.len() + asked.iter().position(|one| is_form_of(one, &word.plain))?;
        Some(Match { span, which, is_of_identifier: false })
    };
    in_text.iter().filter_map(matched).collect()
}

/// The words of texts, each once: what is said a thousand times is not looked for a thousand times.
fn distinct<'a>(texts: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let all = texts.into_iter().flat_map(words).map(|word| word.plain);
    all.filter(|word| seen.insert(word.clone())).collect()
}

fn is_form_of(one: &str, other: &str) -> bool {
    let shared = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    one == other || shared >= STEM
}

/// The stretch of matches that fits, with the most different words.
fn densest(matches: &[Match], most: usize) -> Option<Range<usize>> {
    let mut best: Option<((usize, usize), Range<usize>)> = None;
    let mut end = 0;
    for (start, first) in matches.iter().enumerate() {
        end = end.max(start);
        while matches.get(end).is_some_and(|one| one.span.end <= first.span.start + most) {
            end += 1;
        }
        let inside = &matches[start..end];
        let all: BTreeSet<usize> = inside.iter().map(|one| one.which).collect();
        let exact: BTreeSet<usize> =
            inside.iter().filter(|one| one.is_of_identifier).map(|one| one.which).collect();
        let worth = (exact.len(), all.len());
        if let Some(last) = inside.last()
            && best.as_ref().is_none_or(|(known, _)| worth > *known)
        {
            best = Some((worth, first.span.start..last.span.end));
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
        let span = span(text, query, &[], most);
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
    fn an_identifier_is_shown_whatever_else_matches() {
        let text =
            format!("{} It was PAY-4012 once. {}", "payment gateway failure ".repeat(20), "x ".repeat(40));
        let span = span(&text, "payment gateway failure pay-4012", &["pay-4012"], 40);
        let shown: String = text.chars().skip(span.start).take(span.len()).collect();
        assert!(shown.contains("PAY-4012"), "{shown}");
    }

    #[test]
    fn a_short_text_is_shown_whole_and_no_match_from_the_start() {
        assert_eq!(cut("short", "anything", 60), "short");
        assert!(cut(&"abc ".repeat(50), "xyz", 10).starts_with("abc"));
        assert_eq!(cut("", "x", 10), "");
    }

    proptest! {
        #[test]
        fn it_is_a_span_within_the_bounds(
            text in "\\PC{0,200}",
            query in "\\PC{0,30}",
            identifiers in proptest::array::uniform2("\\PC{0,8}"),
            most in 0..80_usize,
        ) {
            let span = span(&text, &query, &identifiers.each_ref().map(String::as_str), most);
            prop_assert!(span.start <= span.end && span.end <= text.chars().count());
            prop_assert!(span.len() <= most);
        }
    }
}

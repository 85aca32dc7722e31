//! Finding a quote in the text that it is said to come from.

mod verify;

use std::ops::Range;

pub use self::verify::{CodePoints, QuoteProblem};

/// Where a quote stands, in code points; none if it is not there.
///
/// Exactly first; then ignoring differences of white space and of quotation marks, which language models do not keep. Of
/// several places the one nearest to `near` (a code point offset), else the first.
pub fn locate_quote(content: &str, quote: &str, near: Option<usize>) -> Option<Range<usize>> {
    let quote = quote.trim();
    if quote.is_empty() {
        return None;
    }
    let near = near.map_or(0, |near| byte_at(content, near));
    let exact = nearest(content, quote, near).map(|at| at..at + quote.len());
    let span = exact.or_else(|| loosely(content, quote, near))?;
    let start = content[..span.start].chars().count();
    Some(start..start + content[span].chars().count())
}

fn byte_at(text: &str, char: usize) -> usize {
    text.char_indices().nth(char).map_or(text.len(), |(at, _)| at)
}

/// Where a needle stands nearest to a place, which is the last one before it or the first one from it on; the one before
/// if both are as near.
fn nearest(text: &str, needle: &str, near: usize) -> Option<usize> {
    let before_end = text.floor_char_boundary((near + needle.len()).saturating_sub(1));
    let before = text[..before_end].rfind(needle);
    let after = text[near..].find(needle).map(|at| near + at);
    let distance = |at: &usize| text[near.min(*at)..near.max(*at)].chars().count();
    before.into_iter().chain(after).min_by_key(distance)
}

/// Where the quote stands if white space and quotation marks are ignored.
fn loosely(content: &str, quote: &str, near: usize) -> Option<Range<usize>> {
    let needle = folded(quote);
    let start = nearest(&folded(content), &needle, folded(&content[..near]).len())?;
    let mut span = 0..0;
    walk(content, |at, c, before, after| {
        if before == start && c != ' ' {
            span.start = at.start;
        }
        if after == start + needle.len() {
            span.end = at.end;
        }
    });
    Some(span)
}

fn folded(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    walk(text, |_, c, _, _| folded.push(c));
    folded
}

/// Calls `visit` for each character of the folded text: a run of white space is one blank, quotation marks are plain. With
/// the span that it stands for, and the length of the folded text before and after it.
fn walk(text: &str, mut visit: impl FnMut(Range<usize>, char, usize, usize)) {
    let mut length = 0;
    let mut in_blank = false;
    for (at, c) in text.char_indices() {
        let plain = match c {
            c if c.is_whitespace() => ' ',
            '“' | '”' | '„' | '‟' | '«' | '»' | '″' | '＂' => '"',
            '‘' | '’' | '‚' | '‛' | '‹' | '›' | '′' | '`' | '´' => '\'',
            c => c,
        };
        if plain == ' ' && std::mem::replace(&mut in_blank, plain == ' ') {
            continue;
        }
        in_blank = plain == ' ';
        visit(at..at + c.len_utf8(), plain, length, length + plain.len_utf8());
        length += plain.len_utf8();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(content: &str, quote: &str, near: Option<usize>) -> Option<String> {
        let span = locate_quote(content, quote, near)?;
        Some(content.chars().skip(span.start).take(span.len()).collect())
    }

    #[test]
    fn an_exact_quote_is_found_first() {
        let content = "he said \"go  on\" and then “go on” again";
        assert_eq!(locate_quote(content, "“go on”", None), Some(26..33));
        assert_eq!(found(content, "\"go  on\"", None).as_deref(), Some("\"go  on\""));
    }

    #[test]
    fn white_space_and_quotation_marks_may_differ() {
        let content = "We decided:\n“use   Postgres”,\tit’s\nfine.";
        assert_eq!(
            found(content, "\"use Postgres\", it's fine", None).as_deref(),
            Some("“use   Postgres”,\tit’s\nfine")
        );
        assert_eq!(found(content, "  decided: \"use", None).as_deref(), Some("decided:\n“use"));
    }

    #[test]
    fn what_is_not_there_is_not_found() {
        for quote in ["", "  ", "use MySQL", "use Postgres forever", "usePostgres"] {
            assert_eq!(locate_quote("we use Postgres", quote, None), None, "{quote}");
        }
        assert_eq!(locate_quote("", "x", None), None);
    }

    #[test]
    fn the_place_nearest_to_a_hint_is_taken() {
        let content = "äb ab äb ab äb";
        assert_eq!(locate_quote(content, "ab", None), Some(3..5));
        assert_eq!(locate_quote(content, "ab", Some(14)), Some(9..11));
        assert_eq!(locate_quote(content, "äb", Some(5)), Some(6..8));
        assert_eq!(locate_quote(content, "ab", Some(10_000)), Some(9..11));
        // Also where places overlap, and by characters instead of bytes.
        assert_eq!(locate_quote("-----", "--", Some(1)), Some(1..3));
        assert_eq!(locate_quote("“a” “a” “a", "\"a\" \"a", Some(4)), Some(4..10));
        assert_eq!(locate_quote("ab 日本語 ab", "ab", Some(5)), Some(7..9));
    }

    proptest! {
        #[test]
        fn every_part_of_a_text_is_found_in_it(text in "[ab \"“’'\\n]{1,40}", from in 0usize..40, length in 1usize..20) {
            let chars: Vec<char> = text.chars().collect();
            let from = from.min(chars.len() - 1);
            let quote: String = chars[from..chars.len().min(from + length)].iter().collect();
            let span = locate_quote(&text, &quote, Some(from));
            prop_assert_eq!(span.is_some(), !quote.trim().is_empty());
            if let Some(span) = span {
                let slice: String = chars[span.clone()].iter().collect();
                prop_assert_eq!(folded(&slice), folded(quote.trim()));
            }
        }

        #[test]
        fn a_quote_with_other_blanks_is_found(words in proptest::collection::vec("[a-z]{1,6}", 1..8)) {
            let span = locate_quote(&words.join(" \n "), &words.join("\t"), None);
            prop_assert!(span.is_some());
        }
    }
}

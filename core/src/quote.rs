//! Finding a quote in the text that it is said to come from.

use std::ops::Range;

/// Where a quote stands, in code points; none if it is not there.
///
/// Exactly first; then ignoring differences of white space and of quotation marks, which language models do not keep. Of
/// several places the one nearest to `near` (a code point offset), else the first.
pub fn locate_quote(content: &str, quote: &str, near: Option<usize>) -> Option<Range<usize>> {
    let quote = quote.trim();
    if quote.is_empty() {
        return None;
    }
    let exact = content.match_indices(quote).map(|(at, found)| at..at + found.len());
    let span = nearest(content, exact, near)
        .or_else(|| nearest(content, loosely(content, quote).into_iter(), near))?;
    let start = content[..span.start].chars().count();
    Some(start..start + content[span].chars().count())
}

fn nearest(
    content: &str,
    mut spans: impl Iterator<Item = Range<usize>>,
    near: Option<usize>,
) -> Option<Range<usize>> {
    let Some(near) = near else { return spans.next() };
    let near = content.char_indices().nth(near).map_or(content.len(), |(at, _)| at);
    spans.min_by_key(|span| (span.start.abs_diff(near), span.start))
}

/// Places where the quote stands if white space and quotation marks are ignored.
fn loosely(content: &str, quote: &str) -> Vec<Range<usize>> {
    let needle = folded(quote);
    let starts: Vec<usize> = folded(content).match_indices(&needle).map(|(at, _)| at).collect();
    let mut spans: Vec<Range<usize>> = Vec::with_capacity(starts.len());
    let mut open = 0;
    walk(content, |at, c, before, after| {
        if starts.get(spans.len()) == Some(&before) && c != ' ' {
            open = at.start;
        }
        if starts.get(spans.len()).is_some_and(|start| after == start + needle.len()) {
            spans.push(open..at.end);
        }
    });
    spans
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

//! Where sentences begin, by the rules of UAX #29. ASCII, which most text is, takes a faster way to the same result.

use unicode_segmentation::UnicodeSegmentation;

/// Byte offsets at which sentences begin, the first (0) included.
pub fn sentence_starts(text: &str) -> Box<dyn Iterator<Item = usize> + '_> {
    if text.is_ascii() {
        let first = (!text.is_empty()).then_some(0);
        Box::new(std::iter::successors(first, |start| next_ascii_start(text.as_bytes(), *start)))
    } else {
        Box::new(text.split_sentence_bound_indices().map(|(at, _)| at))
    }
}

/// Where the sentence after the one at `start` begins.
fn next_ascii_start(text: &[u8], start: usize) -> Option<usize> {
    let end_of = |at: usize| match text[at] {
        b'\r' | b'\n' => Some(after_paragraph(text, at)),
        b'.' | b'!' | b'?' => after_terminator(text, at),
        _ => None,
    };
    (start..text.len()).find_map(end_of).filter(|next| *next < text.len())
}

/// SB3, SB4: after a line end, of which CR LF is one.
fn after_paragraph(text: &[u8], at: usize) -> usize {
    at + if text[at..].starts_with(b"\r\n") { 2 } else { 1 }
}

/// SB6 to SB11: whether, and where, a sentence ends that has a full stop, exclamation or question mark at `at`.
fn after_terminator(text: &[u8], at: usize) -> Option<usize> {
    let next = text.get(at + 1).copied();
    let is_stop = text[at] == b'.';
    if is_stop && next.is_some_and(|b| b.is_ascii_digit()) {
        return None;
    }
    let letter_before = at > 0 && text[at - 1].is_ascii_alphabetic();
    if is_stop && letter_before && next.is_some_and(|b| b.is_ascii_uppercase()) {
        return None;
    }
    let skip = |from: usize, belongs: fn(u8) -> bool| {
        text[from..].iter().position(|b| !belongs(*b)).map_or(text.len(), |n| from + n)
    };
    let end = skip(skip(at + 1, is_close), is_space);
    match text.get(end) {
        None => Some(end),
        Some(b'\r' | b'\n') => Some(after_paragraph(text, end)),
        // SB8a: goes on with a comma, or with another terminator, which decides for itself.
        Some(b',' | b'-' | b':' | b';' | b'.' | b'!' | b'?') => None,
        Some(_) if is_stop && goes_on_in_lower_case(&text[end..]) => None,
        Some(_) => Some(end),
    }
}

/// SB8: the next letter, before any line end or terminator, is a small one.
fn goes_on_in_lower_case(text: &[u8]) -> bool {
    let decides = |b: &&u8| b.is_ascii_alphabetic() || matches!(b, b'\r' | b'\n' | b'.' | b'!' | b'?');
    text.iter().find(decides).is_some_and(u8::is_ascii_lowercase)
}

fn is_close(b: u8) -> bool {
    matches!(b, b'"' | b'\'' | b'(' | b')' | b'[' | b']' | b'{' | b'}')
}

fn is_space(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | 0xb | 0xc)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sentences_end_where_one_expects() {
        let text = "One is 3.14 high. Is it?! \"Yes.\" (No.) see e.g. this. The U.S.A. won.\nNext line";
        let starts = sentence_starts(text);
        let first_words: Vec<&str> = starts.map(|at| text[at..].split([' ', '\n']).next().unwrap()).collect();
        assert_eq!(first_words, ["One", "Is", "\"Yes.\"", "(No.)", "The", "Next"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]
        #[test]
        fn ascii_is_cut_as_unicode_says(text in "[ab AB.!?,;:'\"()0-9\\r\\n\\t#*-]{0,30}") {
            let expected: Vec<usize> = text.split_sentence_bound_indices().map(|(at, _)| at).collect();
            prop_assert_eq!(sentence_starts(&text).collect::<Vec<_>>(), expected, "{:?}", text);
        }
    }
}

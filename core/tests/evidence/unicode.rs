//! The tests that Unicode publishes for its boundaries: lines like `÷ 0020 × 0308 ÷ 0020 ÷ # comment`.

use memento_core::chunk::{Measure, chunk_markdown};
use memento_core::sentence::sentence_starts;

use crate::data;
use crate::invariant::{self, Sizes};

/// A text and the byte offsets of its boundaries, the end included.
struct Case {
    text: String,
    boundaries: Vec<usize>,
}

fn cases(file: &str) -> Vec<Case> {
    let Some(content) = data::file(&format!("robustness/unicode/{file}")) else { return Vec::new() };
    let lines = content.lines().map(|line| line.split('#').next().unwrap().trim());
    let found: Vec<Case> = lines.filter(|line| !line.is_empty()).filter_map(case).collect();
    assert!(found.len() > 400, "{file}: {} cases", found.len());
    found
}

/// None for surrogates, which no string has.
fn case(line: &str) -> Option<Case> {
    let mut case = Case { text: String::new(), boundaries: Vec::new() };
    for word in line.split_whitespace() {
        match word {
            "÷" => case.boundaries.push(case.text.len()),
            "×" => {}
            code => case.text.push(char::from_u32(u32::from_str_radix(code, 16).unwrap())?),
        }
    }
    Some(case)
}

#[test]
fn sentences_begin_where_unicode_says() {
    for Case { text, mut boundaries } in cases("SentenceBreakTest.txt") {
        boundaries.pop();
        assert_eq!(sentence_starts(&text).collect::<Vec<_>>(), boundaries, "{text:?}");
    }
}

#[test]
fn chunks_of_one_character_are_whole_clusters() {
    let one = Sizes { measure: Measure::Chars, target: 1, max: 1, overlap: 0 };
    // U+2701 is no pictograph any more since Unicode 17, which is newer than the file.
    let is_current = |case: &Case| !case.text.contains('\u{2701}');
    for Case { text, boundaries } in cases("GraphemeBreakTest.txt").into_iter().filter(is_current) {
        for chunk in chunk_markdown(&text, one.budget()) {
            assert!(boundaries.contains(&chunk.bytes.start), "{text:?}: {chunk:?}");
            assert!(boundaries.contains(&chunk.bytes.end), "{text:?}: {chunk:?}");
        }
    }
}

#[test]
fn any_of_their_strings_keeps_the_invariants() {
    let one = Sizes { measure: Measure::Chars, target: 1, max: 1, overlap: 0 };
    let few = Sizes { measure: Measure::Tokens, target: 4, max: 6, overlap: 2 };
    for file in ["GraphemeBreakTest.txt", "WordBreakTest.txt", "SentenceBreakTest.txt", "LineBreakTest.txt"] {
        for Case { text, .. } in cases(file) {
            invariant::markdown(&text, one);
            invariant::markdown(&text, few);
            invariant::sentences(&text);
            invariant::tokens(&text);
        }
    }
}

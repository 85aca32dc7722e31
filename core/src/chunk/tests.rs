use super::*;
use proptest::prelude::*;

fn texts(text: &str, max_chars: usize) -> Vec<&str> {
    chunks(text, max_chars).map(|chunk| chunk.text).collect()
}

#[test]
fn nothing_and_white_space_give_no_chunk() {
    assert!(texts("", 10).is_empty());
    assert!(texts(" \t\r\n\u{3000}", 10).is_empty());
}

#[test]
fn what_fits_stays_whole_without_the_blanks_around_it() {
    assert_eq!(texts("\n\n one two \n\n three\n", 100), ["one two \n\n three"]);
}

#[test]
fn paragraphs_are_packed_up_to_the_limit() {
    assert_eq!(texts("aaaa\n\nbbbb\n\ncccc", 10), ["aaaa\n\nbbbb", "cccc"]);
    assert_eq!(texts("aaaa\r\n\r\nbbbb\r\n\r\ncccc", 13), ["aaaa\r\n\r\nbbbb", "cccc"]);
}

#[test]
fn a_long_paragraph_is_cut_by_sentence_then_word_then_grapheme() {
    assert_eq!(texts("One is here. Two is there. Three.", 28), ["One is here. Two is there.", "Three."]);
    assert_eq!(texts("alpha beta gamma", 12), ["alpha beta", "gamma"]);
    assert_eq!(texts("abcdefgh", 3), ["abc", "def", "gh"]);
}

#[test]
fn a_grapheme_cluster_is_never_cut() {
    let family = "👨‍👩‍👧‍👦";
    assert_eq!(texts(&family.repeat(3), 2), [family; 3]);
    assert_eq!(texts("e\u{301}e\u{301}", 1), ["e\u{301}"; 2]);
}

#[test]
fn offsets_count_code_points() {
    let text = "äöü\n\n日本語";
    let found: Vec<_> = chunks(text, 4).collect();
    assert_eq!(found[0], Chunk { start_char: 0, end_char: 3, text: "äöü" });
    assert_eq!(found[1], Chunk { start_char: 5, end_char: 8, text: "日本語" });
}

#[test]
fn a_long_line_takes_linear_time() {
    let line = "x".repeat(2_000_000);
    assert_eq!(chunks(&line, 1000).count(), 2000);
}

proptest! {
    #[test]
    fn chunks_are_exact_ordered_spans_that_cover_the_text(text in "(\\PC|[ \\n\\r\\t.]){0,400}", max in 1usize..60) {
        let chars: Vec<char> = text.chars().collect();
        let mut covered = vec![false; chars.len()];
        let mut previous_end = 0;
        for chunk in chunks(&text, max) {
            prop_assert!(chunk.start_char >= previous_end && chunk.end_char > chunk.start_char);
            let slice: String = chars[chunk.start_char..chunk.end_char].iter().collect();
            prop_assert_eq!(&slice, chunk.text);
            prop_assert!(
                chunk.end_char - chunk.start_char <= max || chunk.text.graphemes(true).count() == 1,
                "too long: {:?}", chunk.text
            );
            covered[chunk.start_char..chunk.end_char].fill(true);
            previous_end = chunk.end_char;
        }
        for (c, seen) in chars.iter().zip(covered) {
            prop_assert!(seen || c.is_whitespace(), "{c:?} is in no chunk");
        }
    }

    #[test]
    fn no_boundary_is_inside_a_grapheme_cluster(text in "(e\u{301}|👨‍👩‍👧|🇩🇪|a| ){0,80}", max in 1usize..12) {
        let boundaries: std::collections::HashSet<usize> = text
            .grapheme_indices(true)
            .map(|(byte, _)| text[..byte].chars().count())
            .chain([text.chars().count()])
            .collect();
        for chunk in chunks(&text, max) {
            prop_assert!(boundaries.contains(&chunk.start_char) && boundaries.contains(&chunk.end_char));
        }
    }
}

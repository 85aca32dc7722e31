mod grouping;

use self::grouping::items;
use super::*;
use proptest::prelude::*;
use unicode_segmentation::UnicodeSegmentation;

fn chars(target: i64, max: i64, overlap: i64) -> Budget {
    Budget::try_new(Measure::Chars, target, max, overlap).unwrap()
}

fn texts(text: &str, budget: Budget) -> Vec<&str> {
    chunk_markdown(text, budget).map(|chunk| chunk.text).collect()
}

#[test]
fn nothing_and_white_space_give_no_chunk() {
    assert!(texts("", Budget::default()).is_empty());
    assert!(texts(" \t\r\n\u{3000}\u{feff}", Budget::default()).len() <= 1);
    assert!(texts("\u{feff}", Budget::default()).is_empty());
}

#[test]
fn a_heading_stays_with_what_follows_it() {
    let text = "# Title\n\n## First\n\none one one\n\n## Second\n\ntwo two two\n";
    let found: Vec<_> = chunk_markdown(text, chars(20, 40, 0)).collect();
    assert_eq!(found[0].text, "# Title\n\n## First\n\none one one");
    assert_eq!(found[0].heading.path, ["Title", "First"]);
    assert_eq!(found[0].heading.anchor.as_deref(), Some("first"));
    assert_eq!(found[1].text, "## Second\n\ntwo two two");
    assert_eq!(found[1].heading.path, ["Title", "Second"]);
    assert_eq!(found.len(), 2);
}

#[test]
fn blocks_are_packed_up_to_the_target() {
    assert_eq!(texts("aaaa\n\nbbbb\n\ncccc", chars(10, 12, 0)), ["aaaa\n\nbbbb", "cccc"]);
}

#[test]
fn code_and_tables_stay_whole_while_they_fit() {
    let code = "```sql\nselect 1;\n\nselect 2;\n```";
    let text = format!("Some words before it.\n\n{code}\n\nSome words after it.");
    assert!(texts(&text, chars(25, 40, 0)).iter().any(|chunk| chunk.contains(code)));
    let table = "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |";
    let text = format!("Some words before it.\n\n{table}\n\nSome words after it.");
    assert!(texts(&text, chars(25, 45, 0)).iter().any(|chunk| chunk.contains(table)));
}

#[test]
fn what_does_not_fit_is_cut_at_the_best_boundary() {
    assert_eq!(
        texts("One is here. Two is there. Three.", chars(28, 30, 0)),
        ["One is here. Two is there.", "Three."]
    );
    assert_eq!(texts("alpha beta gamma", chars(12, 12, 0)), ["alpha beta", "gamma"]);
    assert_eq!(texts("abcdefgh", chars(3, 3, 0)), ["abc", "def", "gh"]);
    let code = "```\nline one\nline two\nline three\n```";
    assert_eq!(texts(code, chars(14, 20, 0)), ["```\nline one", "line two", "line three\n```"]);
    let list = "- first item\n- second item\n- third item";
    assert_eq!(texts(list, chars(26, 27, 0)), ["- first item\n- second item", "- third item"]);
}

#[test]
fn overlap_repeats_whole_blocks_of_the_same_section() {
    let text = "aaaa\n\nbbbb\n\ncccc\n\n# H\n\ndddd";
    assert_eq!(texts(text, chars(12, 12, 6)), ["aaaa\n\nbbbb", "bbbb\n\ncccc", "# H\n\ndddd"]);
}

#[test]
fn kinds_are_named() {
    let text = "---\ntitle: x\n---\n\n# A\n\npara\n\n# B\n\n- item\n\n# C\n\n> quote\n\n# D\n\n<div>\nx\n</div>\n\n# E\n\n***\n\n# F\n\n    code\n\n# G\n\nx\n\n- y";
    let kinds: Vec<_> = chunk_markdown(text, chars(40, 60, 0)).map(|chunk| chunk.kind.as_str()).collect();
    assert_eq!(kinds, ["front_matter", "paragraph", "list", "quote", "html", "rule", "code", "mixed"]);
}

#[test]
fn only_the_start_of_a_document_has_front_matter() {
    let text = "one\n\n---\ntwo\n\n# Three\n\n```\n---\n```\n\n---\nfour";
    let found: Vec<_> = chunk_markdown(text, Budget::default())
        .map(|chunk| (chunk.kind, chunk.heading.path.clone()))
        .collect();
    assert_eq!(found, [(BlockKind::Mixed, vec![]), (BlockKind::Mixed, vec!["Three".to_owned()])]);
    let toml = chunk_markdown("+++\na = 1\n+++\ntext", chars(12, 14, 0)).next().unwrap();
    assert_eq!((toml.kind, toml.text), (BlockKind::FrontMatter, "+++\na = 1\n+++"));
    let unclosed = chunk_markdown("---\na: 1\n", Budget::default()).next().unwrap();
    assert_ne!(unclosed.kind, BlockKind::FrontMatter);
}

#[test]
fn line_ends_of_all_kinds_are_understood() {
    for end in ["\n", "\r\n", "\r"] {
        let text = ["# One", "", "text", "", "# Two", "", "more"].join(end);
        let found: Vec<_> =
            chunk_markdown(&text, chars(12, 20, 0)).map(|chunk| chunk.heading.path.clone()).collect();
        assert_eq!(found, [["One"], ["Two"]], "{end:?}");
    }
}

#[test]
fn a_byte_order_mark_hides_no_heading() {
    let found: Vec<_> = chunk_markdown("\u{feff}# One\n\ntext", Budget::default()).collect();
    assert_eq!((found[0].start_char, found[0].text), (1, "# One\n\ntext"));
    assert_eq!(outline("\u{feff}# One\n\ntext").next().unwrap().start_char, 1);
}

#[test]
fn offsets_count_code_points() {
    let text = "äöü\n\n日本語";
    let found: Vec<_> = chunk_markdown(text, chars(4, 4, 0)).collect();
    assert_eq!((found[0].start_char, found[0].end_char, found[0].text), (0, 3, "äöü"));
    assert_eq!((found[1].start_char, found[1].end_char, found[1].text), (5, 8, "日本語"));
}

#[test]
fn an_outline_has_every_heading_with_its_text() {
    let text = "before\n\n# A\n\na\n\n## B\n\nb\n\nC\n===\n\n## B\n";
    let found: Vec<_> = outline(text).collect();
    let rows: Vec<_> = found.iter().map(|s| (s.anchor.as_str(), s.path.join("/"), s.level)).collect();
    assert_eq!(
        rows,
        [("a", "A".into(), 1), ("b", "A/B".into(), 2), ("c", "C".into(), 1), ("b-1", "C/B".into(), 2)]
    );
    let slices: Vec<&str> = found.iter().map(|s| &text[s.start_char..s.end_char]).collect();
    assert_eq!(slices, ["# A\n\na\n\n", "## B\n\nb\n\n", "C\n===\n\n", "## B\n"]);
}

#[test]
fn bad_budgets_are_refused() {
    for (target, max, overlap) in
        [(0, 10, 0), (-1, 10, 0), (10, 9, 0), (10, 20, -1), (2_000_000, 2_000_000, 0)]
    {
        assert!(Budget::try_new(Measure::Tokens, target, max, overlap).is_err(), "{target} {max} {overlap}");
    }
}

/// Documents that have hung or broken other parsers: any result will do, in time that grows with the length.
#[test]
fn hostile_documents_take_linear_time() {
    for text in [
        "> ".repeat(20_000),
        "- ".repeat(20_000),
        (0..1000).map(|i| format!("{}- x\n", "  ".repeat(i))).collect(),
        "```\n".repeat(20_001),
        "#\n".repeat(50_000),
        "a*b".repeat(100_000),
        "[".repeat(100_000),
        "x".repeat(2_000_000),
        "|a|b|\n|-|-|\n".repeat(20_000),
        "\n".repeat(1_000_000),
        " ".repeat(1_000_000),
        "e\u{301}".repeat(200_000),
        "👨‍👩‍👧‍👦".repeat(50_000),
        "a. ".repeat(200_000),
    ] {
        for grouping in [Grouping::Packed, Grouping::ByItem, Grouping::ByTurn] {
            invariants(&text, Budget::default(), grouping);
            invariants(&text, chars(100, 200, 50), grouping);
        }
        // With a budget for everything, all blocks are in one chunk.
        chunk_markdown(&text, Budget::try_new(Measure::Tokens, 1_000_000, 1_000_000, 0).unwrap())
            .for_each(drop);
    }
}

/// Many units that have more tokens together than one by one: a full stop is a token, and 32 line ends are one, but they
/// are three when they meet. What does not fit is found in a few steps.
#[test]
fn units_that_do_not_add_up_take_linear_time() {
    let text = format!(".{}", "\n".repeat(32)).repeat(15_000);
    invariants(&text, Budget::try_new(Measure::Tokens, 15_000, 15_000, 0).unwrap(), Grouping::Packed);
    invariants(&text, Budget::try_new(Measure::Tokens, 15_000, 15_000, 7_500).unwrap(), Grouping::Packed);
}

#[test]
fn a_block_is_counted_without_the_blank_before_it() {
    // One token with the blank, and several without.
    invariants(" disproportionately", Budget::try_new(Measure::Tokens, 1, 2, 0).unwrap(), Grouping::Packed);
}

#[test]
fn a_thematic_break_above_an_empty_line_begins_no_front_matter() {
    let text = "---\n\n# Title\n\ntext\n\n---\n\nmore";
    assert_eq!(outline(text).next().unwrap().anchor, "title");
}

/// What is true of every result, whatever the text.
fn invariants(text: &str, budget: Budget, grouping: Grouping) {
    let mut covered = 0;
    let mut previous = (0, 0);
    let mut offsets = CharOffsets::new(text);
    for chunk in chunk_grouped(text, budget, grouping) {
        let start = chunk.text.as_ptr() as usize - text.as_ptr() as usize;
        let end = start + chunk.text.len();
        assert_eq!(offsets.char_at(start), chunk.start_char);
        assert_eq!(chunk.end_char - chunk.start_char, chunk.text.chars().count());
        assert!(start >= previous.0 && end > previous.1, "in order, each goes on");
        assert!(
            text[covered.min(start)..start.max(covered.min(start))]
                .trim_matches('\u{feff}')
                .trim()
                .is_empty(),
            "all text is covered"
        );
        assert_eq!(chunk.size, budget.measure.size(chunk.text));
        assert!(
            chunk.size <= budget.max || chunk.text.graphemes(true).count() == 1,
            "{} > {}",
            chunk.size,
            budget.max
        );
        assert!(!chunk.text.trim().is_empty());
        if start < covered {
            let overlap = budget.measure.size(&text[start..covered]);
            assert!(
                overlap <= budget.overlap + budget.overlap / 8 + 2,
                "overlap {overlap} of {}",
                budget.overlap
            );
        }
        previous = (start, end);
        covered = covered.max(end);
    }
    assert!(
        text[covered..].trim_matches('\u{feff}').trim().is_empty(),
        "all text is covered: {:?}",
        &text[covered..]
    );
}

/// Pieces that documents are made of, put together at random.
fn document() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "(\\PC|[ \\n]){0,60}",
        "#{1,6} [a-zA-Z ]{0,20}\n",
        "[a-z]{1,10}\n(===|---)\n",
        "(- [a-z ]{1,30}\n){1,5}",
        "(  - [a-z ]{1,30}\n){1,3}",
        "- [a-z]{1,10}:\n(  - [a-z]{1,20}\n){1,3}(\n  [a-z]{1,10}\n)?",
        "```[a-z]{0,3}\n([a-z =;]{0,30}\n){0,6}(```)?\n",
        "\\|a\\|b\\|\n\\|-\\|-\\|\n(\\|[a-z]{0,5}\\|[0-9]{0,4}\\|\n){0,5}",
        "(> [a-z ]{0,30}\n){1,4}",
        "<div>\n[a-z]{0,10}\n</div>\n",
        "(    [a-z ]{0,20}\n){1,3}",
        "\\[[a-z]{1,4}\\]: http://[a-z]{1,8}\n",
        Just("\r\n".to_owned()),
        Just("\n\n".to_owned()),
        Just("\r".to_owned()),
        Just("\u{feff}".to_owned()),
        Just("e\u{301}👨‍👩‍👧 \u{301}".to_owned()),
        "([A-Z][a-z ]{1,30}[.!?] ){1,8}",
    ];
    proptest::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

#[test]
fn long_lines_are_paragraphs() {
    let line =
        |sentences| "This sentence has some forty characters. ".repeat(sentences).trim_end().to_owned();
    let (short, long) = (line(8), line(20));
    let budget = Budget::try_new(Measure::Chars, 900, 900, 0).unwrap();
    let starts = |text: &str| -> Vec<usize> { chunk_markdown(text, budget).map(|c| c.start_char).collect() };
    // Lines without a blank one between them: the third does not fit beside the others.
    let text = [short.as_str(), &short, &long, &short].join("\n ");
    assert_eq!(starts(&text)[1], 2 * (short.len() + 2));
    // With less than half of a chunk before it, it is cut; and so is text that is wrapped.
    let text = [short.as_str(), &long, &short].join("\n ");
    assert!(starts(&text)[1] > 2 * (short.len() + 2));
    let wrapped = vec![line(3); 30].join("\n");
    assert!(
        chunk_markdown(&wrapped, budget).all(|chunk| chunk.size > 800 || chunk.end_char == wrapped.len())
    );
}

proptest! {
    #[test]
    fn chunks_are_exact_ordered_bounded_and_complete(text in document(), target in 1i64..80, extra in 0i64..60, overlap in 0i64..40) {
        let overlap = overlap.min(target / 2);
        for measure in [Measure::Chars, Measure::Tokens] {
            for grouping in [Grouping::Packed, Grouping::ByItem, Grouping::ByTurn] {
                invariants(&text, Budget::try_new(measure, target, target + extra, overlap).unwrap(), grouping);
            }
        }
    }

    #[test]
    fn the_same_document_gives_the_same_chunks(text in document()) {
        let once: Vec<_> = chunk_markdown(&text, Budget::default()).map(|c| (c.start_char, c.end_char)).collect();
        let again: Vec<_> = chunk_markdown(&text, Budget::default()).map(|c| (c.start_char, c.end_char)).collect();
        prop_assert_eq!(once, again);
    }

    #[test]
    fn by_item_each_item_is_a_chunk(
        expected in proptest::collection::vec("[-] (\\[[ x]\\] )?[a-z]{1,9}( [a-z]{1,9}){0,9}(\n  - [a-z]{1,20}){0,3}(\n\n  [a-z ]{1,9}[a-z])?", 1..9),
        blank in prop_oneof![Just("\n"), Just("\n\n")],
    ) {
        let text = expected.join(blank);
        prop_assert_eq!(items(&text, Budget::default()), expected);
    }

    #[test]
    fn offsets_in_any_order(text in "[a-z\n]{0,700}[äß日👩]{0,3}[a-z ]{0,700}[é]?", places in prop::collection::vec(any::<prop::sample::Index>(), 0..20)) {
        let mut offsets = CharOffsets::new(&text);
        for place in places {
            let byte = text.floor_char_boundary(place.index(text.len() + 1));
            prop_assert_eq!(offsets.char_at(byte), text[..byte].chars().count());
        }
    }

    #[test]
    fn outlines_are_ordered_with_unique_anchors(text in document()) {
        let sections: Vec<_> = outline(&text).collect();
        let anchors: std::collections::HashSet<_> = sections.iter().map(|s| &s.anchor).collect();
        prop_assert_eq!(anchors.len(), sections.len());
        for pair in sections.windows(2) {
            prop_assert_eq!(pair[0].end_char, pair[1].start_char);
        }
    }
}

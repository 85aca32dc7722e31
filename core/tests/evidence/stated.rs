//! The rules that the specification of the project states, each as a test: of blocks, chunks and their offsets, of
//! sections, conversations and citations.

use memento_core::chunk::{BlockKind, Budget, Chunk, Grouping, Measure, blocks, chunk_markdown, outline};
use memento_core::citation::{Problem, check_citations};
use memento_core::transcript::{Turn, UNKNOWN_SPEAKER, chunk_transcript, render};

fn kinds(text: &str) -> Vec<BlockKind> {
    blocks(text, Grouping::Packed).map(|block| block.kind).collect()
}

fn chunks(text: &str, target: i64, overlap: i64) -> Vec<Chunk<'_>> {
    chunk_markdown(text, Budget::try_new(Measure::Chars, target, target, overlap).unwrap()).collect()
}

fn slice(text: &str, start: usize, end: usize) -> String {
    text.chars().skip(start).take(end - start).collect()
}

#[test]
fn headings_have_one_to_six_number_signs_and_a_blank() {
    for level in 1..=6 {
        let heading = format!("{} Title", "#".repeat(level));
        assert!(outline(&heading).map(|section| section.level).eq([level]));
    }
    assert_eq!(kinds("####### seven"), [BlockKind::Paragraph]);
    assert_eq!(kinds("#none"), [BlockKind::Paragraph]);
}

#[test]
fn fences_of_backticks_or_tildes_end_with_their_like() {
    for (fence, other) in [("```", "~~~"), ("~~~", "```")] {
        let text = format!("{fence}\n# no heading\n{other}\n| a |\n\n- b\n{fence}\nafter");
        assert_eq!(kinds(&text), [BlockKind::Code, BlockKind::Paragraph]);
        assert!(outline(&text).next().is_none());
    }
}

#[test]
fn a_table_is_a_line_with_a_pipe_before_a_separator_and_the_rows_after_it() {
    assert_eq!(
        kinds("| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\ntext"),
        [BlockKind::Table, BlockKind::Paragraph]
    );
    assert_eq!(kinds("a | b\n--- | ---\n1 | 2"), [BlockKind::Table]);
    assert_eq!(kinds("| a | b |\n| 1 | 2 |"), [BlockKind::Paragraph]);
}

#[test]
fn lists_begin_with_a_hyphen_a_star_a_plus_or_a_number_and_have_what_is_indented() {
    for marker in ["-", "*", "+", "1."] {
        let text = format!("{marker} one\n   more\n{marker} two\n\n   a paragraph of it\n");
        assert_eq!(kinds(&text), [BlockKind::List], "{text}");
    }
}

#[test]
fn a_paragraph_is_all_lines_up_to_an_empty_one() {
    let text = "one\ntwo\n\nthree\n# Heading";
    let spans: Vec<&str> = blocks(text, Grouping::Packed).map(|block| &text[block.span]).collect();
    assert_eq!(spans, ["one\ntwo", "three", "# Heading"]);
}

#[test]
fn the_text_of_a_chunk_is_the_slice_between_its_offsets() {
    let text = "# Übersicht\n\nErste Zeile 👍🏽.\n\n\n\n```\nx = 1\n```\n\n| a |\n|---|\n| ü |\n";
    for chunk in chunks(text, 24, 0) {
        assert_eq!(slice(text, chunk.start_char, chunk.end_char), chunk.text);
    }
}

#[test]
fn a_chunk_ends_where_the_budget_or_the_section_does() {
    let text = "# A\n\none\n\ntwo\n\n# B\n\nthree";
    let texts =
        |target| chunks(text, target, 0).iter().map(|chunk| chunk.text.to_owned()).collect::<Vec<_>>();
    assert_eq!(texts(1000), ["# A\n\none\n\ntwo", "# B\n\nthree"]);
    assert_eq!(texts(10), ["# A\n\none", "two", "# B\n\nthree"]);
}

#[test]
fn headings_above_a_chunk_are_its_path() {
    let text = "# A\n\n## B\n\nin b\n\n### C\n\nin c\n\n## D\n\nin d\n\n# E\n\nin e";
    let paths: Vec<String> = chunks(text, 20, 0).iter().map(|chunk| chunk.heading.path.join("/")).collect();
    assert_eq!(paths, ["A/B", "A/B/C", "A/D", "E"]);
}

#[test]
fn overlap_repeats_whole_blocks_and_can_be_none() {
    let text = "aaaa\n\nbbbb\n\ncccc\n\ndddd";
    let repeated = chunks(text, 12, 6);
    assert_eq!(
        repeated.iter().map(|chunk| chunk.text).collect::<Vec<_>>(),
        ["aaaa\n\nbbbb", "bbbb\n\ncccc", "cccc\n\ndddd"]
    );
    let apart = chunks(text, 12, 0);
    assert!(apart.windows(2).all(|pair| pair[0].end_char <= pair[1].start_char));
}

#[test]
fn offsets_are_stable_and_deterministic() {
    let text = "# A\n\nSome text. More of it.\n\n## B\n\n- x\n- y\n";
    let offsets =
        || chunks(text, 16, 4).iter().map(|chunk| (chunk.start_char, chunk.end_char)).collect::<Vec<_>>();
    assert_eq!(offsets(), offsets());
}

#[test]
fn a_section_has_all_of_its_chunks() {
    let text = "before\n\n# A\n\none two three\n\nfour five six\n\n## B\n\nseven\n\n# A\n\neight";
    let chunks = chunks(text, 18, 0);
    for section in outline(text) {
        let inside: Vec<_> =
            chunks.iter().filter(|chunk| chunk.heading.anchor.as_ref() == Some(&section.anchor)).collect();
        let start = inside.iter().map(|chunk| chunk.start_char).min().unwrap();
        let end = inside.iter().map(|chunk| chunk.end_char).max().unwrap();
        assert_eq!(start, section.start_char, "{}", section.anchor);
        let whole = slice(text, section.start_char, section.end_char);
        assert_eq!(whole.trim_end(), slice(text, start, end), "{}", section.anchor);
    }
    assert!(outline(text).map(|section| section.anchor).eq(["a", "b", "a-1"]));
}

fn turns(count: usize, words: usize) -> Vec<Turn> {
    let text = "so we said that ".repeat(words / 4);
    (0..count).map(|at| Turn::try_new(["Ana", "Tom"][at % 2], &text, None, None).unwrap()).collect()
}

#[test]
fn conversations_are_cut_at_250_to_450_tokens_and_never_above_600() {
    let turns = turns(120, 24);
    let rendered = render(&turns);
    let usual = Budget::try_new(Measure::Tokens, 350, 600, 50).unwrap();
    let chunks: Vec<_> = chunk_transcript(&turns, &rendered, usual).collect();
    let (last, all_but_last) = chunks.split_last().unwrap();
    assert!(all_but_last.len() > 5 && last.size <= 600);
    assert!(all_but_last.iter().all(|chunk| (250..=450).contains(&chunk.size)));
    // Which turns are in which chunk is kept, and one or two are in both.
    for pair in chunks.windows(2) {
        assert!((1..=2).contains(&(pair[0].last_turn + 1 - pair[1].first_turn)), "{pair:?}");
    }
}

#[test]
fn who_is_not_named_is_unknown_and_times_are_those_of_the_turns() {
    let turns = [
        Turn::try_new("", "hello", Some(100), Some(200)).unwrap(),
        Turn::try_new("", "and more", Some(150), None).unwrap(),
    ];
    let rendered = render(&turns);
    let chunk = chunk_transcript(&turns, &rendered, Budget::default()).next().unwrap();
    assert_eq!((chunk.speaker, chunk.start_ms, chunk.end_ms), (UNKNOWN_SPEAKER, Some(100), Some(200)));
}

#[test]
fn code_and_logs_in_a_turn_stay_as_they_are_and_whole() {
    let log = "```\n12:00  ERROR   a\n12:01  ERROR   b\n```";
    let talk = "We talked about it for a while. ".repeat(30);
    let turns = [Turn::try_new("Ana", &format!("{talk}\n\n{log}\n\n{talk}"), None, None).unwrap()];
    let rendered = render(&turns);
    let budget = Budget::try_new(Measure::Tokens, 60, 80, 0).unwrap();
    assert!(chunk_transcript(&turns, &rendered, budget).any(|chunk| chunk.text.contains(log)));
}

#[test]
fn a_document_is_cut_by_headings_bullets_and_paragraphs() {
    let text = "# Decisions\n\n- Use Postgres for events.\n- Keep the export.\n- Ask again in May.\n";
    let found: Vec<&str> = chunks(text, 40, 0).iter().map(|chunk| chunk.text).collect();
    assert_eq!(
        found,
        ["# Decisions\n\n- Use Postgres for events.", "- Keep the export.\n- Ask again in May."]
    );
}

#[test]
fn every_sentence_has_a_citation_of_evidence_that_is_there() {
    let evidence = ["A-789", "Q-789"];
    let answer = "We chose Postgres [A-789]. Alice said so [Q-789]. Nobody knows why. It was late [Q-1].";
    let problems: Vec<Option<Problem>> =
        check_citations(answer, &evidence).into_iter().map(|sentence| sentence.problem).collect();
    assert_eq!(problems, [None, None, Some(Problem::NoCitation), Some(Problem::Unknown(vec!["Q-1"]))]);
}

/// A blank with a mark upon it is one character to a reader.
#[test]
fn a_blank_that_a_mark_is_set_upon_is_not_cut_from_it() {
    let one = |text| chunks(text, 1, 0).iter().map(|chunk| chunk.text.to_owned()).collect::<Vec<_>>();
    assert_eq!(one(" \u{301}"), [" \u{301}"]);
    assert_eq!(one("a \u{301}b"), ["a", " \u{301}", "b"]);
    assert_eq!(one("- \u{301}x"), ["-", " \u{301}", "x"]);
    assert_eq!(one("a\u{3000}\u{3000}\u{ac1}"), ["a", "\u{3000}\u{ac1}"]);
    // A sign that joins what follows it, be it a blank.
    assert_eq!(one("\u{600} \n\nb"), ["\u{600} ", "b"]);
    assert_eq!(one("No!\u{e33} yes"), ["N", "o", "!\u{e33}", "y", "e", "s"]);
}

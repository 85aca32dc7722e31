//! What becomes of the documents in samples/: read the difference, then accept it with `cargo insta accept`, or by running
//! the tests with INSTA_UPDATE=always.

use std::fmt::Write;

use memento_core::chunk::{Budget, Measure, chunk_markdown, outline};
use memento_core::transcript::{Turn, chunk_transcript, render};

const SAMPLES: [(&str, &str); 4] = [
    ("design-note", include_str!("../../../samples/design-note.md")),
    ("incident", include_str!("../../../samples/incident.md")),
    ("meeting-notes", include_str!("../../../samples/meeting-notes.md")),
    ("runbook", include_str!("../../../samples/runbook.md")),
];

/// Small, so that documents of a page have several chunks, and with something repeated.
fn budget() -> Budget {
    Budget::try_new(Measure::Tokens, 60, 90, 20).unwrap()
}

#[test]
fn chunks_of_the_samples() {
    for (name, text) in SAMPLES {
        let mut seen = String::new();
        for chunk in chunk_markdown(text, budget()) {
            let path = chunk.heading.path.join(" > ");
            let (kind, size) = (chunk.kind.as_str(), chunk.size);
            let _ =
                writeln!(seen, "=== {}..{} {kind}, {size} tokens, {path}", chunk.start_char, chunk.end_char);
            let _ = writeln!(seen, "{}", chunk.text);
        }
        insta::assert_snapshot!(format!("chunks_of_{name}"), seen);
    }
}

#[test]
fn outlines_of_the_samples() {
    for (name, text) in SAMPLES {
        let mut seen = String::new();
        for section in outline(text) {
            let path = section.path.join(" > ");
            let _ = writeln!(seen, "{}..{} #{} {path}", section.start_char, section.end_char, section.anchor);
        }
        insta::assert_snapshot!(format!("outline_of_{name}"), seen);
    }
}

/// The paragraphs of a sample, as if two people and somebody unknown read them out.
#[test]
fn the_meeting_as_a_conversation() {
    let (_, text) = SAMPLES[2];
    let turn = |(at, said): (usize, &str)| {
        let start = at as i64 * 10_000;
        Turn::try_new(["Ana", "Tom", ""][at % 3], said, Some(start), Some(start + 9_000)).unwrap()
    };
    let turns: Vec<Turn> = text.split("\n\n").enumerate().map(turn).collect();
    let rendered = render(&turns);
    let mut seen = String::new();
    for chunk in chunk_transcript(&turns, &rendered, budget()) {
        let (first, last, speaker) = (chunk.first_turn, chunk.last_turn, chunk.speaker);
        let (start, end) = (chunk.start_ms.unwrap(), chunk.end_ms.unwrap());
        let _ = writeln!(
            seen,
            "=== {}..{} turns {first}..={last}, {start} to {end} ms, {} tokens, {speaker}",
            chunk.start_char, chunk.end_char, chunk.size
        );
        let _ = writeln!(seen, "{}", chunk.text);
    }
    insta::assert_snapshot!("meeting_as_a_conversation", seen);
}

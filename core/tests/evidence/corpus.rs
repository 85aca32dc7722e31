//! What is true of every result, on what people have written.

use memento_core::chunk::Measure;
use memento_core::transcript::Turn;

use crate::data;
use crate::invariant::{self, Sizes};

const USUAL: Sizes = Sizes { measure: Measure::Tokens, target: 350, max: 600, overlap: 50 };
const SMALL: Sizes = Sizes { measure: Measure::Chars, target: 100, max: 160, overlap: 30 };

/// One text in so many, so that it takes seconds.
const STRIDE: usize = 29;

#[test]
fn a_sample_of_the_corpora_keeps_the_invariants() {
    check(STRIDE);
}

#[test]
#[ignore = "minutes: cargo test --release -p memento-core --test evidence all_corpora -- --ignored"]
fn all_corpora_keep_the_invariants() {
    check(1);
}

#[test]
fn hostile_strings_keep_the_invariants() {
    let Some(text) = data::file("robustness/blns/blns.txt") else { return };
    for line in text.lines() {
        check_text(line);
        check_turns(line);
    }
}

fn check(stride: usize) {
    let mut bytes = 0;
    for text in texts().iter().step_by(stride) {
        bytes += text.len();
        check_text(text);
        check_turns(text);
    }
    println!("{bytes} bytes");
}

fn check_text(text: &str) {
    invariant::markdown(text, USUAL);
    invariant::markdown(text, SMALL);
    invariant::markdown(text, Sizes { overlap: 0, ..USUAL });
    invariant::sections(text);
    invariant::sentences(text);
    invariant::tokens(text);
    invariant::citations(text, &["Q-1"]);
    invariant::events(text);
    let length = text.chars().count();
    for part in 0..3 {
        invariant::quote(text, length / 3 * part, 80);
    }
}

/// Lines as turns, the word before a colon as who speaks.
fn check_turns(text: &str) {
    let turns: Vec<Turn> = text
        .lines()
        .map(|line| line.split_once(": ").filter(|(who, _)| who.len() < 30).unwrap_or(("", line)))
        .map(|(speaker, said)| Turn::try_new(speaker, said, None, None).unwrap())
        .collect();
    invariant::transcript(&turns, USUAL);
    invariant::transcript(&turns, SMALL);
}

/// The records of JSON files, and other files in pieces of a size that keeps every check quick.
fn texts() -> Vec<String> {
    let mut texts = Vec::new();
    for (path, text) in data::files(&["md", "txt", "csv", "jsonl"]) {
        if path.extension().is_some_and(|ending| ending == "jsonl") {
            texts.extend(text.lines().filter_map(record));
        } else {
            texts.extend(pieces(&text).map(str::to_owned));
        }
    }
    texts
}

fn record(line: &str) -> Option<String> {
    let record: serde_json::Value = serde_json::from_str(line).unwrap();
    record["text"].as_str().map(str::to_owned)
}

fn pieces(text: &str) -> impl Iterator<Item = &str> {
    const PIECE: usize = 1 << 15;
    let mut rest = text;
    std::iter::from_fn(move || {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(PIECE));
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

//! What is fuzzed: a function of bytes for each parser, which panics where an invariant is broken. libFuzzer calls them from
//! fuzz/, and tests call them with input of their own.

use std::borrow::Cow;

use memento_core::chunk::Measure;
use memento_core::transcript::Turn;

use crate::invariant::{self, Sizes};

/// A name and what it calls.
pub type Target = (&'static str, fn(&[u8]));

/// All of them, by the name of their file in fuzz/fuzz_targets.
pub const TARGETS: [Target; 14] = [
    ("markdown", markdown),
    ("outline", outline),
    ("transcript", transcript),
    ("tech_tokens", tech_tokens),
    ("token_count", token_count),
    ("sentence", sentence),
    ("quote", quote),
    ("citation", citation),
    ("query", query),
    ("diff", diff),
    ("secret", secret),
    ("filter", filter),
    ("events", events),
    ("event_reply", event_reply),
];

pub fn markdown(data: &[u8]) {
    let (numbers, text) = parts(data);
    invariant::markdown(&text, sizes(numbers));
}

pub fn outline(data: &[u8]) {
    invariant::sections(&parts(data).1);
}

/// A turn for each line, with its speaker before a colon.
pub fn transcript(data: &[u8]) {
    let (numbers, text) = parts(data);
    let turn = |(at, line): (usize, &str)| {
        let (speaker, said) = line.split_once(':').unwrap_or(("", line));
        let start = at as i64 * 1000;
        // A literal line end inside of a turn.
        Turn::try_new(speaker, &said.replace("\\n", "\n"), Some(start), Some(start + 500)).unwrap()
    };
    let turns: Vec<Turn> = text.split('\n').enumerate().map(turn).collect();
    invariant::transcript(&turns, sizes(numbers));
}

pub fn tech_tokens(data: &[u8]) {
    invariant::technical(&parts(data).1);
}

pub fn token_count(data: &[u8]) {
    invariant::tokens(&parts(data).1);
}

pub fn sentence(data: &[u8]) {
    invariant::sentences(&parts(data).1);
}

pub fn quote(data: &[u8]) {
    let ([from, length, ..], text) = parts(data);
    invariant::quote(&text, usize::from(from), usize::from(length));
}

pub fn citation(data: &[u8]) {
    invariant::citations(&parts(data).1, &["Q-1", "A-2"]);
}

pub fn query(data: &[u8]) {
    invariant::query(&parts(data).1);
}

/// The text before and after the first form feed.
pub fn diff(data: &[u8]) {
    let (_, text) = parts(data);
    let (old, new) = text.split_once('\u{c}').unwrap_or((&text, ""));
    invariant::diff(old, new);
}

pub fn secret(data: &[u8]) {
    invariant::secrets(&parts(data).1);
}

pub fn filter(data: &[u8]) {
    invariant::filter(&parts(data).1);
}

pub fn events(data: &[u8]) {
    invariant::events(&parts(data).1);
}

pub fn event_reply(data: &[u8]) {
    invariant::event_reply(&parts(data).1);
}

/// A few numbers from the first bytes, and the text that the others are.
fn parts(data: &[u8]) -> ([u8; 4], Cow<'_, str>) {
    let (numbers, text) = data.split_at(data.len().min(4));
    let mut first = [0; 4];
    first[..numbers.len()].copy_from_slice(numbers);
    (first, String::from_utf8_lossy(text))
}

fn sizes([measure, target, extra, overlap]: [u8; 4]) -> Sizes {
    let measure = if measure % 2 == 0 { Measure::Tokens } else { Measure::Chars };
    let target = usize::from(target) + 1;
    Sizes { measure, target, max: target + usize::from(extra), overlap: usize::from(overlap) }
}

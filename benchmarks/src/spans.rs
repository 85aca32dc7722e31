//! Chunks of a text for programs that are not written in Rust.

use std::io::Read;

use memento_core::chunk::{Budget, Measure, chunk_markdown};

/// Cuts standard input to a budget of characters; prints `[start, end]` of each chunk, in characters, a line for each.
pub fn print(chars: &str) {
    let chars = chars.parse().unwrap_or_else(|error| panic!("{chars}: {error}"));
    let budget = Budget::try_new(Measure::Chars, chars, chars, 0).unwrap_or_else(|error| panic!("{error}"));
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap_or_else(|error| panic!("standard input: {error}"));
    for chunk in chunk_markdown(&text, budget) {
        println!("[{}, {}]", chunk.start_char, chunk.end_char);
    }
}

//! Counting tokens: exactly as cl100k_base does, the vocabulary of OpenAI's embedding models and a fair measure for others.
//!
//! Nothing is loaded and nothing is kept: the vocabulary is read-only data of the library, shared by all processes.

mod merge;
mod piece;
#[cfg(test)]
mod tests;
mod vocabulary;

/// How many tokens a text has.
pub fn count(text: &str) -> usize {
    piece::pieces(text).map(|piece| merge::count(piece.as_bytes())).sum()
}

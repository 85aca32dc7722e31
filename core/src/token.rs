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

/// The same, with a call back every few milliseconds, which may end it by a panic.
pub fn count_interruptibly(text: &str, check: impl Fn()) -> usize {
    const PIECES_BETWEEN_CHECKS: usize = 1 << 14;
    let counts = piece::pieces(text).map(|piece| merge::count(piece.as_bytes()));
    counts
        .enumerate()
        .map(|(number, count)| {
            if number % PIECES_BETWEEN_CHECKS == 0 {
                check();
            }
            count
        })
        .sum()
}

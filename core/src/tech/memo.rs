//! Words seen lately and their tokens: logs say the same words again and again.

use std::ops::Range;

use super::Kind;
use super::looks::Looks;

/// More than these words are not remembered: the table stays in the second fastest cache.
const MOST_WORDS: usize = 4096;

/// Bytes of text for which one more word is remembered, so that a short text pays little.
const TEXT_PER_WORD: usize = 16;

/// Longer words are rarely seen twice.
const LONGEST_WORD: usize = 64;

/// Words with more tokens are rare.
const MOST_TOKENS: usize = 8;

/// A table of words; a word has one place in it, which it takes from the word that was there.
pub struct Memo<'t> {
    known: Vec<Known<'t>>,
}

/// What is known of a word.
#[derive(Clone, Copy)]
pub struct Known<'t> {
    word: &'t [u8],
    /// Spans in the word, and what they are.
    tokens: [(u8, u8, Kind); MOST_TOKENS],
    count: u8,
    /// Whether the word as a whole is a token.
    pub is_token: bool,
}

impl Known<'_> {
    pub fn tokens(&self) -> impl Iterator<Item = (Range<usize>, Kind)> + '_ {
        let tokens = &self.tokens[..usize::from(self.count)];
        tokens.iter().map(|(start, end, kind)| (usize::from(*start)..usize::from(*end), *kind))
    }
}

impl<'t> Memo<'t> {
    /// For a text of this length.
    pub fn new(length: usize) -> Self {
        let nothing =
            Known { word: b"", tokens: [(0, 0, Kind::Number); MOST_TOKENS], count: 0, is_token: false };
        let words = (length / TEXT_PER_WORD).min(MOST_WORDS).next_power_of_two();
        Self { known: vec![nothing; words] }
    }

    pub fn recall(&self, word: &[u8], looks: Looks) -> Option<&Known<'t>> {
        let known = &self.known[self.place(word, looks)];
        (known.word == word).then_some(known)
    }

    /// Remembers a word, if it is short enough.
    pub fn keep(
        &mut self,
        word: &'t [u8],
        looks: Looks,
        tokens: impl ExactSizeIterator<Item = (Range<usize>, Kind)>,
        is_token: bool,
    ) {
        if word.len() > LONGEST_WORD || tokens.len() > MOST_TOKENS {
            return;
        }
        let place = self.place(word, looks);
        let known = &mut self.known[place];
        (known.word, known.count, known.is_token) = (word, tokens.len() as u8, is_token);
        for (slot, (span, kind)) in known.tokens.iter_mut().zip(tokens) {
            *slot = (span.start as u8, span.end as u8, kind);
        }
    }

    /// By its ends and its looks: names that have both in common push each other out.
    fn place(&self, word: &[u8], looks: Looks) -> usize {
        let ends = match (word.first_chunk(), word.last_chunk()) {
            (Some(first), Some(last)) => {
                u64::from_le_bytes(*first).rotate_left(23) ^ u64::from_le_bytes(*last)
            }
            _ => word.iter().fold(0, |bytes, byte| bytes << 8 | u64::from(*byte)),
        };
        let mixed = (ends ^ looks.fingerprint()).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> 32) as usize & (self.known.len() - 1)
    }
}

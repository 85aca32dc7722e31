//! What changed inside of changed lines.

use unicode_segmentation::UnicodeSegmentation;

use super::Op;
use super::matching::{self, Budget};

/// Longer changes, both texts together, are not taken apart: nobody reads them word by word, and it bounds the memory.
const LONGEST_CHANGE: usize = 1 << 20;

/// Neighbouring words with the same fate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordPiece<'t> {
    /// What happened to them.
    pub op: Op,
    /// The words, with the blanks and marks between them.
    pub text: &'t str,
}

/// The pieces of a change: without the inserted ones they are the old text, without the deleted ones the new one.
pub fn pieces<'t>(old: &'t str, new: &'t str, budget: &mut Budget) -> Vec<WordPiece<'t>> {
    let mut pieces = Vec::new();
    let mut add = |op, text: &'t str| {
        if !text.is_empty() {
            pieces.push(WordPiece { op, text });
        }
    };
    let (mut old_at, mut new_at) = (0, 0);
    let length = old.len() + new.len();
    if length <= LONGEST_CHANGE && budget.spend(length) {
        let (old_ends, new_ends) = (word_ends(old), word_ends(new));
        for run in matching::runs(old.split_word_bounds(), new.split_word_bounds(), budget) {
            let (old_start, new_start) = (old_ends[run.old], new_ends[run.new]);
            add(Op::Delete, &old[old_at..old_start]);
            add(Op::Insert, &new[new_at..new_start]);
            (old_at, new_at) = (old_ends[run.old + run.length], new_ends[run.new + run.length]);
            add(Op::Equal, &new[new_start..new_at]);
        }
    }
    add(Op::Delete, &old[old_at..]);
    add(Op::Insert, &new[new_at..]);
    pieces
}

/// Where the text begins and its words end.
fn word_ends(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.split_word_bound_indices().map(|(at, word)| at + word.len())).collect()
}

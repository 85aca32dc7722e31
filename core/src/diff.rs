//! What changed between two texts: as rows, as unified text, and by word.
//!
//! Lines end after LF, as for git and patch; a carriage return before it belongs to its line, and a text without LF is one
//! line. Texts that are pasted together from the rows are exactly the old and the new one, whatever their line ends.
//!
//! The work is bounded by counting it, not by a clock, so the same texts always give the same result: `matching` finds lines
//! that stay; what its budget does not reach is shown as replaced, which is coarse but correct.

mod line;
mod matching;
#[cfg(test)]
mod tests;
mod unified;
mod word;

use std::ops::Range;

pub use word::WordPiece;

use line::{count, lines};
use matching::{Budget, Run};

/// More lines than this, in what is left of both texts without their common start and end, are not compared: it bounds the
/// memory to less than 100 MB.
const MOST_LINES: usize = 1_000_000;

/// What happened to a line or a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// It is in both texts.
    Equal,
    /// It is in the old one only.
    Delete,
    /// It is in the new one only.
    Insert,
}

impl Op {
    /// The word in SQL and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Delete => "delete",
            Self::Insert => "insert",
        }
    }
}

/// A line of one text or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row<'t> {
    /// What happened to it.
    pub op: Op,
    /// Its number in the old text, from 1.
    pub old_line: Option<usize>,
    /// Its number in the new text, from 1.
    pub new_line: Option<usize>,
    /// The line with its line end, if it has one.
    pub text: &'t str,
}

/// Lines that were replaced by others; one of the two may be empty. Lines count from 0 here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk<'t> {
    /// Lines of the old text.
    pub old_lines: Range<usize>,
    /// Lines of the new text.
    pub new_lines: Range<usize>,
    /// What they were.
    pub old: &'t str,
    /// What they are.
    pub new: &'t str,
}

/// The difference of two texts.
pub struct Diff<'t> {
    old: &'t str,
    new: &'t str,
    /// Lines that are in both texts, in order; the last is at the end of both and may be empty.
    kept: Vec<Run>,
}

impl<'t> Diff<'t> {
    /// Compares two texts line by line.
    pub fn new(old: &'t str, new: &'t str) -> Self {
        let start = lines(old).zip(lines(new)).take_while(|(a, b)| a == b);
        let (start_lines, start_bytes) =
            start.fold((0, 0), |(count, bytes), (line, _)| (count + 1, bytes + line.len()));
        let (old_rest, new_rest) = (&old[start_bytes..], &new[start_bytes..]);
        let end = lines(old_rest).rev().zip(lines(new_rest).rev()).take_while(|(a, b)| a == b);
        let (end_lines, end_bytes) =
            end.fold((0, 0), |(count, bytes), (line, _)| (count + 1, bytes + line.len()));
        let old_rest = &old_rest[..old_rest.len() - end_bytes];
        let new_rest = &new_rest[..new_rest.len() - end_bytes];
        let (old_count, new_count) = (count(old_rest), count(new_rest));

        let mut kept = vec![Run { old: 0, new: 0, length: start_lines }];
        if old_count + new_count <= MOST_LINES {
            let between = matching::runs(lines(old_rest), lines(new_rest), &mut Budget::default());
            kept.extend(between.into_iter().map(|run| run.moved(start_lines)));
        }
        kept.push(Run { old: start_lines + old_count, new: start_lines + new_count, length: end_lines });
        Self { old, new, kept }
    }

    /// Whether the texts are the same.
    pub fn is_empty(&self) -> bool {
        self.old == self.new
    }

    /// All lines: those that stay, and at each change the old ones before the new ones.
    pub fn rows(&self) -> impl Iterator<Item = Row<'t>> + '_ {
        let (mut old_at, mut new_at) = (0, 0);
        let (mut old, mut new) = (lines(self.old), lines(self.new));
        let mut kept = self.kept.iter().copied();
        let mut run = kept.next();
        std::iter::from_fn(move || {
            while run.is_some_and(|run| old_at == run.old + run.length && new_at == run.new + run.length) {
                run = kept.next();
            }
            let Run { old: kept_old, new: kept_new, .. } = run?;
            let (op, text) = if old_at < kept_old {
                (Op::Delete, old.next()?)
            } else if new_at < kept_new {
                (Op::Insert, new.next()?)
            } else {
                old.next();
                (Op::Equal, new.next()?)
            };
            old_at += usize::from(op != Op::Insert);
            new_at += usize::from(op != Op::Delete);
            let old_line = (op != Op::Insert).then_some(old_at);
            let new_line = (op != Op::Delete).then_some(new_at);
            Some(Row { op, old_line, new_line, text })
        })
    }

    /// The changes, in order.
    pub fn hunks(&self) -> Vec<Hunk<'t>> {
        let mut hunks = Vec::new();
        let (mut old, mut new) = (Position::of(self.old), Position::of(self.new));
        for run in &self.kept {
            let (old_lines, new_lines) = (old.line..run.old, new.line..run.new);
            let (removed, added) = (old.skip(old_lines.len()), new.skip(new_lines.len()));
            if !removed.is_empty() || !added.is_empty() {
                hunks.push(Hunk { old_lines, new_lines, old: removed, new: added });
            }
            old.skip(run.length);
            new.skip(run.length);
        }
        hunks
    }

    /// Each change with its words, taken apart as far as the effort for the whole text allows.
    pub fn words(&self) -> impl Iterator<Item = (Hunk<'t>, Vec<WordPiece<'t>>)> + use<'t> {
        let mut budget = Budget::default();
        self.hunks().into_iter().map(move |hunk| {
            let pieces = word::pieces(hunk.old, hunk.new, &mut budget);
            (hunk, pieces)
        })
    }

    /// As `diff -u` writes it, with so many lines around each change, and a name for each text. Empty if nothing changed.
    pub fn unified(&self, old_name: &str, new_name: &str, context: usize) -> String {
        unified::write(self, old_name, new_name, context)
    }
}

/// A place between two lines.
struct Position<'t> {
    line: usize,
    rest: &'t str,
}

impl<'t> Position<'t> {
    fn of(text: &'t str) -> Self {
        Self { line: 0, rest: text }
    }

    /// Goes over so many lines, and gives them.
    fn skip(&mut self, count: usize) -> &'t str {
        let bytes = lines(self.rest).take(count).map(str::len).sum();
        let (passed, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        self.line += count;
        passed
    }
}

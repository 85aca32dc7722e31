//! Cutting a block that is too large into units, each at the best boundary that it has.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use super::block::{Block, BlockKind};
use super::cluster::{self, is_boundary, trimmed};
use super::config::Measure;
use crate::sentence::sentence_starts;

/// Boundaries, from the best to the last resort.
#[derive(Clone, Copy)]
enum Level {
    /// Items of a list, blocks in a quote.
    Inner,
    Line,
    Sentence,
    Word,
    Grapheme,
}

impl Level {
    fn finer(self) -> Self {
        match self {
            Self::Inner => Self::Line,
            Self::Line => Self::Sentence,
            Self::Sentence => Self::Word,
            Self::Word | Self::Grapheme => Self::Grapheme,
        }
    }
}

/// The spans of a block's parts, in order, none larger than `limit` (but for a single grapheme cluster). Between them
/// there is at most white space.
pub fn divide(text: &str, block: &Block, measure: Measure, limit: usize) -> Vec<Range<usize>> {
    let level = match block.kind {
        BlockKind::List | BlockKind::Quote => Level::Inner,
        BlockKind::Code | BlockKind::Table | BlockKind::Html | BlockKind::FrontMatter => Level::Line,
        _ => Level::Sentence,
    };
    let mut divider = Divider { text, block, measure, limit, parts: Vec::new() };
    divider.divide(block.span.clone(), level);
    divider.parts
}

struct Divider<'a> {
    text: &'a str,
    block: &'a Block,
    measure: Measure,
    limit: usize,
    parts: Vec<Range<usize>>,
}

impl Divider<'_> {
    /// Four levels deep at most: each call goes to a finer level.
    fn divide(&mut self, span: Range<usize>, level: Level) {
        if matches!(level, Level::Grapheme) {
            return self.divide_by_grapheme(span);
        }
        for part in self.boundaries(&span, level) {
            let part = trimmed(self.text, part);
            if part.is_empty() {
                continue;
            }
            if self.measure.fits(&self.text[part.clone()], self.limit) {
                self.parts.push(part);
            } else {
                self.divide(part, level.finer());
            }
        }
    }

    fn boundaries(&self, span: &Range<usize>, level: Level) -> Vec<Range<usize>> {
        let text = &self.text[span.clone()];
        let starts: Vec<usize> = match level {
            Level::Inner => {
                let inside = |at: &&usize| span.start < **at && **at < span.end;
                self.block.inner.iter().filter(inside).copied().collect()
            }
            Level::Line => self.line_starts(span),
            Level::Sentence => sentence_starts(text).into_iter().map(|at| span.start + at).collect(),
            Level::Word | Level::Grapheme => {
                // A blank that a mark is set upon is part of the word.
                word_starts(text).map(|at| cluster::start(self.text, span.start + at)).collect()
            }
        };
        let mut parts = Vec::with_capacity(starts.len() + 1);
        let mut start = span.start;
        for next in starts.into_iter().filter(|&at| at > span.start && is_boundary(self.text, at)) {
            parts.push(start..next);
            start = next;
        }
        parts.push(start..span.end);
        parts
    }

    /// Lines; a fenced block inside of a list or quote stays in one piece while it fits.
    fn line_starts(&self, span: &Range<usize>) -> Vec<usize> {
        let code = &self.block.inner_code;
        let in_whole_code = |at: usize| {
            let before = code.partition_point(|code| code.start < at);
            before > 0
                && at < code[before - 1].end
                && self.measure.fits(&self.text[code[before - 1].clone()], self.limit)
        };
        let text = &self.text[span.clone()];
        let mut starts = Vec::new();
        let mut at = 0;
        while let Some(end) = text[at..].find(['\n', '\r']) {
            at += end + if text[at + end..].starts_with("\r\n") { 2 } else { 1 };
            let start = span.start + at;
            if !in_whole_code(start) {
                starts.push(start);
            }
        }
        starts
    }

    /// Runs of grapheme clusters of at most `limit` bytes, which is at most `limit` tokens or characters.
    fn divide_by_grapheme(&mut self, span: Range<usize>) {
        let mut start = span.start;
        for (at, grapheme) in self.text[span.clone()].grapheme_indices(true) {
            let at = span.start + at;
            if at > start && at + grapheme.len() - start > self.limit {
                self.parts.push(start..at);
                start = at;
            }
        }
        self.parts.push(start..span.end);
    }
}

/// Where words begin: characters after white space.
fn word_starts(text: &str) -> impl Iterator<Item = usize> {
    let mut after_blank = false;
    text.char_indices().filter_map(move |(at, c)| {
        let begins = after_blank && !c.is_whitespace();
        after_blank = c.is_whitespace();
        begins.then_some(at)
    })
}

//! Cutting a block that is too large into units, each at the best boundary that it has.

use std::ops::Range;
use std::rc::Rc;

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
/// there is at most white space. Lazy, because the parts of a long line take more memory than the line.
pub fn divide(text: &str, block: Rc<Block>, measure: Measure, limit: usize) -> Divider<'_> {
    let level = match block.kind {
        BlockKind::List | BlockKind::Quote => Level::Inner,
        BlockKind::Code | BlockKind::Table | BlockKind::Html | BlockKind::FrontMatter => Level::Line,
        _ => Level::Sentence,
    };
    let span = block.span.clone();
    let mut divider = Divider { text, block, measure, limit, open: Vec::new() };
    divider.enter(span, level);
    divider
}

type Parts<'a> = Box<dyn Iterator<Item = Range<usize>> + 'a>;

/// See [`divide`].
pub struct Divider<'a> {
    text: &'a str,
    block: Rc<Block>,
    measure: Measure,
    limit: usize,
    /// What is being cut, coarsest first: at most one for each level.
    open: Vec<(Level, Parts<'a>)>,
}

impl Iterator for Divider<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        loop {
            let (level, parts) = self.open.last_mut()?;
            let level = *level;
            let Some(part) = parts.next() else {
                self.open.pop();
                continue;
            };
            let part = trimmed(self.text, part);
            if part.is_empty() {
                continue;
            }
            let is_finest = matches!(level, Level::Grapheme);
            if is_finest || self.measure.fits(&self.text[part.clone()], self.limit) {
                return Some(part);
            }
            self.enter(part, level.finer());
        }
    }
}

impl<'a> Divider<'a> {
    /// Begins to cut a span.
    fn enter(&mut self, span: Range<usize>, level: Level) {
        let text = &self.text[span.clone()];
        let offset = span.start;
        let parts: Parts<'a> = match level {
            Level::Inner => {
                let block = Rc::clone(&self.block);
                Box::new(between(self.text, span, (0..block.inner.len()).map(move |at| block.inner[at])))
            }
            Level::Line => Box::new(between(self.text, span, self.line_starts(text, offset))),
            Level::Sentence => {
                Box::new(between(self.text, span, sentence_starts(text).map(move |at| offset + at)))
            }
            // A blank that a mark is set upon is part of the word.
            Level::Word => {
                let whole = self.text;
                Box::new(between(
                    whole,
                    span,
                    word_starts(text).map(move |at| cluster::start(whole, offset + at)),
                ))
            }
            Level::Grapheme => {
                Box::new(between(self.text, span, run_starts(text, self.limit).map(move |at| offset + at)))
            }
        };
        self.open.push((level, parts));
    }

    /// The end of the line that a part begins, if it is a paragraph of its own in what the parser takes for one: longer than
    /// anybody wraps text.
    pub fn long_line(&self, part: &Range<usize>) -> Option<usize> {
        const LONGEST_WRAPPED: usize = 160;
        let Range { start, end } = self.block.span;
        if self.block.kind != BlockKind::Paragraph || part.start <= start {
            return None;
        }
        let before = self.text[start..part.start].trim_end_matches([' ', '\t']);
        if !before.ends_with(['\n', '\r']) {
            return None;
        }
        let rest = &self.text[part.start..end];
        let line = &rest[..memchr::memchr2(b'\n', b'\r', rest.as_bytes()).unwrap_or(rest.len())];
        line.chars().nth(LONGEST_WRAPPED).map(|_| part.start + line.len())
    }

    /// Lines; a fenced block inside of a list or quote stays in one piece while it fits.
    fn line_starts(&self, lines: &'a str, offset: usize) -> impl Iterator<Item = usize> + use<'a> {
        let (text, measure, limit) = (self.text, self.measure, self.limit);
        let block = Rc::clone(&self.block);
        let mut last_seen = None;
        let mut in_whole_code = move |at: usize| {
            let before = block.inner_code.partition_point(|code| code.start < at);
            let Some(code) = block.inner_code[..before].last().filter(|code| at < code.end) else {
                return false;
            };
            let (start, fits) = last_seen
                .filter(|(start, _)| *start == code.start)
                .unwrap_or_else(|| (code.start, measure.fits(&text[code.clone()], limit)));
            last_seen = Some((start, fits));
            fits
        };
        line_starts(lines).map(move |at| offset + at).filter(move |at| !in_whole_code(*at))
    }
}

/// The parts of a span between its start, places inside of it, and its end.
fn between<'a>(
    text: &'a str,
    span: Range<usize>,
    places: impl Iterator<Item = usize> + 'a,
) -> impl Iterator<Item = Range<usize>> + 'a {
    let Range { mut start, end } = span;
    let inside = places.filter(move |at| span.contains(at) && *at > span.start && is_boundary(text, *at));
    inside.chain([end]).map(move |next| std::mem::replace(&mut start, next)..next)
}

/// Where lines begin, but for the first.
fn line_starts(text: &str) -> impl Iterator<Item = usize> {
    let bytes = text.as_bytes();
    let ends_line = move |at: &usize| bytes[*at] == b'\n' || bytes.get(at + 1) != Some(&b'\n');
    memchr::memchr2_iter(b'\n', b'\r', bytes).filter(ends_line).map(|at| at + 1)
}

/// Where runs of grapheme clusters begin that have at most `limit` bytes, which is at most `limit` tokens or characters.
fn run_starts(text: &str, limit: usize) -> impl Iterator<Item = usize> {
    let mut start = 0;
    text.grapheme_indices(true).filter_map(move |(at, grapheme)| {
        let is_full = at > start && at + grapheme.len() - start > limit;
        is_full.then(|| {
            start = at;
            at
        })
    })
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

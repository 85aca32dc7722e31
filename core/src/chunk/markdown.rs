//! Markdown to chunks.

use std::ops::Range;
use std::rc::Rc;

use super::block::BlockKind;
use super::config::{Budget, Measure};
use super::item::Grouping;
use super::pack::Packer;

/// A chunk of a document. Offsets are in Unicode code points, 0-based and half-open, so that
/// `substr(content, start_char + 1, end_char - start_char)` in SQL is `text`.
#[derive(Clone, Debug)]
pub struct Chunk<'a> {
    /// Offset of the first character.
    pub start_char: usize,
    /// Offset after the last character.
    pub end_char: usize,
    /// The same in bytes.
    pub bytes: Range<usize>,
    /// The text between them.
    pub text: &'a str,
    /// The headings that it is under.
    pub heading: Rc<HeadingPath>,
    /// What it consists of, headings aside.
    pub kind: BlockKind,
    /// Its size in the unit of the budget.
    pub size: usize,
}

/// Where in a document something stands.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct HeadingPath {
    /// Headings above it, outermost first.
    pub path: Vec<String>,
    /// The anchor of the innermost.
    pub anchor: Option<String>,
}

/// Cuts a Markdown document (plain text is one too) into chunks.
///
/// A chunk is a contiguous run of blocks under one heading. A heading stays with what follows it, code and tables stay
/// whole while they fit, and what does not fit is cut at the best boundary, never inside a grapheme cluster. Together the
/// chunks cover all text that is not white space. Linear in time, and lazy: a caller can stop at any chunk.
pub fn chunk_markdown(text: &str, budget: Budget) -> impl Iterator<Item = Chunk<'_>> {
    chunk_grouped(text, budget, Grouping::Packed)
}

/// The same, where the grouping says which blocks share a chunk. By item, only headings, labels and thematic breaks stay
/// with something else, and only an item that is too large is cut.
pub fn chunk_grouped(text: &str, budget: Budget, grouping: Grouping) -> impl Iterator<Item = Chunk<'_>> {
    let mut offsets = CharOffsets::new(text);
    Packer::new(text, budget, grouping).map(move |packed| {
        let start_char = offsets.char_at(packed.span.start);
        // Characters that have been counted already are not counted again.
        let end_char = match budget.measure {
            Measure::Chars => offsets.advance(packed.span.end, packed.size),
            Measure::Tokens => offsets.char_at(packed.span.end),
        };
        Chunk {
            start_char,
            end_char,
            text: &text[packed.span.clone()],
            bytes: packed.span,
            heading: packed.heading,
            kind: packed.kind,
            size: packed.size,
        }
    })
}

/// Turns byte offsets into character offsets, cheaply as long as they hardly go back.
pub struct CharOffsets<'a> {
    text: &'a str,
    byte: usize,
    char: usize,
    /// What was last seen to be nothing but ASCII.
    ascii: Range<usize>,
}

impl<'a> CharOffsets<'a> {
    /// Begins at the start of a text.
    pub fn new(text: &'a str) -> Self {
        Self { text, byte: 0, char: 0, ascii: 0..0 }
    }

    /// Goes on to a byte offset that is so many characters away.
    fn advance(&mut self, byte: usize, chars: usize) -> usize {
        self.byte = byte;
        self.char += chars;
        self.char
    }

    /// The offset in characters of a byte offset, which is on a boundary of characters.
    pub fn char_at(&mut self, byte: usize) -> usize {
        let between = self.byte.min(byte)..self.byte.max(byte);
        let chars = if self.is_ascii(&between) { between.len() } else { self.text[between].chars().count() };
        if byte < self.byte {
            self.char -= chars;
        } else {
            self.char += chars;
        }
        self.byte = byte;
        self.char
    }

    /// Whether a span is known to be ASCII. Looks ahead in large steps: the offsets that are asked for lie close together.
    fn is_ascii(&mut self, span: &Range<usize>) -> bool {
        const STEP: usize = 512;
        let bytes = self.text.as_bytes();
        if !self.ascii.contains(&span.start) {
            self.ascii = span.start..span.start;
        }
        while self.ascii.end < span.end {
            let end = (self.ascii.end + STEP).min(bytes.len());
            if !bytes[self.ascii.end..end].is_ascii() {
                return false;
            }
            self.ascii.end = end;
        }
        true
    }
}

//! The lines of a document that can hold events: items of lists, turns of a conversation, and what a paragraph says.
//! Code, quotations, raw HTML, front matter and tables hold none.

use std::ops::Range;

use super::label::{self, Section};
use super::speaker;
use super::{Context, Known};
use crate::chunk::{Block, BlockKind, Grouping, blocks};
use crate::query::word::is_one_of;

/// A line as its author means it: one that was wrapped is one.
#[derive(Clone, Debug)]
pub struct Line<'a> {
    /// Without bullet, check box, time and speaker.
    pub span: Range<usize>,
    /// Whether it is the item of a list.
    pub is_item: bool,
    /// For items with a box: whether it is checked.
    pub checked: Option<bool>,
    /// Who says it.
    pub speaker: Option<&'a str>,
    /// Whether it is of the turn of an assistant, who speaks of what one can do.
    pub is_assistant: bool,
    /// What the heading or label above says about it.
    pub section: Option<Section>,
    /// Whether it is the first below a heading.
    pub opens_section: bool,
    /// The heading that it stands under; an index of [`Lines::headings`].
    pub heading: Option<usize>,
}

/// The lines of a document with its headings.
pub struct Lines<'a> {
    pub lines: Vec<Line<'a>>,
    pub headings: Vec<String>,
}

/// Reads a document.
pub fn lines<'a>(text: &'a str, context: &Context<'a>) -> Lines<'a> {
    let known = Known::new(context);
    let mut reader = Reader {
        text,
        known,
        found: Vec::new(),
        headings: Vec::new(),
        section: None,
        label: None,
        is_fresh: false,
        is_assistant: false,
    };
    for block in blocks(text, Grouping::Packed) {
        reader.read(&block);
    }
    Lines { lines: reader.found, headings: reader.headings }
}

struct Reader<'a> {
    text: &'a str,
    known: Known<'a>,
    found: Vec<Line<'a>>,
    headings: Vec<String>,
    /// Of the heading.
    section: Option<Section>,
    /// Of a label on a line of its own, for the lines below it.
    label: Option<Section>,
    /// Whether nothing stands below the last heading yet.
    is_fresh: bool,
    /// Whether the last who spoke is an assistant.
    is_assistant: bool,
}

impl<'a> Reader<'a> {
    fn read(&mut self, block: &Block) {
        match block.kind {
            BlockKind::Heading => {
                let heading = block.heading.as_ref().map_or("", |heading| heading.text.trim());
                self.section = label::section(heading);
                self.label = None;
                self.is_fresh = true;
                self.headings.push(heading.to_owned());
            }
            BlockKind::List => {
                self.read_lines(block);
                self.label = None;
            }
            BlockKind::Paragraph => {
                // A label belongs to the list below it, and not to the text after that.
                self.label = None;
                self.read_lines(block);
            }
            _ => {}
        }
    }

    fn read_lines(&mut self, block: &Block) {
        let first = self.found.len();
        let mut at = block.span.start;
        let mut outermost = None;
        for physical in self.text[block.span.clone()].split_inclusive(['\n', '\r']) {
            let start = at;
            at += physical.len();
            let begin = start + physical.len() - physical.trim_start().len();
            let said = physical.trim();
            let codes = block.inner_code.partition_point(|code| code.start <= begin);
            let in_code = block.inner_code[..codes].last().is_some_and(|code| code.contains(&begin));
            if in_code || said.is_empty() || said.starts_with(['>', '|']) {
                continue;
            }
            let end = begin + said.len();
            let marker = marker_length(said);
            let goes_on =
                marker.is_none() && self.found.len() > first && self.goes_on(begin..end, block.kind);
            if goes_on && let Some(last) = self.found.last_mut() {
                last.span.end = end;
                continue;
            }
            let indent = begin - start;
            let is_outermost = indent <= *outermost.get_or_insert(indent) + 1;
            self.begin_line(begin..end, marker, is_outermost);
        }
    }

    /// Whether a line only continues the one before it.
    fn goes_on(&self, span: Range<usize>, kind: BlockKind) -> bool {
        const WRAPPED: usize = 60;
        let Some(last) = self.found.last() else { return false };
        let (before, said) = (&self.text[last.span.clone()], &self.text[span]);
        if label::leading(said).is_some() || speaker::leading(said, &self.known).is_some() {
            return false;
        }
        let ended = before.ends_with(['.', '!', '?', ':', ';', '…']);
        let last_length = before.rsplit(['\n', '\r']).next().map_or(0, str::len);
        match said.chars().next() {
            Some(first) if first.is_lowercase() => true,
            _ if kind == BlockKind::List => true,
            _ => !ended && last_length >= WRAPPED,
        }
    }

    fn begin_line(&mut self, span: Range<usize>, marker: Option<usize>, is_outermost: bool) {
        let mut start = span.start + marker.unwrap_or(0);
        let checked = marker.and_then(|_| check_box(&self.text[start..span.end]));
        if let Some((_, length)) = checked {
            start += length;
        }
        let said = &self.text[start..span.end];
        // `- Salt: a pinch` is said by nobody.
        let turn = speaker::leading(said, &self.known);
        let turn = turn.filter(|turn| marker.is_none() || self.known.is_participant(turn.speaker));
        start += turn.as_ref().map_or(0, |turn| turn.length);
        if let Some(turn) = &turn {
            self.is_assistant = is_assistant(turn.speaker, self.is_assistant);
        }
        let said = &self.text[start..span.end];
        if let Some(section) = label::alone(said) {
            self.label = Some(section);
            return;
        }
        let section = self.label.or(self.section).filter(|_| is_outermost);
        self.found.push(Line {
            span: start..span.end,
            is_item: marker.is_some(),
            checked: checked.map(|(checked, _)| checked),
            speaker: turn.map(|turn| turn.speaker),
            is_assistant: self.is_assistant,
            section,
            opens_section: std::mem::take(&mut self.is_fresh),
            heading: self.headings.len().checked_sub(1),
        });
    }
}

/// Whether an assistant speaks. Answers of one have lines like `Tip: ...`, which nobody else says.
fn is_assistant(speaker: &str, before: bool) -> bool {
    let plain = speaker.to_lowercase();
    is_one_of(&plain, "assistant|ai|bot|chatbot|system")
        || (before && !is_one_of(&plain, "user|human|customer|client|me"))
}

/// The bullet or number of an item with the blanks after it.
fn marker_length(line: &str) -> Option<usize> {
    let mark = line.chars().next()?;
    let length = match mark {
        '-' | '*' | '+' | '•' | '◦' | '‣' | '–' => mark.len_utf8(),
        '0'..='9' => {
            let digits = line.bytes().take_while(u8::is_ascii_digit).count();
            if digits > 4 || !line[digits..].starts_with(['.', ')']) {
                return None;
            }
            digits + 1
        }
        _ => return None,
    };
    let rest = &line[length..];
    let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    (blanks > 0).then_some(length + blanks)
}

/// `[ ]` or `[x]` with the blanks after it: whether it is checked, and its length.
fn check_box(item: &str) -> Option<(bool, usize)> {
    let rest = item.strip_prefix('[')?;
    let mark = rest.chars().next()?;
    let rest = rest[mark.len_utf8()..].strip_prefix(']')?;
    let checked = match mark {
        ' ' => false,
        'x' | 'X' | '✓' | '✔' => true,
        _ => return None,
    };
    let said = rest.trim_start_matches([' ', '\t']);
    (said.len() < rest.len()).then_some((checked, item.len() - said.len()))
}

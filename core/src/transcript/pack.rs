//! Packing turns into chunks.

use std::collections::BTreeMap;
use std::ops::Range;

use super::render::Rendered;
use super::{SEVERAL_SPEAKERS, Turn};
use crate::chunk::{Budget, CharOffsets, chunk_markdown};

/// A chunk of a conversation. Offsets are in code points of the rendered text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranscriptChunk<'a> {
    /// Offset of the first character.
    pub start_char: usize,
    /// Offset after the last character.
    pub end_char: usize,
    /// The text between them.
    pub text: &'a str,
    /// Who says more than half of it, or MULTI.
    pub speaker: &'a str,
    /// The earliest time of its turns.
    pub start_ms: Option<i64>,
    /// The latest time of its turns.
    pub end_ms: Option<i64>,
    /// Its first turn, from 0.
    pub first_turn: usize,
    /// Its last turn.
    pub last_turn: usize,
    /// Its size in the unit of the budget.
    pub size: usize,
}

/// A turn, or a part of one that is too long.
#[derive(Clone)]
struct Unit {
    turn: usize,
    span: Range<usize>,
    size: usize,
}

/// Cuts a conversation into chunks of whole turns. Only a turn that is too long for a chunk is cut, by blocks and
/// sentences, with its code and logs in one piece where they fit. Overlap repeats whole turns.
pub fn chunk_transcript<'a>(
    turns: &'a [Turn],
    rendered: &'a Rendered,
    budget: Budget,
) -> Vec<TranscriptChunk<'a>> {
    let offsets = CharOffsets::new(&rendered.text);
    let mut packer =
        Packer { turns, rendered, budget, offsets, current: vec![], size: 0, repeated: 0, chunks: vec![] };
    for (turn, span) in rendered.spans.iter().enumerate().filter(|(_, span)| !span.is_empty()) {
        let text = &rendered.text[span.clone()];
        if budget.measure.fits(text, budget.max) {
            packer.add(Unit { turn, span: span.clone(), size: budget.measure.size(text) });
            continue;
        }
        for part in chunk_markdown(text, budget.without_overlap()) {
            let span = span.start + part.bytes.start..span.start + part.bytes.end;
            packer.add(Unit { turn, span, size: part.size });
        }
    }
    packer.close();
    packer.chunks
}

struct Packer<'a> {
    turns: &'a [Turn],
    rendered: &'a Rendered,
    budget: Budget,
    offsets: CharOffsets<'a>,
    current: Vec<Unit>,
    /// About the size of the current chunk: that of its units, and one for what is between two.
    size: usize,
    /// How many units of `current` are repeated from the chunk before.
    repeated: usize,
    chunks: Vec<TranscriptChunk<'a>>,
}

impl<'a> Packer<'a> {
    fn add(&mut self, unit: Unit) {
        if !self.takes(&unit) {
            self.close();
            // What is repeated must leave room for what comes.
            while self.repeated > 0 && !self.has_room_for(&unit) {
                self.size -= self.current.remove(0).size + 1;
                self.repeated -= 1;
            }
        }
        self.size += unit.size + 1;
        self.current.push(unit);
    }

    /// Up to the target, or to the limit where the chunk would else end below five sevenths of the target: 250 to 450
    /// tokens for the usual target of 350.
    fn takes(&self, unit: &Unit) -> bool {
        let Budget { target, .. } = self.budget;
        let unfinished = self.size < target * 5 / 7 || self.current.len() == self.repeated;
        self.current.is_empty()
            || ((self.size + unit.size <= target || unfinished) && self.has_room_for(unit))
    }

    /// Whether the chunk stays within the limit; counted exactly only where it is close.
    fn has_room_for(&self, unit: &Unit) -> bool {
        /// Sizes add up but for a token or two where turns meet.
        const SLACK: usize = 16;
        let max = self.budget.max;
        let Some(first) = self.current.first() else { return true };
        let together = self.size + unit.size;
        together + SLACK <= max
            || (together <= max + SLACK && self.size_of(first.span.start..unit.span.end) <= max)
    }

    fn size_of(&self, span: Range<usize>) -> usize {
        self.budget.measure.size(&self.rendered.text[span])
    }

    /// Ends the current chunk, and begins the next with the last turns of this one, as far as the overlap goes.
    fn close(&mut self) {
        let is_new = self.current.len() > self.repeated;
        if let (true, Some(first), Some(last)) = (is_new, self.current.first(), self.current.last()) {
            let chunk = self.chunk(first.span.start..last.span.end, first.turn, last.turn);
            let start_char = self.offsets.char_at(first.span.start);
            let end_char = start_char + chunk.text.chars().count();
            self.chunks.push(TranscriptChunk { start_char, end_char, ..chunk });
        }
        let mut room = if is_new { self.budget.overlap } else { 0 };
        let mut keep = 0;
        for unit in self.current.iter().skip(1).rev() {
            if unit.size > room {
                break;
            }
            room -= unit.size;
            keep += 1;
        }
        self.current.drain(..self.current.len() - keep);
        self.size = self.current.iter().map(|unit| unit.size + 1).sum();
        self.repeated = keep;
    }

    fn chunk(&self, span: Range<usize>, first_turn: usize, last_turn: usize) -> TranscriptChunk<'a> {
        let turns = &self.turns[first_turn..=last_turn];
        TranscriptChunk {
            start_char: 0,
            end_char: 0,
            text: &self.rendered.text[span.clone()],
            speaker: self.dominant_speaker(),
            start_ms: turns.iter().filter_map(|turn| turn.start_ms).min(),
            end_ms: turns.iter().filter_map(|turn| turn.end_ms.or(turn.start_ms)).max(),
            first_turn,
            last_turn,
            size: self.size_of(span),
        }
    }

    fn dominant_speaker(&self) -> &'a str {
        let mut said: BTreeMap<&'a str, usize> = BTreeMap::new();
        for unit in &self.current {
            *said.entry(&self.turns[unit.turn].speaker).or_default() += unit.span.len();
        }
        let all: usize = said.values().sum();
        said.into_iter().find(|(_, bytes)| bytes * 2 > all).map_or(SEVERAL_SPEAKERS, |(speaker, _)| speaker)
    }
}

//! Packing turns into chunks.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use super::render::Rendered;
use super::{SEVERAL_SPEAKERS, Turn};
use crate::chunk::{Budget, CharOffsets, chunk_markdown, units_worth};

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
    /// What it has of each turn: without those that say nothing.
    pub turns: Vec<TurnPart>,
    /// Its size in the unit of the budget.
    pub size: usize,
}

/// A turn in a chunk, or what the chunk has of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnPart {
    /// Which turn, from 0.
    pub turn: usize,
    /// Offset of its first character in the rendered text.
    pub start_char: usize,
    /// Offset after its last character.
    pub end_char: usize,
}

/// A turn, or a part of one that is too long.
#[derive(Clone)]
struct Unit {
    turn: usize,
    span: Range<usize>,
    size: usize,
}

/// Cuts a conversation into chunks of whole turns. Only a turn that is too long for a chunk is cut, by blocks and
/// sentences, with its code and logs in one piece where they fit. Overlap repeats whole turns. Lazy: a caller can stop at
/// any chunk.
pub fn chunk_transcript<'a>(
    turns: &'a [Turn],
    rendered: &'a Rendered,
    budget: Budget,
) -> TranscriptChunks<'a> {
    TranscriptChunks {
        turns,
        rendered,
        budget,
        offsets: CharOffsets::new(&rendered.text),
        units: Box::new(units(rendered, budget)),
        late: VecDeque::new(),
        current: Vec::new(),
        size: 0,
        repeated: 0,
    }
}

/// The turns that say something, and the parts of those that are too long.
fn units(rendered: &Rendered, budget: Budget) -> impl Iterator<Item = Unit> + '_ {
    let measure = budget.measure;
    rendered.spans.iter().enumerate().filter(|(_, span)| !span.is_empty()).flat_map(move |(turn, span)| {
        let text = &rendered.text[span.clone()];
        let whole = measure.fits(text, budget.max).then(|| Unit {
            turn,
            span: span.clone(),
            size: measure.size(text),
        });
        let parts = whole.is_none().then(|| chunk_markdown(text, budget.without_overlap()));
        let parts = parts.into_iter().flatten().map(move |part| Unit {
            turn,
            span: span.start + part.bytes.start..span.start + part.bytes.end,
            size: part.size,
        });
        whole.into_iter().chain(parts)
    })
}

/// See [`chunk_transcript`].
pub struct TranscriptChunks<'a> {
    turns: &'a [Turn],
    rendered: &'a Rendered,
    budget: Budget,
    offsets: CharOffsets<'a>,
    units: Box<dyn Iterator<Item = Unit> + 'a>,
    /// Units that are next, before the others: they were too much for the last chunk.
    late: VecDeque<Unit>,
    current: Vec<Unit>,
    /// About the size of the current chunk: that of its units, and one for what is between two.
    size: usize,
    /// How many units of `current` are repeated from the chunk before.
    repeated: usize,
}

impl<'a> Iterator for TranscriptChunks<'a> {
    type Item = TranscriptChunk<'a>;

    fn next(&mut self) -> Option<TranscriptChunk<'a>> {
        loop {
            let Some(unit) = self.late.pop_front().or_else(|| self.units.next()) else {
                return self.close();
            };
            if self.takes(&unit) {
                self.size += unit.size + 1;
                self.current.push(unit);
                continue;
            }
            self.late.push_front(unit);
            let chunk = self.close();
            self.make_room();
            if chunk.is_some() {
                return chunk;
            }
        }
    }
}

impl<'a> TranscriptChunks<'a> {
    /// What is repeated must leave room for what comes.
    fn make_room(&mut self) {
        while let Some(unit) = self.late.front()
            && self.repeated > 0
            && !self.has_room_for(unit)
        {
            let excess = (self.size + unit.size).saturating_sub(self.budget.max).max(1);
            self.drop_repeated(excess);
        }
    }

    fn drop_repeated(&mut self, excess: usize) {
        let dropped = units_worth(excess, self.current[..self.repeated].iter().map(|unit| unit.size));
        self.size -= self.current.drain(..dropped).map(|unit| unit.size + 1).sum::<usize>();
        self.repeated -= dropped;
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

    /// Ends the current chunk, and begins the next with the last turns of this one, as far as the overlap goes. None if
    /// it has nothing but what is repeated.
    fn close(&mut self) -> Option<TranscriptChunk<'a>> {
        if self.current.len() == self.repeated {
            self.repeat(0);
            return None;
        }
        let size = self.fit();
        let chunk = self.chunk(size);
        let mut room = self.budget.overlap;
        let mut keep = 0;
        for unit in self.current.iter().skip(1).rev() {
            if unit.size > room {
                break;
            }
            // With the line end before it.
            room = room.saturating_sub(unit.size + 1);
            keep += 1;
        }
        self.repeat(keep);
        Some(chunk)
    }

    /// Begins a chunk with the last units of the one before.
    fn repeat(&mut self, units: usize) {
        self.current.drain(..self.current.len() - units);
        self.size = self.current.iter().map(|unit| unit.size + 1).sum();
        self.repeated = units;
    }

    /// The exact size of the current chunk. What has to leave it for that is late: sizes of turns do not quite add up.
    fn fit(&mut self) -> usize {
        loop {
            let size = self.size_of(self.span());
            let excess = size.saturating_sub(self.budget.max);
            if excess == 0 || self.current.len() == 1 {
                return size;
            }
            if self.repeated > 0 {
                self.drop_repeated(excess);
                continue;
            }
            let leaves = units_worth(excess, self.current[1..].iter().rev().map(|unit| unit.size));
            let leaving = self.current.drain(self.current.len() - leaves..);
            leaving.rev().for_each(|unit| self.late.push_front(unit));
        }
    }

    fn span(&self) -> Range<usize> {
        let (first, last) = (self.current.first(), self.current.last());
        first.map_or(0, |unit| unit.span.start)..last.map_or(0, |unit| unit.span.end)
    }

    fn chunk(&mut self, size: usize) -> TranscriptChunk<'a> {
        let span = self.span();
        let (first_turn, last_turn) = (self.current[0].turn, self.current[self.current.len() - 1].turn);
        let turns = &self.turns[first_turn..=last_turn];
        let parts: Vec<TurnPart> =
            (first_turn..=last_turn).filter_map(|turn| self.part(turn, &span)).collect();
        TranscriptChunk {
            start_char: self.offsets.char_at(span.start),
            end_char: self.offsets.char_at(span.end),
            text: &self.rendered.text[span],
            speaker: self.dominant_speaker(),
            start_ms: turns.iter().filter_map(|turn| turn.start_ms).min(),
            end_ms: turns.iter().filter_map(|turn| turn.end_ms.or(turn.start_ms)).max(),
            first_turn,
            last_turn,
            turns: parts,
            size,
        }
    }

    fn part(&mut self, turn: usize, chunk: &Range<usize>) -> Option<TurnPart> {
        let span = &self.rendered.spans[turn];
        let (start, end) = (span.start.max(chunk.start), span.end.min(chunk.end));
        (start < end).then(|| TurnPart {
            turn,
            start_char: self.offsets.char_at(start),
            end_char: self.offsets.char_at(end),
        })
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

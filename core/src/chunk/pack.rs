//! Packing blocks, and parts of blocks that are too large, into chunks.

use std::collections::VecDeque;
use std::ops::Range;
use std::rc::Rc;

use super::block::{Block, BlockKind, Heading, text_start};
use super::cluster::trimmed;
use super::config::{Budget, Measure};
use super::item::{Grouping, is_label, separate, with_turns};
use super::markdown::HeadingPath;
use super::slug::Slugger;
use super::split::{Divider, divide};
use super::unit::{Unit, units_worth};
use super::window::{Blocks, blocks};
use crate::transcript::{SpokenTurn, spoken_turns};

/// Turns share a chunk up to this part of the target. More, and a question is buried in the answer to the one before: of the sessions
/// of LongMemEval that answer a question, ten hits have .02 fewer with a quarter than with an eighth.
const SHORT_TURNS: usize = 8;

/// A chunk before its offsets are counted in characters.
pub struct Packed {
    pub span: Range<usize>,
    pub heading: Rc<HeadingPath>,
    pub kind: BlockKind,
    pub size: usize,
    /// Whether it begins with a unit that does.
    opens: bool,
}

/// Reads blocks and gives chunks.
pub struct Packer<'a> {
    text: &'a str,
    blocks: Blocks<'a>,
    budget: Budget,
    grouping: Grouping,
    slugger: Slugger,
    open_headings: Vec<Heading>,
    heading: Rc<HeadingPath>,
    /// Up to where text has been given to units.
    read: usize,
    /// By turn: the turns.
    turns: Vec<SpokenTurn>,
    /// By item: the last block only announces the next.
    after_label: bool,
    /// Blocks that come next: the items of a list, or what comes after text that belongs to no block.
    waiting: VecDeque<Block>,
    /// The block that is being divided: its kind, whether its next part opens a chunk, and its parts.
    dividing: Option<(BlockKind, bool, Divider<'a>)>,
    /// Units that are next, before what is divided.
    queue: VecDeque<Unit>,
    current: Vec<Unit>,
    /// The sum of their sizes.
    size: usize,
    /// Whether one of them is not a heading.
    has_body: bool,
    /// How many units of `current` are repeated from the chunk before.
    repeated: usize,
    /// The last chunk, until it is known that the next one is not too small to stand alone.
    held: Option<Packed>,
}

impl<'a> Packer<'a> {
    pub fn new(text: &'a str, budget: Budget, grouping: Grouping) -> Self {
        let budget = match grouping {
            Grouping::Packed | Grouping::ByTurn => budget,
            Grouping::ByItem => budget.without_overlap(),
        };
        Self {
            text,
            blocks: blocks(text, grouping),
            budget,
            grouping,
            slugger: Slugger::default(),
            open_headings: Vec::new(),
            heading: Rc::default(),
            read: text_start(text),
            turns: if grouping == Grouping::ByTurn { spoken_turns(text) } else { Vec::new() },
            after_label: false,
            waiting: VecDeque::new(),
            dividing: None,
            queue: VecDeque::new(),
            current: Vec::new(),
            size: 0,
            has_body: false,
            repeated: 0,
            held: None,
        }
    }

    /// The next unit: from the queue, of the block that is being divided, or the next block.
    fn next_unit(&mut self) -> Option<Unit> {
        loop {
            if let Some(unit) = self.queue.pop_front() {
                return Some(unit);
            }
            if let Some((kind, opens, parts)) = &mut self.dividing {
                let (kind, opens) = (*kind, std::mem::take(opens));
                if let Some(part) = parts.next() {
                    let long_line = parts.long_line(&part);
                    let sizes = self.sizes(self.read, &part);
                    return Some(Unit { long_line, ..self.unit(part, kind, opens, sizes, None) });
                }
                self.dividing = None;
            }
            let block = self.next_block()?;
            if let Some(unit) = self.begin(block) {
                return Some(unit);
            }
        }
    }

    /// The next block, or item. Text that belongs to none (link definitions, footnotes) is a paragraph: everything is
    /// covered.
    fn next_block(&mut self) -> Option<Block> {
        let read = || Some(with_turns(self.blocks.next()?, &self.turns));
        let block = self.waiting.pop_front().or_else(read);
        let until = block.as_ref().map_or(self.text.len(), |block| block.span.start);
        let gap = trimmed(self.text, self.read.min(until)..until);
        if !gap.is_empty() {
            if let Some(block) = block {
                self.waiting.push_front(block);
            }
            return Some(Block::new(BlockKind::Paragraph, gap));
        }
        match block {
            Some(list) if !list.items.is_empty() => {
                self.waiting.extend(separate(self.text, &list));
                self.waiting.pop_front()
            }
            block => block,
        }
    }

    /// A block as a unit, or nothing, if it does not fit and is to be divided.
    fn begin(&mut self, mut block: Block) -> Option<Unit> {
        if let Some(heading) = block.heading.take() {
            self.enter(heading);
        }
        let opens = self.opens(&block);
        let Budget { measure, max, .. } = self.budget;
        let block = Rc::new(block);
        if !measure.surely_exceeds(&self.text[block.span.clone()], max) {
            // Counted by itself: with a blank before it, it may have fewer tokens.
            let size = measure.size(&self.text[block.span.clone()]);
            let lead = measure.size(&self.text[self.read.min(block.span.start)..block.span.start]);
            if size <= max {
                return Some(self.unit(
                    block.span.clone(),
                    block.kind,
                    opens,
                    (size + lead, lead),
                    Some(block),
                ));
            }
        }
        self.dividing = Some((block.kind, opens, divide(self.text, block, measure, max)));
        None
    }

    /// Whether a block begins a chunk wherever there is a body before it. By item each does, but for what follows a label,
    /// and for a thematic break, which says nothing by itself; by turn the first of each, unless there is hardly anything before it that
    /// is not answered by it.
    fn opens(&mut self, block: &Block) -> bool {
        match self.grouping {
            _ if block.kind == BlockKind::Heading => true,
            Grouping::Packed => false,
            Grouping::ByTurn => {
                let turn = self.turns.binary_search_by_key(&block.span.start, |turn| turn.start);
                turn.is_ok_and(|place| {
                    self.turns[place].is_answer || self.size >= self.budget.target / SHORT_TURNS
                })
            }
            Grouping::ByItem => self.is_item(block),
        }
    }

    fn is_item(&mut self, block: &Block) -> bool {
        let labelled = self.after_label;
        self.after_label = block.kind == BlockKind::Paragraph && is_label(&self.text[block.span.clone()]);
        !labelled && block.kind != BlockKind::Rule
    }

    fn unit(
        &mut self,
        span: Range<usize>,
        kind: BlockKind,
        opens: bool,
        (size, lead): (usize, usize),
        block: Option<Rc<Block>>,
    ) -> Unit {
        self.read = span.end;
        Unit { span, kind, opens, size, lead, heading: Rc::clone(&self.heading), block, long_line: None }
    }

    /// The size of a span with the white space before it, and of the white space alone.
    fn sizes(&self, read: usize, span: &Range<usize>) -> (usize, usize) {
        let measure = self.budget.measure;
        let start = read.min(span.start);
        (measure.size(&self.text[start..span.end]), measure.size(&self.text[start..span.start]))
    }

    fn enter(&mut self, heading: Heading) {
        while self.open_headings.last().is_some_and(|open| open.level >= heading.level) {
            self.open_headings.pop();
        }
        let anchor = Some(self.slugger.anchor(&heading.text));
        self.open_headings.push(heading);
        let path = self.open_headings.iter().map(|open| open.text.trim().to_owned()).collect();
        self.heading = Rc::new(HeadingPath { path, anchor });
    }

    /// Whether a unit goes into the current chunk.
    fn takes(&self, unit: &Unit) -> bool {
        if self.current.is_empty() {
            return true;
        }
        if unit.opens && self.has_body {
            return false;
        }
        let (size, Budget { target, max, .. }) = (self.size, self.budget);
        let together = size + unit.size;
        // A heading, or what is repeated from the chunk before, is no chunk by itself; and a chunk of less than half
        // the target is worth stretching the next.
        let unfinished = !self.has_body || self.current.len() == self.repeated || size < target / 2;
        if together <= target {
            unfinished || self.has_room_for_line(unit)
        } else {
            together <= max && unfinished
        }
    }

    /// Whether all of the line has room that the unit begins. A long line is a paragraph, and better not torn apart.
    fn has_room_for_line(&self, unit: &Unit) -> bool {
        let Budget { measure, target, .. } = self.budget;
        unit.long_line.is_none_or(|end| measure.fits(&self.text[unit.span.start..end], target - self.size))
    }

    /// A heading whose first block does not fit beside it takes the part of the block that does. Says whether the block
    /// was divided; its parts are next in the queue.
    fn divide_beside_heading(&mut self, unit: &Unit) -> bool {
        let room = self.budget.max.saturating_sub(self.size);
        let (Some(block), Some(last)) = (&unit.block, self.current.last()) else { return false };
        // With hardly any room left beside the heading (it is as long as a chunk), cutting would not help.
        if self.has_body || unit.kind == BlockKind::Heading || room <= self.budget.max / 4 {
            return false;
        }
        let mut read = last.span.end;
        let mut parts: Vec<Unit> = Vec::new();
        for span in divide(self.text, Rc::clone(block), self.budget.measure, room) {
            let (size, lead) = self.sizes(read, &span);
            read = span.end;
            parts.push(Unit { span, opens: false, size, lead, block: None, ..unit.clone() });
        }
        parts.into_iter().rev().for_each(|part| self.queue.push_front(part));
        true
    }

    fn push(&mut self, unit: Unit) {
        self.size += unit.size.saturating_sub(if self.current.is_empty() { unit.lead } else { 0 });
        self.has_body |= unit.kind != BlockKind::Heading;
        self.current.push(unit);
    }

    /// Ends the current chunk. What makes it too large after all (sizes of parts do not add up exactly) waits for the next.
    fn close(&mut self) -> Option<Packed> {
        let measure = self.budget.measure;
        loop {
            let (first, last) = (self.current.first()?, self.current.last()?);
            let span = first.span.start..last.span.end;
            // Characters add up, tokens do not quite: two that meet may merge, or part.
            let size = match measure {
                Measure::Tokens => measure.size(&self.text[span.clone()]),
                Measure::Chars => self.size,
            };
            if size <= self.budget.max || self.current.len() == 1 {
                let body = self.current.iter().find(|unit| unit.kind != BlockKind::Heading).unwrap_or(last);
                let (heading, kind) = (Rc::clone(&body.heading), self.kind());
                let packed = Packed { span, heading, kind, size, opens: first.opens };
                self.repeat_tail();
                return Some(packed);
            }
            let excess = size - self.budget.max;
            if self.repeated > 0 {
                let dropped = units_worth(excess, self.current[..self.repeated].iter().map(|unit| unit.size));
                self.current.drain(..dropped);
                self.repeated -= dropped;
            } else {
                let late = units_worth(excess, self.current[1..].iter().rev().map(|unit| unit.size));
                let late = self.current.drain(self.current.len() - late..);
                late.rev().for_each(|unit| self.queue.push_front(unit));
            }
            self.recount();
        }
    }

    fn recount(&mut self) {
        let lead = self.current.first().map_or(0, |first| first.lead);
        self.size = self.current.iter().map(|unit| unit.size).sum::<usize>().saturating_sub(lead);
        self.has_body = self.current.iter().any(|unit| unit.kind != BlockKind::Heading);
    }

    fn clear(&mut self) {
        self.current.clear();
        self.size = 0;
        self.has_body = false;
        self.repeated = 0;
    }

    fn kind(&self) -> BlockKind {
        let mut kinds = self.current.iter().map(|unit| unit.kind).filter(|kind| *kind != BlockKind::Heading);
        match kinds.next() {
            None => BlockKind::Heading,
            Some(first) if kinds.all(|kind| kind == first) => first,
            Some(_) => BlockKind::Mixed,
        }
    }

    /// Begins the next chunk with the last units of this one, as far as the overlap goes.
    fn repeat_tail(&mut self) {
        let mut room = self.budget.overlap;
        let mut keep = 0;
        for unit in self.current.iter().skip(1).rev().take_while(|unit| unit.kind != BlockKind::Heading) {
            if unit.size > room {
                break;
            }
            room -= unit.size;
            keep += 1;
        }
        self.current.drain(..self.current.len() - keep);
        self.recount();
        self.repeated = keep;
    }

    /// The held chunk, joined with the next if that is the small rest of its section or item.
    fn hold(&mut self, next: Packed) -> Option<Packed> {
        if let Some(held) = self.held.take() {
            let span = held.span.start..next.span.end;
            let is_rest = !next.opens && next.size < self.budget.target / 4;
            if is_rest && self.budget.measure.fits(&self.text[span.clone()], self.budget.max) {
                let size = self.budget.measure.size(&self.text[span.clone()]);
                let kind = if held.kind == next.kind { held.kind } else { BlockKind::Mixed };
                self.held = Some(Packed { span, size, kind, ..held });
                return None;
            }
            self.held = Some(next);
            return Some(held);
        }
        self.held = Some(next);
        None
    }
}

impl Iterator for Packer<'_> {
    type Item = Packed;

    fn next(&mut self) -> Option<Packed> {
        loop {
            let Some(unit) = self.next_unit() else {
                // What is only repeated has been given already.
                if self.current.len() > self.repeated {
                    let last = self.close()?;
                    if let Some(ready) = self.hold(last) {
                        return Some(ready);
                    }
                    continue;
                }
                return self.held.take();
            };
            if self.takes(&unit) {
                self.push(unit);
                continue;
            }
            if self.divide_beside_heading(&unit) {
                continue;
            }
            let starts_anew = unit.opens;
            self.queue.push_front(unit);
            if self.current.len() == self.repeated {
                // Nothing new has come to what is repeated, and what comes does not fit beside it.
                self.clear();
                continue;
            }
            let Some(packed) = self.close() else { continue };
            if starts_anew {
                self.clear();
            }
            if let Some(ready) = self.hold(packed) {
                return Some(ready);
            }
        }
    }
}

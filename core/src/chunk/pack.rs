//! Packing blocks, and parts of blocks that are too large, into chunks.

use std::collections::VecDeque;
use std::ops::Range;
use std::rc::Rc;

use super::block::{Block, BlockKind, Blocks, Heading, text_start};
use super::cluster::trimmed;
use super::config::{Budget, Measure};
use super::markdown::HeadingPath;
use super::slug::Slugger;
use super::split::divide;

/// A chunk before its offsets are counted in characters.
pub struct Packed {
    pub span: Range<usize>,
    pub heading: Rc<HeadingPath>,
    pub kind: BlockKind,
    pub size: usize,
}

/// What is packed: a whole block or a part of one.
#[derive(Clone)]
struct Unit {
    span: Range<usize>,
    kind: BlockKind,
    /// With the white space before it.
    size: usize,
    /// Of that, the white space: not counted for the first unit of a chunk.
    lead: usize,
    heading: Rc<HeadingPath>,
    /// Kept to divide it further, if it must share a chunk with its heading and does not fit.
    block: Option<Rc<Block>>,
}

/// How many units make up an excess. (To leave out one after the other, counting each time, would take quadratic time
/// where the sizes of many units do not add up.)
pub fn units_worth(excess: usize, sizes: impl Iterator<Item = usize>) -> usize {
    let mut sum = 0;
    let mut units = 0;
    for size in sizes {
        if sum >= excess {
            break;
        }
        sum += size;
        units += 1;
    }
    units
}

/// Reads blocks and gives chunks.
pub struct Packer<'a> {
    text: &'a str,
    blocks: Blocks<'a>,
    budget: Budget,
    slugger: Slugger,
    open_headings: Vec<Heading>,
    heading: Rc<HeadingPath>,
    /// Up to where text has been given to units.
    read: usize,
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
    pub fn new(text: &'a str, blocks: Blocks<'a>, budget: Budget) -> Self {
        Self {
            text,
            blocks,
            budget,
            slugger: Slugger::default(),
            open_headings: Vec::new(),
            heading: Rc::default(),
            read: text_start(text),
            queue: VecDeque::new(),
            current: Vec::new(),
            size: 0,
            has_body: false,
            repeated: 0,
            held: None,
        }
    }

    /// The next unit, from the queue or from the next block.
    fn next_unit(&mut self) -> Option<Unit> {
        while self.queue.is_empty() {
            match self.blocks.next() {
                Some(block) => {
                    self.enqueue_gap(block.span.start);
                    self.enqueue_block(block);
                }
                None => {
                    self.enqueue_gap(self.text.len());
                    if self.queue.is_empty() {
                        return None;
                    }
                }
            }
        }
        self.queue.pop_front()
    }

    /// Text that belongs to no block (link definitions, footnotes) is a paragraph: everything is covered.
    fn enqueue_gap(&mut self, until: usize) {
        let span = trimmed(self.text, self.read.min(until)..until);
        if !span.is_empty() {
            self.enqueue_block(Block::new(BlockKind::Paragraph, span));
        }
    }

    fn enqueue_block(&mut self, block: Block) {
        if let Some(heading) = &block.heading {
            self.enter(heading.clone());
        }
        let Budget { measure, max, .. } = self.budget;
        let block = Rc::new(block);
        if !measure.surely_exceeds(&self.text[block.span.clone()], max) {
            // Counted by itself: with a blank before it, it may have fewer tokens.
            let size = measure.size(&self.text[block.span.clone()]);
            let lead = measure.size(&self.text[self.read.min(block.span.start)..block.span.start]);
            if size <= max {
                return self.enqueue(block.span.clone(), block.kind, (size + lead, lead), Some(block));
            }
        }
        for part in divide(self.text, &block, measure, max) {
            let sizes = self.sizes(self.read, &part);
            self.enqueue(part, block.kind, sizes, None);
        }
    }

    fn enqueue(
        &mut self,
        span: Range<usize>,
        kind: BlockKind,
        (size, lead): (usize, usize),
        block: Option<Rc<Block>>,
    ) {
        self.read = span.end;
        self.queue.push_back(Unit { span, kind, size, lead, heading: Rc::clone(&self.heading), block });
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
        if unit.kind == BlockKind::Heading && self.has_body {
            return false;
        }
        let (size, Budget { target, max, .. }) = (self.size, self.budget);
        let together = size + unit.size;
        // A heading, or what is repeated from the chunk before, is no chunk by itself; and a chunk of less than half
        // the target is worth stretching the next.
        let unfinished = !self.has_body || self.current.len() == self.repeated || size < target / 2;
        together <= target || (together <= max && unfinished)
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
        for span in divide(self.text, block, self.budget.measure, room) {
            let (size, lead) = self.sizes(read, &span);
            read = span.end;
            parts.push(Unit { span, size, lead, block: None, ..unit.clone() });
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
                let packed = Packed { span, heading, kind, size };
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

    /// The held chunk, joined with the next if that is the small rest of its section.
    fn hold(&mut self, next: Packed) -> Option<Packed> {
        if let Some(held) = self.held.take() {
            let span = held.span.start..next.span.end;
            let is_rest = Rc::ptr_eq(&held.heading, &next.heading) && next.size < self.budget.target / 4;
            if is_rest && self.budget.measure.fits(&self.text[span.clone()], self.budget.max) {
                let size = self.budget.measure.size(&self.text[span.clone()]);
                let kind = if held.kind == next.kind { held.kind } else { BlockKind::Mixed };
                self.held = Some(Packed { span, size, kind, heading: held.heading });
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
            let starts_section = unit.kind == BlockKind::Heading;
            self.queue.push_front(unit);
            if self.current.len() == self.repeated {
                // Nothing new has come to what is repeated, and what comes does not fit beside it.
                self.clear();
                continue;
            }
            let Some(packed) = self.close() else { continue };
            if starts_section {
                self.clear();
            }
            if let Some(ready) = self.hold(packed) {
                return Some(ready);
            }
        }
    }
}

//! The items of a list, where each is to be a chunk of its own.

use std::ops::Range;

use pulldown_cmark::Tag;

use super::block::{Block, BlockKind, begins_line};
use super::cluster::trimmed;
use crate::transcript::SpokenTurn;

/// How blocks become chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grouping {
    /// As many blocks of a section as the target allows.
    Packed,
    /// Each item of a list, with everything in it, and each other block by itself. Nothing is repeated.
    ByItem,
    /// The blocks of a turn of a conversation, as many as the target allows; only short turns share a chunk, and never
    /// what somebody says with what a model answers.
    ByTurn,
}

/// How documents of a kind are grouped: one action item, or one decision, is one thing to find, and what somebody says in a chat is
/// not found by the long answer to it.
pub fn grouping_for(kind: &str) -> Grouping {
    match kind {
        "action_items" | "action_item" | "decisions" | "decision" => Grouping::ByItem,
        "chat" => Grouping::ByTurn,
        _ => Grouping::Packed,
    }
}

/// Whether text only announces what follows: `Decisions:`. A longer sentence may be an item with parts.
pub fn is_label(text: &str) -> bool {
    const LONGEST: usize = 40;
    const MOST_WORDS: usize = 4;
    let text = text.trim().trim_end_matches(['*', '_']);
    let words = || text.split_whitespace().filter(|word| word.contains(char::is_alphabetic)).count();
    text.len() <= LONGEST && text.ends_with(':') && !text.contains(['\n', '\r']) && words() <= MOST_WORDS
}

/// Finds where items begin, while the events of a list are read. Items of a list inside of an item are items
/// themselves if the outer one is only a label, which stays with the first of them.
pub struct ItemFinder<'a> {
    text: &'a str,
    /// Where items begin, in ascending order.
    pub starts: Vec<usize>,
    /// The open lists whose items are items.
    lists: Vec<OpenList>,
    /// The next item belongs to the label before it.
    after_label: bool,
}

struct OpenList {
    depth: usize,
    /// Where its last item begins.
    item: usize,
    /// Whether that item is a label.
    labelled: bool,
}

impl<'a> ItemFinder<'a> {
    /// For the list that has just begun.
    pub fn new(text: &'a str) -> Self {
        let list = OpenList { depth: 1, item: 0, labelled: false };
        Self { text, starts: Vec::new(), lists: vec![list], after_label: false }
    }

    /// Something begins in the list; `depth` is 1 for the list itself.
    pub fn begin(&mut self, tag: &Tag, depth: usize, start: usize) {
        let Some(list) = self.lists.last_mut() else { return };
        match tag {
            Tag::Item if depth == list.depth + 1 => {
                (list.item, list.labelled) = (start, false);
                if !std::mem::take(&mut self.after_label) {
                    self.starts.push(start);
                }
            }
            Tag::List(_) if depth == list.depth + 2 => {
                if !list.labelled {
                    if !is_label(&self.text[list.item..start]) {
                        return;
                    }
                    list.labelled = true;
                    self.after_label = true;
                }
                self.lists.push(OpenList { depth, item: start, labelled: false });
            }
            // Below the items of a label there is more that belongs to none of them.
            tag if depth == list.depth + 2 && list.labelled && begins_line(tag) => {
                self.starts.push(start);
            }
            _ => {}
        }
    }

    /// What has begun at this depth ends.
    pub fn end(&mut self, depth: usize) {
        if self.lists.last().is_some_and(|list| list.depth == depth) {
            self.lists.pop();
        }
    }
}

/// A block as a list of the turns that begin in it.
pub fn with_turns(block: Block, turns: &[SpokenTurn]) -> Block {
    if turns.is_empty() || !matches!(block.kind, BlockKind::Paragraph | BlockKind::List) {
        return block;
    }
    let first = turns.partition_point(|turn| turn.start <= block.span.start);
    let later: Vec<usize> =
        turns[first..].iter().map(|turn| turn.start).take_while(|start| *start < block.span.end).collect();
    let items = if later.is_empty() { later } else { [vec![block.span.start], later].concat() };
    Block { items, ..block }
}

/// The items of a list, each a block.
pub fn separate<'a>(text: &'a str, list: &'a Block) -> impl Iterator<Item = Block> + 'a {
    let ends = list.items.iter().skip(1).copied().chain([list.span.end]);
    ends.scan(list.span.start, move |start, end| {
        let span = trimmed(text, std::mem::replace(start, end)..end);
        let inner = list.inner[positions(&list.inner, &span, |at| *at)].to_vec();
        let inner_code = list.inner_code[positions(&list.inner_code, &span, |code| code.start)].to_vec();
        Some(Block { inner, inner_code, ..Block::new(list.kind, span) })
    })
}

/// Which of the sorted things begin in a span.
fn positions<T>(sorted: &[T], span: &Range<usize>, start: impl Fn(&T) -> usize) -> Range<usize> {
    let before = |limit: usize| sorted.partition_point(|thing| start(thing) < limit);
    before(span.start)..before(span.end)
}

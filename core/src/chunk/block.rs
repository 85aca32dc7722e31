//! The blocks of a Markdown document with their exact spans, by pulldown-cmark: CommonMark with GFM tables and front
//! matter. Blocks inside of lists and quotes are only seen as places where a long one can be cut.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, OffsetIter, Options, Parser, Tag};

use super::cluster::{trimmed, whole_clusters};
use super::item::{Grouping, ItemFinder};
use super::readable::readable;
use super::table::table_in;

/// What a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// ATX or setext heading.
    Heading,
    /// Text.
    Paragraph,
    /// Bullets or numbers, with everything in them.
    List,
    /// Fenced or indented code.
    Code,
    /// GFM table.
    Table,
    /// Block quote.
    Quote,
    /// Raw HTML.
    Html,
    /// YAML or TOML at the start of the document.
    FrontMatter,
    /// Thematic break.
    Rule,
    /// Several of the above: of chunks only.
    Mixed,
}

impl BlockKind {
    /// The word in results.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Heading => "heading",
            Self::Paragraph => "paragraph",
            Self::List => "list",
            Self::Code => "code",
            Self::Table => "table",
            Self::Quote => "quote",
            Self::Html => "html",
            Self::FrontMatter => "front_matter",
            Self::Rule => "rule",
            Self::Mixed => "mixed",
        }
    }
}

/// A block at the top level of the document.
#[derive(Clone, Debug)]
pub struct Block {
    /// What it is.
    pub kind: BlockKind,
    /// In bytes; ends after the last grapheme cluster that is not white space.
    pub span: Range<usize>,
    /// For headings.
    pub heading: Option<Heading>,
    /// Where blocks inside of it begin, in ascending order: items of lists, blocks in quotes.
    pub inner: Vec<usize>,
    /// Code blocks inside of it, which are not to be cut while they fit.
    pub inner_code: Vec<Range<usize>>,
    /// Where the items of a list begin that are to be chunks of their own.
    pub items: Vec<usize>,
}

impl Block {
    /// A block without anything inside.
    pub fn new(kind: BlockKind, span: Range<usize>) -> Self {
        Self { kind, span, heading: None, inner: Vec::new(), inner_code: Vec::new(), items: Vec::new() }
    }
}

/// A heading's level and text, without its markup.
#[derive(Clone, Debug)]
pub struct Heading {
    /// 1 to 6.
    pub level: usize,
    /// As a reader sees it.
    pub text: String,
}

/// Where text begins: a byte order mark is none, and would hide a heading in the first line.
pub fn text_start(text: &str) -> usize {
    if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 }
}

/// A block, and where the parser saw one begin: a table after a line of text is part of a paragraph for it.
pub struct Found {
    pub seen_at: usize,
    pub block: Block,
}

/// The blocks of a part of a text, which begins and ends as a document could. Text between them is white space, or link
/// definitions and the like that have no block of their own.
pub fn read(text: &str, part: Range<usize>, grouping: Grouping) -> Vec<Found> {
    let body = readable(&text[part.clone()]);
    let events = Parser::new_ext(&body, Options::ENABLE_TABLES).into_offset_iter();
    let mut reader = Reader { text, base: part.start, grouping, events, found: Vec::new() };
    while reader.read_block() {}
    reader.found
}

/// Makes blocks of the parser's events.
struct Reader<'a> {
    text: &'a str,
    /// Where the parser's offsets begin.
    base: usize,
    grouping: Grouping,
    events: OffsetIter<'a>,
    found: Vec<Found>,
}

impl<'a> Reader<'a> {
    /// False at the end.
    fn read_block(&mut self) -> bool {
        let Some((event, range)) = self.next_event() else { return false };
        let end = range.start + self.text[range.clone()].trim_end().len();
        let span = whole_clusters(self.text, range.start..end);
        match event {
            Event::Start(tag) => {
                let mut block = Block::new(kind_of(&tag), span);
                if let Tag::Heading { level, .. } = &tag {
                    block.heading = Some(Heading { level: *level as usize, text: String::new() });
                }
                self.fill(&mut block);
                let table =
                    if block.kind == BlockKind::Paragraph { self.split_table(&mut block) } else { None };
                self.keep(range.start, block);
                if let Some(table) = table {
                    self.keep(range.start, table);
                }
            }
            Event::Rule => self.keep(range.start, Block::new(BlockKind::Rule, span)),
            // Cannot stand at the top level.
            _ => {}
        }
        true
    }

    fn keep(&mut self, seen_at: usize, block: Block) {
        if !block.span.is_empty() {
            self.found.push(Found { seen_at, block });
        }
    }

    /// Takes the table at the end of a paragraph out of it.
    fn split_table(&self, paragraph: &mut Block) -> Option<Block> {
        let Range { start, end } = paragraph.span;
        let at = table_in(&self.text[start..end])?;
        paragraph.span = trimmed(self.text, start..start + at);
        Some(Block::new(BlockKind::Table, start + at..end))
    }

    fn next_event(&mut self) -> Option<(Event<'a>, Range<usize>)> {
        let (event, range) = self.events.next()?;
        Some((event, range.start + self.base..range.end + self.base))
    }

    /// Reads the events up to the end of the block that has just begun.
    fn fill(&mut self, block: &mut Block) {
        let by_item = self.grouping == Grouping::ByItem && block.kind == BlockKind::List;
        let mut items = by_item.then(|| ItemFinder::new(self.text));
        let mut depth = 1;
        while depth > 0 {
            let Some((event, range)) = self.next_event() else { break };
            match event {
                Event::Start(tag) => {
                    depth += 1;
                    if let Some(items) = &mut items {
                        items.begin(&tag, depth, range.start);
                    }
                    if begins_line(&tag) && range.start > block.span.start {
                        block.inner.push(range.start);
                    }
                    if let Tag::CodeBlock(CodeBlockKind::Fenced(_)) = tag {
                        block.inner_code.push(range);
                    }
                }
                Event::End(_) => {
                    if let Some(items) = &mut items {
                        items.end(depth);
                    }
                    depth -= 1;
                }
                Event::Text(text) | Event::Code(text) => {
                    if let Some(heading) = &mut block.heading {
                        heading.text.push_str(&text);
                    }
                }
                Event::SoftBreak | Event::HardBreak => {
                    if let Some(heading) = &mut block.heading {
                        heading.text.push(' ');
                    }
                }
                _ => {}
            }
        }
        block.items = items.map_or_else(Vec::new, |items| items.starts);
    }
}

fn kind_of(tag: &Tag) -> BlockKind {
    match tag {
        Tag::Heading { .. } => BlockKind::Heading,
        Tag::List(_) => BlockKind::List,
        Tag::CodeBlock(_) => BlockKind::Code,
        Tag::Table(_) => BlockKind::Table,
        Tag::BlockQuote(_) => BlockKind::Quote,
        Tag::HtmlBlock => BlockKind::Html,
        _ => BlockKind::Paragraph,
    }
}

/// Whether it is a block, and not a part of a line.
pub fn begins_line(tag: &Tag) -> bool {
    matches!(
        tag,
        Tag::Item
            | Tag::Paragraph
            | Tag::List(_)
            | Tag::CodeBlock(_)
            | Tag::BlockQuote(_)
            | Tag::Heading { .. }
            | Tag::Table(_)
    )
}

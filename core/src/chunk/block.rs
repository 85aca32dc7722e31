//! The blocks of a Markdown document with their exact spans, by pulldown-cmark: CommonMark with GFM tables and front
//! matter. Blocks inside of lists and quotes are only seen as places where a long one can be cut.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, OffsetIter, Options, Parser, Tag};

use super::cluster::{trimmed, whole_clusters};
use super::item::{Grouping, ItemFinder};
use super::tab::without_odd_tabs;
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

/// The blocks of a document, in order. Text between them is white space, or link definitions and the like that have no
/// block of their own.
pub fn blocks(text: &str, grouping: Grouping) -> Blocks<'_> {
    let start = text_start(text);
    let front_matter =
        front_matter(&text[start..]).map(|length| Block::new(BlockKind::FrontMatter, start..start + length));
    let base = front_matter.as_ref().map_or(start, |block| block.span.end);
    match without_odd_tabs(&text[base..]) {
        None => Blocks::Lazy(Box::new(Reader::new(text, base, grouping, front_matter, &text[base..]))),
        Some(body) => {
            let read: Vec<Block> = Reader::new(text, base, grouping, front_matter, &body).collect();
            Blocks::Read(read.into_iter())
        }
    }
}

/// Where text begins: a byte order mark is none, and would hide a heading in the first line.
pub fn text_start(text: &str) -> usize {
    if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 }
}

/// The length of YAML or TOML at the start of a document, with its fences. (The parser could find it as well, but would
/// also take text between two thematic breaks for it.)
fn front_matter(text: &str) -> Option<usize> {
    let mut lines = text.split_inclusive('\n').peekable();
    let first = lines.next()?;
    let ends: &[&str] = match first.trim_end() {
        "---" => &["---", "..."],
        "+++" => &["+++"],
        _ => return None,
    };
    let mut length = first.len();
    // Text after an empty line stands under a thematic break.
    if lines.peek().is_some_and(|line| line.trim().is_empty()) {
        return None;
    }
    for line in lines {
        length += line.len();
        if ends.contains(&line.trim_end()) {
            return Some(length - (line.len() - line.trim_end().len()));
        }
    }
    None
}

/// The blocks of a document.
pub enum Blocks<'a> {
    /// The parser has read the structure of the whole document, inline markup is read block by block.
    Lazy(Box<Reader<'a>>),
    /// All of them, of a document that was not read as it stands.
    Read(std::vec::IntoIter<Block>),
}

impl Iterator for Blocks<'_> {
    type Item = Block;

    fn next(&mut self) -> Option<Block> {
        match self {
            Self::Lazy(reader) => reader.next(),
            Self::Read(blocks) => blocks.next(),
        }
    }
}

/// Makes blocks of the parser's events.
pub struct Reader<'a> {
    text: &'a str,
    /// Where the parser's offsets begin.
    base: usize,
    grouping: Grouping,
    /// A block that comes before those of the next events.
    ready: Option<Block>,
    events: OffsetIter<'a>,
}

impl Iterator for Reader<'_> {
    type Item = Block;

    fn next(&mut self) -> Option<Block> {
        if let Some(block) = self.ready.take() {
            return Some(block);
        }
        loop {
            let (event, range) = self.next_event()?;
            let end = range.start + self.text[range.clone()].trim_end().len();
            let span = whole_clusters(self.text, range.start..end);
            let block = match event {
                Event::Start(tag) => {
                    let mut block = Block::new(kind_of(&tag), span);
                    if let Tag::Heading { level, .. } = &tag {
                        block.heading = Some(Heading { level: *level as usize, text: String::new() });
                    }
                    self.fill(&mut block);
                    if block.kind == BlockKind::Paragraph {
                        self.split_table(&mut block);
                    }
                    block
                }
                Event::Rule => Block::new(BlockKind::Rule, span),
                // Cannot stand at the top level.
                _ => continue,
            };
            if !block.span.is_empty() {
                return Some(block);
            }
        }
    }
}

impl<'a> Reader<'a> {
    /// `body` is what the parser reads of the text from `base` on.
    fn new(text: &'a str, base: usize, grouping: Grouping, ready: Option<Block>, body: &'a str) -> Self {
        let events = Parser::new_ext(body, Options::ENABLE_TABLES).into_offset_iter();
        Self { text, base, grouping, ready, events }
    }

    /// Leaves the table at the end of a paragraph for the next block.
    fn split_table(&mut self, paragraph: &mut Block) {
        let Range { start, end } = paragraph.span;
        if let Some(at) = table_in(&self.text[start..end]) {
            let table = Block::new(BlockKind::Table, start + at..end);
            paragraph.span = trimmed(self.text, start..start + at);
            if paragraph.span.is_empty() {
                *paragraph = table;
            } else {
                self.ready = Some(table);
            }
        }
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

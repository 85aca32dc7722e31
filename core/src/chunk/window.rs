//! The blocks of a document, read window by window, so that the memory of the parser is bounded: it takes up to 64 times
//! the text that it reads.
//!
//! A block does not depend on what comes after the next one begins. So all blocks of a window are known but for the last,
//! with which the next window begins.

use std::collections::VecDeque;

use super::block::{Block, BlockKind, Found, read, text_start};
use super::item::Grouping;
use super::readable::with_line_feeds;

/// How much is read at once. What it takes to parse it stays in the processor's caches.
const WINDOW: usize = 32 * 1024;

/// How much is read at most, where a block is larger than a window. A larger block is cut at the end of a line.
const LARGEST_WINDOW: usize = 64 * WINDOW;

/// Longer front matter is text between thematic breaks.
const LONGEST_FRONT_MATTER: usize = 64 * 1024;

/// The blocks of a document, in order.
pub fn blocks(text: &str, grouping: Grouping) -> Blocks<'_> {
    Blocks::with_windows(text, grouping, WINDOW, LARGEST_WINDOW)
}

/// Reads a document.
pub struct Blocks<'a> {
    text: &'a str,
    grouping: Grouping,
    window: usize,
    largest_window: usize,
    /// Where the next window begins: at the start of a line, outside of all blocks.
    at: usize,
    ready: VecDeque<Block>,
}

impl Iterator for Blocks<'_> {
    type Item = Block;

    fn next(&mut self) -> Option<Block> {
        while self.ready.is_empty() && self.at < self.text.len() {
            self.read_window();
        }
        self.ready.pop_front()
    }
}

impl<'a> Blocks<'a> {
    fn with_windows(text: &'a str, grouping: Grouping, window: usize, largest_window: usize) -> Self {
        let start = text_start(text);
        let front_matter = front_matter(&text[start..])
            .map(|length| Block::new(BlockKind::FrontMatter, start..start + length));
        let at = front_matter.as_ref().map_or(start, |block| block.span.end);
        Self { text, grouping, window, largest_window, at, ready: front_matter.into_iter().collect() }
    }

    fn read_window(&mut self) {
        let mut size = self.window;
        loop {
            let end = self.window_end(self.at, size);
            if end == self.at {
                return self.read_long_line();
            }
            let mut found = read(self.text, self.at..end, self.grouping);
            if end == self.text.len() {
                return self.keep(found, end);
            }
            if let Some((known, until)) =
                (1..found.len()).rev().find_map(|known| self.known_until(&found, known))
            {
                found.truncate(known);
                return self.keep(found, until);
            }
            if size >= self.largest_window || end < self.at + size {
                return self.keep_large(found, end);
            }
            if let Some(until) = self.end_of_table(&found, end) {
                return self.keep_table(found, until);
            }
            size *= 2;
        }
    }

    /// Where a window ends that begins here: at the end of the line after a number of bytes; but a line that is larger than
    /// the largest window ends it.
    fn window_end(&self, at: usize, size: usize) -> usize {
        let bytes = self.text.as_bytes();
        if bytes.len() - at <= size {
            return bytes.len();
        }
        let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let near = at + size;
        let start = bytes[at..near].iter().rposition(is_end).map_or(at, |end| at + end + 1);
        let mut end = bytes[near..].iter().position(is_end).map_or(bytes.len(), |end| near + end + 1);
        if end - start > self.largest_window {
            return start;
        }
        // Not between the two characters of one line end.
        end += usize::from(bytes[end - 1] == b'\r' && bytes.get(end) == Some(&b'\n'));
        end
    }

    /// Whether the first blocks are known, whatever comes after the window; and where to read on then: at the line of the
    /// next, or of the link definitions before it, which may be its beginning.
    fn known_until(&self, found: &[Found], known: usize) -> Option<(usize, usize)> {
        let (before, next) = (&found[known - 1].block, &found[known]);
        if found[known - 1].seen_at == next.seen_at {
            return None;
        }
        let between = &self.text[before.span.end..next.seen_at];
        // Text right after a list or quote would be part of it: it goes on after a link definition that the parser has
        // counted to them.
        let hides_definition = matches!(before.kind, BlockKind::List | BlockKind::Quote)
            && matches!(next.block.kind, BlockKind::Paragraph | BlockKind::Heading)
            && between.lines().count() < 3;
        let blank = between.len() - between.trim_start().len();
        (!hides_definition).then(|| (known, line_start(self.text, before.span.end + blank)))
    }

    fn keep(&mut self, found: Vec<Found>, until: usize) {
        self.ready.extend(found.into_iter().map(|found| found.block));
        self.at = until;
    }

    /// Where a table ends that goes on after a window, if the last block is one; the largest window is an end, too. Its rows
    /// are read window by window, each time below its header: as a whole they take the parser 64 times the memory.
    fn end_of_table(&self, found: &[Found], end: usize) -> Option<usize> {
        let last = found.last().filter(|last| last.block.kind == BlockKind::Table)?;
        let table = &last.block.span;
        // Else it was found in what the parser takes for a paragraph.
        if last.seen_at != table.start {
            return None;
        }
        let is_over = |after: &str| with_line_feeds(after).lines().count() > 1;
        if is_over(&self.text[table.end..end]) {
            return Some(table.end);
        }
        let rows = with_line_feeds(&self.text[table.start..end]);
        let header: usize = rows.split_inclusive('\n').take(2).map(str::len).sum();
        let header = &self.text[table.start..table.start + header];
        let mut until = end;
        while until < self.text.len() && until < self.at + self.largest_window {
            let next = self.window_end(until, self.window);
            let rows = [header, &self.text[until..next]].concat();
            let found = read(&rows, 0..rows.len(), self.grouping);
            let seen = &found.first().filter(|first| first.block.kind == BlockKind::Table)?.block.span;
            if is_over(&rows[seen.end..]) || next == until {
                return Some(until + seen.end.saturating_sub(header.len()));
            }
            until = next;
        }
        Some(until)
    }

    fn keep_table(&mut self, mut found: Vec<Found>, until: usize) {
        if let Some(last) = found.last_mut() {
            let start = last.block.span.start;
            last.block.span.end = start + self.text[start..until].trim_end().len();
        }
        self.keep(found, until);
    }

    /// What is too long to be parsed is a paragraph.
    fn read_long_line(&mut self) {
        let rest = &self.text[self.at..];
        let length = rest.find(['\n', '\r']).unwrap_or(rest.len());
        self.ready.push_back(Block::new(BlockKind::Paragraph, self.at..self.at + length));
        self.at += length;
    }

    /// A block that goes on after the largest window: only code is sure to go on as what it is.
    fn keep_large(&mut self, mut found: Vec<Found>, end: usize) {
        let mut until = end;
        if let Some(last) = found.last_mut()
            && last.block.kind == BlockKind::Code
            && let Some(fence) = Fence::open(&self.text[last.block.span.clone()])
        {
            until = fence.end(self.text, last.block.span.start);
            last.block.span.end =
                last.block.span.start + self.text[last.block.span.start..until].trim_end().len();
        }
        self.keep(found, until);
    }
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind(['\n', '\r']).map_or(0, |end| end + 1)
}

/// What opens a fenced block: a run of one character.
struct Fence {
    mark: char,
    length: usize,
}

impl Fence {
    fn open(block: &str) -> Option<Self> {
        let mark = block.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let length = block.chars().take_while(|c| *c == mark).count();
        (length >= 3).then_some(Self { mark, length })
    }

    /// Where the block ends that begins here: after the closing fence, or with the text.
    fn end(&self, text: &str, start: usize) -> usize {
        let mut end = start;
        for (number, line) in text[start..].split_inclusive(['\n', '\r']).enumerate() {
            end += line.len();
            if number > 0 && self.is_closed_by(line) {
                break;
            }
        }
        end
    }

    fn is_closed_by(&self, line: &str) -> bool {
        let content = line.trim_end();
        let fence = content.trim_start_matches(' ');
        content.len() - fence.len() <= 3
            && fence.len() >= self.length
            && fence.chars().all(|c| c == self.mark)
    }
}

/// The length of YAML or TOML at the start of a document, with its fences. (The parser could find it as well, but would
/// also take text between two thematic breaks for it.)
fn front_matter(text: &str) -> Option<usize> {
    if !text.starts_with("---") && !text.starts_with("+++") {
        return None;
    }
    let text = with_line_feeds(&text[..text.floor_char_boundary(LONGEST_FRONT_MATTER)]);
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn seen(text: &str, window: usize, largest: usize) -> Vec<(BlockKind, std::ops::Range<usize>)> {
        Blocks::with_windows(text, Grouping::Packed, window, largest)
            .map(|block| (block.kind, block.span))
            .collect()
    }

    const PIECES: [&str; 25] = [
        "text",
        "more text",
        "# Heading",
        "===",
        "---",
        "- item",
        "  - inner",
        "  more",
        "1. one",
        "> quote",
        "```",
        "~~~~",
        "    code",
        "\tcode",
        "| a | b |",
        "|---|---|",
        "| a | b |\n|---|---|\n| 1 | 2 |\n| 3",
        "<div>",
        "</div>",
        "[a]: /b",
        "",
        "",
        "* * *",
        "\u{301}",
        "#",
    ];

    proptest! {
        #[test]
        fn windows_make_no_difference(
            lines in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..40),
            end in prop::sample::select(vec!["\n", "\r\n", "\r"]),
            window in 1_usize..60,
        ) {
            let text = lines.join(end);
            prop_assert_eq!(seen(&text, window, 1 << 20), seen(&text, 1 << 20, 1 << 20));
        }

        #[test]
        fn blocks_that_are_cut_are_in_order(
            lines in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..40),
            largest in 1_usize..40,
        ) {
            let text = lines.join("\n");
            let mut end = 0;
            for (_, span) in seen(&text, 1, largest) {
                prop_assert!(end <= span.start && span.end <= text.len() && text.is_char_boundary(span.end));
                end = span.end;
            }
        }
    }

    #[test]
    fn front_matter_is_seen_with_every_line_end() {
        for end in ["\n", "\r\n", "\r"] {
            let text = ["---", "title: x", "---", "", "text"].join(end);
            assert_eq!(seen(&text, 16, 64)[0].0, BlockKind::FrontMatter, "{end:?}");
        }
    }

    #[test]
    fn a_large_table_ends_where_it_does_at_once() {
        let rows = "| a | b |\n|---|---|\n".to_owned() + &"| 1 | 2 |\n".repeat(50);
        for after in [
            "\nafter",
            "after",
            "# after",
            "> after",
            "\n\n",
            "  \n| 1 | 2 |",
            "\n[a]: /b\ntext",
            "- after\n- more",
            "",
        ] {
            for line_end in ["\n", "\r\n", "\r"] {
                let text = format!("before\n\n{rows}{after}").replace('\n', line_end);
                let whole = seen(&text, 1 << 20, 1 << 20);
                assert_eq!(whole[1].0, BlockKind::Table);
                for window in 1..60 {
                    assert_eq!(seen(&text, window, 1 << 20), whole, "{after:?} {line_end:?} {window}");
                }
            }
        }
    }

    #[test]
    fn large_code_stays_code() {
        let code = format!("~~~sql\n{}~~~\n\nafter", "select 1;\n".repeat(100));
        assert_eq!(
            seen(&code, 16, 64).iter().map(|(kind, _)| *kind).collect::<Vec<_>>(),
            [BlockKind::Code, BlockKind::Paragraph]
        );
        let long_line = format!("```\n{}\n```\n\n# After", "x".repeat(1000));
        assert_eq!(
            seen(&long_line, 16, 64).iter().map(|(kind, _)| *kind).collect::<Vec<_>>(),
            [BlockKind::Code, BlockKind::Heading]
        );
    }
}

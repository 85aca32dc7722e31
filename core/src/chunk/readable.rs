//! What the parser reads otherwise than CommonMark and GitHub: tabs that it does not take for blanks, and carriage returns
//! that it does not take for line ends everywhere. And what it should not read as they say: absurd nesting.

use std::borrow::Cow;

use super::nesting::without_deep_nesting;
use super::table::delimiter_cells;

/// A document as the parser should read it. All offsets stay the same.
pub fn readable(text: &str) -> Cow<'_, str> {
    let mut text = with_line_feeds(text);
    for change in [without_odd_tabs, without_deep_nesting] {
        if let Some(changed) = change(&text) {
            text = Cow::Owned(changed);
        }
    }
    text
}

/// With line feeds for carriage returns that stand alone.
pub fn with_line_feeds(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let is_alone = |at: &usize| bytes.get(at + 1) != Some(&b'\n');
    if !memchr::memchr_iter(b'\r', bytes).any(|at| is_alone(&at)) {
        return Cow::Borrowed(text);
    }
    let mut returns = text.chars().peekable();
    let mut lines = String::with_capacity(text.len());
    while let Some(c) = returns.next() {
        let alone = c == '\r' && returns.peek() != Some(&'\n');
        lines.push(if alone { '\n' } else { c });
    }
    Cow::Owned(lines)
}

/// A document with spaces for the tabs after a closing fence and in the delimiter row of a table; none if it has no such
/// tab. All offsets stay the same.
fn without_odd_tabs(text: &str) -> Option<String> {
    let is_odd = |line: &str| line.contains('\t') && (is_fence(line) || is_delimiter_row(line));
    if !lines_with_tabs(text).any(is_odd) {
        return None;
    }
    let mut plain = String::with_capacity(text.len());
    for line in text.split_inclusive(['\n', '\r']) {
        let (indent, rest) = line.split_at(line.len() - content(line).len());
        plain.push_str(indent);
        if is_odd(line) {
            plain.push_str(&rest.replace('\t', " "));
        } else {
            plain.push_str(rest);
        }
    }
    Some(plain)
}

/// Found by their tabs: most documents have few.
fn lines_with_tabs(text: &str) -> impl Iterator<Item = &str> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let tab = at + memchr::memchr(b'\t', &text.as_bytes()[at..])?;
        let start = text[..tab].rfind(['\n', '\r']).map_or(0, |end| end + 1);
        at = text[tab..].find(['\n', '\r']).map_or(text.len(), |end| tab + end);
        Some(&text[start..at])
    })
}

/// A line without its indentation, in which tabs have a width.
fn content(line: &str) -> &str {
    line.trim_start_matches([' ', '\t', '>'])
}

fn is_fence(line: &str) -> bool {
    let mark = content(line).trim_end();
    mark.len() >= 3 && (mark.bytes().all(|b| b == b'`') || mark.bytes().all(|b| b == b'~'))
}

/// Not with a tab after the first hyphen: that may be an item of a list, and the tab its indentation.
fn is_delimiter_row(line: &str) -> bool {
    !content(line).starts_with("-\t") && delimiter_cells(content(line)).is_some()
}

#[cfg(test)]
mod tests {
    use super::without_odd_tabs;
    use crate::chunk::{BlockKind, Grouping, blocks};

    fn kinds(text: &str) -> Vec<BlockKind> {
        blocks(text, Grouping::Packed).map(|block| block.kind).collect()
    }

    #[test]
    fn a_tab_after_a_fence_or_in_a_delimiter_row_is_a_blank() {
        assert_eq!(kinds("```\na\n```\t\n\nb"), [BlockKind::Code, BlockKind::Paragraph]);
        assert_eq!(kinds("> ~~~\n> a\n> ~~~ \t\n\nb"), [BlockKind::Quote, BlockKind::Paragraph]);
        assert_eq!(kinds("| a\t| b |\r\n|\t---\t| --- |\r\n| 1 | 2 |"), [BlockKind::Table]);
    }

    #[test]
    fn other_tabs_stay() {
        for text in ["a\tb", "-\t| x", "\t```", "-\t|-", "***\t", "a\t\n|-|", "\t"] {
            assert_eq!(without_odd_tabs(text).unwrap_or(text.to_owned()), text);
        }
        assert_eq!(without_odd_tabs("\t```\t\n\tx").as_deref(), Some("\t``` \n\tx"));
    }
}

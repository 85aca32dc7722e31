//! Grapheme clusters: what a reader sees as one character, and is never cut.

use std::ops::Range;

use unicode_segmentation::GraphemeCursor;

/// Whether a byte offset is between two clusters.
pub fn is_boundary(text: &str, at: usize) -> bool {
    if at == 0 || at == text.len() {
        return true;
    }
    let bytes = text.as_bytes();
    if bytes[at - 1].is_ascii() && bytes[at].is_ascii() {
        return (bytes[at - 1], bytes[at]) != (b'\r', b'\n');
    }
    // The text is all there, so the cursor has nothing to ask for.
    GraphemeCursor::new(at, text.len(), true).is_boundary(text, 0).unwrap_or(true)
}

/// The start of the cluster that a byte offset is in.
pub fn start(text: &str, mut at: usize) -> usize {
    while !is_boundary(text, at) {
        at -= text[..at].chars().next_back().map_or(1, char::len_utf8);
    }
    at
}

/// A span with all of the clusters that it begins and ends in: a combining mark joins the blank before it, and a few signs
/// join the blank after them.
pub fn whole_clusters(text: &str, span: Range<usize>) -> Range<usize> {
    if span.is_empty() {
        return span;
    }
    let mut end = span.end;
    while !is_boundary(text, end) {
        end += text[end..].chars().next().map_or(1, char::len_utf8);
    }
    start(text, span.start)..end
}

/// Without white space at both ends, but with whole clusters.
pub fn trimmed(text: &str, span: Range<usize>) -> Range<usize> {
    let slice = &text[span.clone()];
    let start = span.start + (slice.len() - slice.trim_start().len());
    whole_clusters(text, start..(span.start + slice.trim_end().len()).max(start))
}

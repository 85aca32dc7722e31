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

/// A span that begins and ends beside white space, with the blank that is in one cluster with what stands beside it: a
/// combining mark joins the blank before it, and a few signs join the blank after them.
pub fn whole_clusters(text: &str, span: Range<usize>) -> Range<usize> {
    if span.is_empty() {
        return span;
    }
    let length = |c: Option<char>| c.map_or(0, char::len_utf8);
    let start =
        if is_boundary(text, span.start) { 0 } else { length(text[..span.start].chars().next_back()) };
    let end = if is_boundary(text, span.end) { 0 } else { length(text[span.end..].chars().next()) };
    span.start - start..span.end + end
}

/// Without white space at both ends, but with whole clusters.
pub fn trimmed(text: &str, span: Range<usize>) -> Range<usize> {
    let slice = &text[span.clone()];
    let start = span.start + (slice.len() - slice.trim_start().len());
    whole_clusters(text, start..(span.start + slice.trim_end().len()).max(start))
}

//! Cuts text into chunks: contiguous runs of paragraphs, each an exact span of the text.

use unicode_segmentation::UnicodeSegmentation;

#[cfg(test)]
mod tests;

/// The most characters a chunk may have. About 350 tokens of English, the size at which full-text ranking
/// and small embedding models both work well.
pub const MAX_CHUNK_CHARS: usize = 1400;

/// A span of a text. Offsets are in Unicode code points, 0-based and half-open, so that
/// `substr(content, start_char + 1, end_char - start_char)` in SQL is `text`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk<'a> {
    /// Offset of the first character.
    pub start_char: usize,
    /// Offset after the last character.
    pub end_char: usize,
    /// The text between them.
    pub text: &'a str,
}

/// Cuts `text` into chunks of at most `max_chars` characters (one grapheme cluster is never cut, however
/// long). Text that is only white space gives none. Linear in time, and lazy: a caller can stop at any chunk.
pub fn chunks(text: &str, max_chars: usize) -> impl Iterator<Item = Chunk<'_>> {
    Chunks { text, max_chars: max_chars.max(1), byte: 0, char: 0 }
}

struct Chunks<'a> {
    text: &'a str,
    max_chars: usize,
    byte: usize,
    char: usize,
}

impl<'a> Iterator for Chunks<'a> {
    type Item = Chunk<'a>;

    fn next(&mut self) -> Option<Chunk<'a>> {
        self.skip_white_space();
        let rest = &self.text[self.byte..];
        if rest.is_empty() {
            return None;
        }
        let text = rest[..cut(rest, self.max_chars)].trim_end();
        let chunk = Chunk { start_char: self.char, end_char: self.char + text.chars().count(), text };
        self.byte += text.len();
        self.char = chunk.end_char;
        Some(chunk)
    }
}

impl Chunks<'_> {
    fn skip_white_space(&mut self) {
        let rest = &self.text[self.byte..];
        let blank = &rest[..rest.len() - rest.trim_start().len()];
        self.byte += blank.len();
        self.char += blank.chars().count();
    }
}

/// Where to end a chunk that begins at the start of `rest`, in bytes: everything if it fits, else after the
/// last paragraph, sentence or word that fits, else after the last grapheme cluster.
fn cut(rest: &str, max_chars: usize) -> usize {
    let Some((limit, _)) = rest.char_indices().nth(max_chars) else {
        return rest.len();
    };
    let window = &rest[..limit];
    if blank_line_at(rest, limit) {
        return limit;
    }
    last_blank_line(window)
        .or_else(|| last_sentence(window))
        .or_else(|| last_word(rest, limit))
        .unwrap_or_else(|| last_grapheme(rest, limit))
}

/// Whether the white space around an offset has an empty line in it: then a paragraph ends just there.
fn blank_line_at(rest: &str, offset: usize) -> bool {
    let before = rest[..offset].trim_end().len();
    let after = rest.len() - rest[offset..].trim_start().len();
    let mut lines = rest[before..after].split('\n').skip(1);
    lines.next().is_some() && lines.next().is_some()
}

/// The end of the last line that an empty line follows.
fn last_blank_line(window: &str) -> Option<usize> {
    let mut end = window.len();
    while let Some(newline) = window[..end].rfind('\n') {
        let line_before = window[..newline].rfind('\n').map_or(0, |i| i + 1);
        if window[line_before..newline].trim().is_empty() && line_before > 0 {
            return Some(line_before);
        }
        end = newline;
    }
    None
}

/// The end of the last sentence that is complete in the window; sentences in its first half would waste it.
fn last_sentence(window: &str) -> Option<usize> {
    let (start, _) = window.split_sentence_bound_indices().last()?;
    (start > window.len() / 2).then_some(start)
}

/// The end of the last word: a character of white space at or before the limit.
fn last_word(rest: &str, limit: usize) -> Option<usize> {
    if rest[limit..].starts_with(char::is_whitespace) {
        return Some(limit);
    }
    rest[..limit].rfind(char::is_whitespace).filter(|&i| i > 0)
}

/// The last grapheme boundary at or before the limit, or the end of the first cluster if that is longer.
fn last_grapheme(rest: &str, limit: usize) -> usize {
    let mut end = 0;
    for (start, grapheme) in rest.grapheme_indices(true) {
        let next = start + grapheme.len();
        if next > limit && end > 0 {
            break;
        }
        end = next;
        if end >= limit {
            break;
        }
    }
    end
}

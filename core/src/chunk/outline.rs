//! The sections of a document.

use super::item::Grouping;
use super::markdown::CharOffsets;
use super::slug::Slugger;
use super::window::blocks;

/// A heading with the text up to the next heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Unique in the document, as GitHub makes it.
    pub anchor: String,
    /// Headings from the outermost to this one.
    pub path: Vec<String>,
    /// 1 to 6.
    pub level: usize,
    /// Offset of the heading, in code points.
    pub start_char: usize,
    /// Offset of the next heading, or of the end of the document.
    pub end_char: usize,
}

/// The sections of a document in order. Text before the first heading is in none.
pub fn outline(text: &str) -> Vec<Section> {
    let mut offsets = CharOffsets::new(text);
    let mut slugger = Slugger::default();
    let mut open: Vec<(usize, String)> = Vec::new();
    let mut sections: Vec<Section> = Vec::new();
    for block in blocks(text, Grouping::Packed) {
        let Some(heading) = block.heading else { continue };
        let start_char = offsets.char_at(block.span.start);
        if let Some(previous) = sections.last_mut() {
            previous.end_char = start_char;
        }
        open.retain(|(level, _)| *level < heading.level);
        let anchor = slugger.anchor(&heading.text);
        open.push((heading.level, heading.text.trim().to_owned()));
        let path = open.iter().map(|(_, title)| title.clone()).collect();
        sections.push(Section { anchor, path, level: heading.level, start_char, end_char: start_char });
    }
    let end = offsets.char_at(text.len());
    if let Some(last) = sections.last_mut() {
        last.end_char = end;
    }
    sections
}

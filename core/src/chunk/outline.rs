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

/// The sections of a document in order. Text before the first heading is in none. Lazy: a caller can stop at any section.
pub fn outline(text: &str) -> impl Iterator<Item = Section> {
    outline_interruptibly(text, || ())
}

/// The same; `pause` is called for every block, because there may be no heading for long.
pub fn outline_interruptibly(text: &str, mut pause: impl FnMut()) -> impl Iterator<Item = Section> {
    let mut blocks = blocks(text, Grouping::Packed);
    let mut offsets = CharOffsets::new(text);
    let mut slugger = Slugger::default();
    let mut above: Vec<(usize, String)> = Vec::new();
    // A section whose end is not known yet.
    let mut open: Option<Section> = None;
    std::iter::from_fn(move || {
        for block in blocks.by_ref() {
            pause();
            let Some(heading) = block.heading else { continue };
            let start_char = offsets.char_at(block.span.start);
            above.retain(|(level, _)| *level < heading.level);
            let anchor = slugger.anchor(&heading.text);
            above.push((heading.level, heading.text.trim().to_owned()));
            let path = above.iter().map(|(_, title)| title.clone()).collect();
            let next = Section { anchor, path, level: heading.level, start_char, end_char: start_char };
            if let Some(ended) = open.replace(next) {
                return Some(Section { end_char: start_char, ..ended });
            }
        }
        let last = open.take()?;
        Some(Section { end_char: offsets.char_at(text.len()), ..last })
    })
}

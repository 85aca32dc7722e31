//! How often chunkers cut what belongs together, at the same budget: fenced code and tables that would have fitted, and
//! headings that end up at the end of a chunk, without their text.

use std::ops::Range;

use memento_core::chunk::{Budget, Measure, chunk_markdown};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag};
use text_splitter::MarkdownSplitter;

use crate::data;

const CHARS: usize = 1400;

/// What a document has that should not be cut.
#[derive(Default)]
struct Structure {
    fences: Vec<Range<usize>>,
    tables: Vec<Range<usize>>,
    headings: Vec<Range<usize>>,
}

#[derive(Default)]
struct Damage {
    chunks: usize,
    fences: usize,
    tables: usize,
    headings: usize,
}

/// Counts for both, with the number of structures.
pub fn run() {
    let Some(documents) = data::markdown("chunking/k8s_docs") else { return };
    let budget = Budget::try_new(Measure::Chars, CHARS as i64, CHARS as i64, 0)
        .unwrap_or_else(|error| panic!("{error}"));
    let splitter = MarkdownSplitter::new(CHARS);
    let (mut ours, mut theirs, mut all) = (Damage::default(), Damage::default(), Damage::default());
    for text in &documents {
        let structure = structure(text);
        all.fences += structure.fences.len();
        all.tables += structure.tables.len();
        all.headings += structure.headings.len();
        let offset = |chunk: &str| chunk.as_ptr() as usize - text.as_ptr() as usize;
        ours.add(
            text,
            &structure,
            chunk_markdown(text, budget)
                .map(|chunk| offset(chunk.text)..offset(chunk.text) + chunk.text.len()),
        );
        theirs.add(text, &structure, splitter.chunk_indices(text).map(|(at, chunk)| at..at + chunk.len()));
    }
    println!(
        "at {CHARS} characters, of {} fences and {} tables that fit, and {} headings:",
        all.fences, all.tables, all.headings
    );
    for (name, damage) in [("ours", ours), ("text-splitter", theirs)] {
        println!(
            "{name}: {} chunks, {} fences cut, {} tables cut, {} headings stranded",
            damage.chunks, damage.fences, damage.tables, damage.headings
        );
    }
}

fn structure(text: &str) -> Structure {
    let mut found = Structure::default();
    // Front matter is no heading, though CommonMark reads it as one.
    let front_matter =
        text.strip_prefix("---\n").and_then(|rest| rest.find("\n---\n")).map_or(0, |at| at + 8);
    for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        let span = range.start..range.start + text[range.clone()].trim_end().len();
        let fits = text[span.clone()].chars().count() <= CHARS;
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) if fits => found.fences.push(span),
            Event::Start(Tag::Table(_)) if fits => found.tables.push(span),
            Event::Start(Tag::Heading { .. }) if span.start >= front_matter => found.headings.push(span),
            _ => {}
        }
    }
    found
}

impl Damage {
    fn add(&mut self, text: &str, structure: &Structure, chunks: impl Iterator<Item = Range<usize>>) {
        let chunks: Vec<Range<usize>> = chunks.collect();
        self.chunks += chunks.len();
        let is_cut = |span: &&Range<usize>| {
            !chunks.iter().any(|chunk| chunk.start <= span.start && span.end <= chunk.end)
        };
        self.fences += structure.fences.iter().filter(is_cut).count();
        self.tables += structure.tables.iter().filter(is_cut).count();
        let strands = |heading: &&Range<usize>| {
            let ends_chunk =
                chunks.iter().any(|chunk| chunk.start <= heading.start && chunk.end == heading.end);
            ends_chunk && !text[heading.end..].trim().is_empty()
        };
        self.headings += structure.headings.iter().filter(strands).count();
    }
}

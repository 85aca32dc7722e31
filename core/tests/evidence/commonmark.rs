//! Documents read by us and by another parser, comrak, which follows GitHub's own line by line: the same blocks on the
//! same lines, with the same headings.

use std::ops::RangeInclusive;

use comrak::nodes::{Node, NodeValue};
use comrak::{Arena, Options};
use memento_core::chunk::{BlockKind, Grouping, blocks};

use crate::data;

/// A block with its lines, counted from 1 and without empty ones at the end; of headings the level and text.
#[derive(Debug, PartialEq)]
struct Seen {
    kind: BlockKind,
    lines: RangeInclusive<usize>,
    heading: Option<(usize, String)>,
}

const SPECIFICATIONS: [&str; 2] = ["chunking/commonmark/spec.txt", "chunking/cmark_gfm/spec.txt"];

#[test]
fn examples_of_the_specifications_have_the_blocks_that_another_parser_sees() {
    for specification in SPECIFICATIONS.into_iter().filter_map(data::file) {
        let examples = examples(&specification);
        assert!(examples.len() > 600, "{} examples", examples.len());
        same_blocks(&examples);
    }
}

#[test]
fn whole_documents_have_the_blocks_that_another_parser_sees() {
    same_blocks(&SPECIFICATIONS.into_iter().filter_map(data::file).collect::<Vec<_>>());
    same_blocks(&data::files(&["md"]).into_iter().map(|(_, text)| text).collect::<Vec<_>>());
}

#[track_caller]
fn same_blocks(texts: &[String]) {
    let differing: Vec<String> = texts.iter().filter_map(|text| difference(text)).collect();
    assert!(differing.is_empty(), "{} of {} differ:\n{}", differing.len(), texts.len(), differing.join("\n"));
}

/// The first block that we see in another way.
fn difference(text: &str) -> Option<String> {
    let (ours, theirs) = (ours(text), theirs(text));
    let lines: Vec<&str> = text.lines().collect();
    let at = ours.iter().zip(&theirs).take_while(|(ours, theirs)| same(&lines, ours, theirs)).count();
    let start: String = text.chars().take(200).collect();
    (at < ours.len().max(theirs.len()))
        .then(|| format!("{start:?}\n  ours   {:?}\n  theirs {:?}", ours.get(at), theirs.get(at)))
}

/// The one difference on purpose: link definitions are no blocks, and which of the blocks beside them has their lines is
/// all one.
fn same(lines: &[&str], ours: &Seen, theirs: &Seen) -> bool {
    let (starts, ends) = ((ours.lines.start(), theirs.lines.start()), (ours.lines.end(), theirs.lines.end()));
    let before = &lines[starts.0.min(starts.1) - 1..starts.0.max(starts.1) - 1];
    let after = &lines[*ends.0.min(ends.1)..*ends.0.max(ends.1)];
    ours.kind == theirs.kind
        && ours.heading == theirs.heading
        && before.first().is_none_or(|line| line.starts_with('['))
        && after.iter().all(|line| line.starts_with('[') || line.trim().is_empty())
}

/// What stands between a fence of 32 backticks with the word `example` and the line with a full stop.
fn examples(specification: &str) -> Vec<String> {
    let fence = "`".repeat(32);
    let mut found = Vec::new();
    let mut lines = specification.lines();
    while let Some(line) = lines.next() {
        if line.strip_prefix(&fence).is_some_and(|info| info.trim().starts_with("example")) {
            let text: Vec<&str> = lines.by_ref().take_while(|line| *line != ".").collect();
            found.push(text.join("\n").replace('→', "\t") + "\n");
        }
    }
    found
}

/// Our blocks, but for front matter, which the specifications do not know.
fn ours(text: &str) -> Vec<Seen> {
    let line_of = |at: usize| text[..at].matches('\n').count() + 1;
    blocks(text, Grouping::Packed)
        .filter(|block| block.kind != BlockKind::FrontMatter)
        .map(|block| {
            let heading = block.heading.map(|heading| (heading.level, words(&heading.text)));
            Seen { kind: block.kind, lines: line_of(block.span.start)..=line_of(block.span.end), heading }
        })
        .collect()
}

/// Their blocks of the same text, with empty lines for front matter.
fn theirs(text: &str) -> Vec<Seen> {
    let front_matter =
        blocks(text, Grouping::Packed).next().filter(|block| block.kind == BlockKind::FrontMatter);
    let body = front_matter.map_or(0, |block| block.span.end);
    let text = "\n".repeat(text[..body].matches('\n').count()) + &text[body..];
    let mut options = Options::default();
    options.extension.table = true;
    let arena = Arena::new();
    let lines: Vec<&str> = text.lines().collect();
    comrak::parse_document(&arena, &text, &options).children().map(|node| seen(&lines, node)).collect()
}

fn seen(lines: &[&str], node: Node) -> Seen {
    let data = node.data.borrow();
    let (kind, level) = match &data.value {
        NodeValue::Heading(heading) => (BlockKind::Heading, Some(heading.level as usize)),
        NodeValue::Paragraph => (BlockKind::Paragraph, None),
        NodeValue::List(_) => (BlockKind::List, None),
        NodeValue::CodeBlock(_) => (BlockKind::Code, None),
        NodeValue::Table(_) => (BlockKind::Table, None),
        NodeValue::BlockQuote => (BlockKind::Quote, None),
        NodeValue::HtmlBlock(_) => (BlockKind::Html, None),
        NodeValue::ThematicBreak => (BlockKind::Rule, None),
        other => panic!("{other:?}"),
    };
    let (first, mut last) = (data.sourcepos.start.line, data.sourcepos.end.line);
    while last > first && lines[last - 1].trim().is_empty() {
        last -= 1;
    }
    Seen { kind, lines: first..=last, heading: level.map(|level| (level, words(&plain(node)))) }
}

/// What a reader sees of a heading.
fn plain(node: Node) -> String {
    match &node.data.borrow().value {
        NodeValue::Text(text) => text.to_string(),
        NodeValue::Code(code) => code.literal.clone(),
        NodeValue::SoftBreak | NodeValue::LineBreak => " ".into(),
        _ => node.children().map(plain).collect(),
    }
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

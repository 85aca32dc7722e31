//! The examples of the specifications of CommonMark and of GitHub's Markdown, read by us and by another parser, the crate
//! `markdown`: the same blocks, at the same places, with the same headings.

use std::ops::Range;

use markdown::mdast::Node;
use markdown::{Constructs, ParseOptions};
use memento_core::chunk::{BlockKind, blocks};

use crate::data;

/// A block, without white space around it; of headings the level and text.
#[derive(Debug, PartialEq)]
struct Seen {
    kind: BlockKind,
    span: Range<usize>,
    heading: Option<(usize, String)>,
}

#[test]
fn the_examples_of_commonmark_have_the_blocks_that_another_parser_sees() {
    compare("chunking/commonmark/spec.txt");
}

#[test]
fn the_examples_of_github_have_the_blocks_that_another_parser_sees() {
    compare("chunking/cmark_gfm/spec.txt");
}

/// Whole documents: the specifications without the front matter, which YAML lets end with `...` and the other parser does
/// not; and one in so many of the pages of Kubernetes.
#[test]
fn whole_documents_have_the_blocks_that_another_parser_sees() {
    const STRIDE: usize = 1;
    let pages = data::files(&["md"]).into_iter().step_by(STRIDE).map(|(_, text)| text);
    let specifications = ["chunking/commonmark/spec.txt", "chunking/cmark_gfm/spec.txt"]
        .into_iter()
        .filter_map(data::file)
        .map(|text| text.split_once("\n...\n").unwrap().1.to_owned());
    same_blocks(&specifications.chain(pages).collect::<Vec<_>>());
}

fn same_blocks(texts: &[String]) {
    let differing: Vec<&String> = texts.iter().filter(|text| ours(text) != theirs(text)).collect();
    for text in &differing {
        let (ours, theirs) = (ours(text), theirs(text));
        let at = ours.iter().zip(&theirs).take_while(|(ours, theirs)| ours == theirs).count();
        println!("{:?}\n  ours   {:?}\n  theirs {:?}", text.chars().take(300).collect::<String>(), ours.get(at), theirs.get(at));
    }
    assert!(differing.is_empty(), "{} of {} differ", differing.len(), texts.len());
}

/// There are no differences on purpose but two, which the comparison leaves out: a link definition is a block to the other
/// parser and text between blocks to us; and front matter, which CommonMark does not know, is switched on in both.
fn compare(path: &str) {
    let Some(specification) = data::file(path) else { return };
    let examples = examples(&specification);
    assert!(examples.len() > 600, "{} examples", examples.len());
    same_blocks(&examples);
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

fn ours(text: &str) -> Vec<Seen> {
    blocks(text)
        .map(|block| {
            let heading = block.heading.map(|heading| (heading.level, words(&heading.text)));
            Seen { kind: block.kind, span: trimmed(text, block.span), heading }
        })
        .collect()
}

fn theirs(text: &str) -> Vec<Seen> {
    let constructs = Constructs { gfm_table: true, frontmatter: true, ..Constructs::default() };
    let options = ParseOptions { constructs, ..ParseOptions::default() };
    let Ok(Node::Root(root)) = markdown::to_mdast(text, &options) else { panic!("{text:?}") };
    root.children.iter().filter_map(|node| seen(text, node)).collect()
}

fn seen(text: &str, node: &Node) -> Option<Seen> {
    let (kind, level) = match node {
        Node::Heading(heading) => (BlockKind::Heading, Some(heading.depth as usize)),
        Node::Paragraph(_) => (BlockKind::Paragraph, None),
        Node::List(_) => (BlockKind::List, None),
        Node::Code(_) => (BlockKind::Code, None),
        Node::Table(_) => (BlockKind::Table, None),
        Node::Blockquote(_) => (BlockKind::Quote, None),
        Node::Html(_) => (BlockKind::Html, None),
        Node::ThematicBreak(_) => (BlockKind::Rule, None),
        Node::Yaml(_) | Node::Toml(_) => (BlockKind::FrontMatter, None),
        // A link definition is a block to them, and text between blocks to us.
        Node::Definition(_) => return None,
        other => panic!("{other:?}"),
    };
    let position = node.position().unwrap();
    let span = trimmed(text, position.start.offset..position.end.offset);
    Some(Seen { kind, span, heading: level.map(|level| (level, words(&plain(node)))) })
}

/// What a reader sees of a heading.
fn plain(node: &Node) -> String {
    match node {
        Node::Text(text) => text.value.clone(),
        Node::InlineCode(code) => code.value.clone(),
        Node::Image(image) => image.alt.clone(),
        Node::ImageReference(image) => image.alt.clone(),
        Node::Break(_) => " ".into(),
        other => other.children().into_iter().flatten().map(plain).collect(),
    }
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn trimmed(text: &str, span: Range<usize>) -> Range<usize> {
    let slice = &text[span.clone()];
    let start = span.start + (slice.len() - slice.trim_start().len());
    start..(span.start + slice.trim_end().len()).max(start)
}

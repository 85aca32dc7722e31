//! The extractor without a model: speed, and whether everything that it quotes is in the text, over all documents at hand.

mod corpus;
mod judged;
pub mod sample;

use std::ops::Range;
use std::time::{Duration, Instant};

use memento_core::chunk::{Budget, Measure, chunk_markdown};
use memento_core::event::Extraction;
use memento_core::event::rules::{Context, extract};
use memento_core::quote::CodePoints;

use self::corpus::{Corpus, corpora};
use crate::data;

/// Prints all of them.
pub fn run() {
    let corpora = corpora();
    for corpus in &corpora {
        measure(corpus);
    }
    judged::print(&corpora);
    hostile();
}

fn measure(corpus: &Corpus) {
    if corpus.documents.is_empty() {
        return;
    }
    let budget = Budget::try_new(Measure::Tokens, 350, 600, 0).unwrap_or_else(|error| panic!("{error}"));
    let chunks: usize =
        corpus.documents.iter().map(|document| chunk_markdown(&document.text, budget).count()).sum();
    let mut times: Vec<Duration> = (0..5)
        .map(|_| {
            let start = Instant::now();
            for document in &corpus.documents {
                std::hint::black_box(corpus.extract(document));
            }
            start.elapsed()
        })
        .collect();
    times.sort();
    let (mut events, mut spans, mut verified) = (0, 0, 0);
    for document in &corpus.documents {
        let found = corpus.extract(document);
        let text = &document.text;
        events += found.events.len();
        let (all, right) = verify(text, &found);
        spans += all;
        verified += right;
        tell(corpus.name, text, &found);
    }
    println!(
        "{}: {} documents, {chunks} chunks, {events} events; {:.0} chunks/s (median of 5; {:.0} to {:.0}); {verified} of {spans} spans verified",
        corpus.name,
        corpus.documents.len(),
        chunks as f64 / times[2].as_secs_f64(),
        chunks as f64 / times[4].as_secs_f64(),
        chunks as f64 / times[0].as_secs_f64(),
    );
}

/// How many spans there are, and how many of them the database takes: in code points, with what they quote. None begins or ends with a
/// blank.
fn verify(text: &str, found: &Extraction) -> (usize, usize) {
    let points = CodePoints::new(text);
    let is_right = |bytes: &Range<usize>| {
        let quote = text.get(bytes.clone());
        quote.is_some_and(|quote| points.verify(&points.span(bytes), quote).is_ok() && quote.trim() == quote)
    };
    let spans = found.events.iter().flat_map(|event| &event.evidence);
    let right = spans.clone().filter(|bytes| is_right(bytes)).count();
    (spans.count(), right)
}

fn tell(name: &str, text: &str, found: &Extraction) {
    for event in &found.events {
        let quote = event.evidence.first().and_then(|span| text.get(span.clone())).unwrap_or_default();
        data::tell(|| {
            let actors: Vec<&str> = event.actors.iter().map(|actor| actor.name.as_str()).collect();
            let category = event.category.as_str();
            format!(
                "  {name}\t{category}\t{}\t{}\t{}",
                event.subject.name,
                actors.join(", "),
                quote.replace('\n', " ")
            )
        });
    }
}

/// Input made to be slow: linear if four times as much takes four times as long.
fn hostile() {
    let units = [
        "a ",
        "Bob will ",
        "We decided to ",
        "Alice and ",
        "- [ ] a\n",
        "Decision: a\n",
        "A: b\n",
        "a, ",
        "\"a ",
        "from to ",
        "by end of ",
        "# a\n",
    ];
    for unit in units {
        let time = |bytes: usize| {
            let text = unit.repeat(bytes / unit.len());
            let start = Instant::now();
            std::hint::black_box(extract(&text, &Context::default()));
            start.elapsed().as_secs_f64()
        };
        let (small, large) = (time(500_000), time(2_000_000));
        println!(
            "{unit:?} again and again: {:.1} MB/s, 4 times as much takes {:.1} times as long",
            2.0 / large,
            large / small
        );
    }
}

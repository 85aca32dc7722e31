//! What readers have judged: how much of what the rules find is right, and how much of what is told they find.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use memento_core::event::Event;

use super::corpus::{Corpus, Half};

/// A row of a list of labels: where in which document, a category, and the columns after it.
struct Row {
    corpus: &'static str,
    document: &'static str,
    span: Range<usize>,
    category: &'static str,
    rest: Vec<&'static str>,
}

fn rows(text: &'static str) -> Vec<Row> {
    let row = |line: &'static str| {
        let mut fields = line.split('\t');
        Some(Row {
            corpus: fields.next()?,
            document: fields.next()?,
            span: fields.next()?.parse().ok()?..fields.next()?.parse().ok()?,
            category: fields.next()?,
            rest: fields.collect(),
        })
    };
    text.lines().filter(|line| !line.starts_with('#')).filter_map(row).collect()
}

#[derive(Default)]
struct Tally {
    right: usize,
    wrong: usize,
}

impl Tally {
    fn add(&mut self, is_right: bool) {
        *(if is_right { &mut self.right } else { &mut self.wrong }) += 1;
    }

    fn all(&self) -> usize {
        self.right + self.wrong
    }

    fn share(&self) -> f64 {
        self.right as f64 / self.all().max(1) as f64
    }
}

/// Corpora in which nobody tells what has happened among people: manuals and abstracts of papers.
const DOCUMENTATION: [&str; 2] = ["k8s_docs", "scifact"];

/// Prints the precision at the time of each draw, that of what the rules find now as far as it was judged, and the recall.
pub fn print(corpora: &[Corpus]) {
    let judged = rows(include_str!("judged.tsv"));
    for draw in ["1", "2", "3", "4"] {
        let (mut tally, mut told) = (Tally::default(), Tally::default());
        for row in judged.iter().filter(|row| row.rest.get(1) == Some(&draw)) {
            let is_right = row.rest[0] == "right";
            tally.add(is_right);
            if !DOCUMENTATION.contains(&row.corpus) {
                told.add(is_right);
            }
        }
        println!(
            "draw {draw}, when it was judged: precision {:.3} ({} events); in transcripts and notes {:.3} ({})",
            tally.share(),
            tally.all(),
            told.share(),
            told.all()
        );
    }
    let found: HashMap<&str, HashMap<&str, Vec<Event>>> = corpora
        .iter()
        .map(|corpus| {
            let unseen = corpus.documents.iter().filter(|document| document.half() == Half::Unseen);
            let events = unseen.map(|document| (document.id.as_str(), corpus.extract(document).events));
            (corpus.name, events.collect())
        })
        .collect();
    precision(&found, &judged);
    recall(&found);
}

type Found<'a> = HashMap<&'a str, HashMap<&'a str, Vec<Event>>>;

fn precision(found: &Found, judged: &[Row]) {
    let verdicts: HashMap<(&str, &str, usize, usize, &str), bool> = judged
        .iter()
        .map(|row| {
            let key = (row.corpus, row.document, row.span.start, row.span.end, row.category);
            (key, row.rest.first() == Some(&"right"))
        })
        .collect();
    let (mut tallies, mut unjudged): (BTreeMap<&str, Tally>, usize) = Default::default();
    for (corpus, documents) in found {
        // Of other corpora nothing was drawn.
        if !judged.iter().any(|row| row.corpus == *corpus) {
            continue;
        }
        for (document, events) in documents {
            for event in events {
                let Some(span) = event.evidence.first() else { continue };
                match verdicts.get(&(*corpus, *document, span.start, span.end, event.category.as_str())) {
                    Some(is_right) => tallies.entry(corpus).or_default().add(*is_right),
                    None => unjudged += 1,
                }
            }
        }
    }
    let mut all = Tally::default();
    for (corpus, tally) in &tallies {
        println!("  {corpus}: {:.3} of {} judged events that are found now", tally.share(), tally.all());
        all.right += tally.right;
        all.wrong += tally.wrong;
    }
    println!(
        "found now in that half: precision {:.3} of {} judged, {unjudged} not judged",
        all.share(),
        all.all()
    );
}

fn recall(found: &Found) {
    let (mut tally, mut sentences) = (Tally::default(), 0);
    for row in rows(include_str!("sentences.tsv")) {
        sentences += 1;
        if row.category == "-" {
            continue;
        }
        let is_it = |event: &&Event| {
            event.category.as_str() == row.category
                && event.evidence.iter().any(|span| span.start < row.span.end && row.span.start < span.end)
        };
        let events = found.get(row.corpus).and_then(|documents| documents.get(row.document));
        tally.add(events.is_some_and(|events| events.iter().any(|event| is_it(&event))));
    }
    println!("recall {:.3} of {} events in {sentences} sentences", tally.share(), tally.all());
}

//! Samples to be judged by reading. Labels of them are kept without the texts, which are other people's.

use memento_core::sentence::sentence_starts;

use super::corpus::{Corpus, Document, Half, corpora, hash};

/// How many of each corpus.
const SIZE: usize = 40;

/// Prints what the rules find in one half, drawn by MEMENTO_SEED: corpus, document, span in bytes, category, quote.
pub fn events() {
    print(|corpus, document| {
        let found = corpus.extract(document).events;
        let span = |event: &memento_core::event::Event| {
            Some((event.evidence.first()?.clone(), event.category.as_str()))
        };
        found.iter().filter_map(span).collect()
    });
}

/// Prints sentences of one half, drawn by MEMENTO_SEED, whatever the rules make of them.
pub fn sentences() {
    print(|_, document| {
        let text = document.text.as_str();
        let starts: Vec<usize> = sentence_starts(text).chain([text.len()]).collect();
        let parts = starts.windows(2).flat_map(|pair| lines(text, pair[0]..pair[1]));
        parts.map(|part| (part, "-")).collect()
    });
}

/// The lines of a part of a text that have enough words to say something.
fn lines(text: &str, part: std::ops::Range<usize>) -> Vec<std::ops::Range<usize>> {
    const LEAST_WORDS: usize = 5;
    let begin = part.start;
    let said = text[part].split('\n').filter(|line| line.split_whitespace().count() >= LEAST_WORDS);
    said.map(|line| {
        let start = begin + (line.as_ptr() as usize - text[begin..].as_ptr() as usize);
        let trimmed = line.trim();
        let start = start + (line.len() - line.trim_start().len());
        start..start + trimmed.len()
    })
    .collect()
}

type Place = (std::ops::Range<usize>, &'static str);

fn print(places: impl Fn(&Corpus, &Document) -> Vec<Place>) {
    let seed = std::env::var("MEMENTO_SEED").unwrap_or_else(|_| "developed".into());
    let half = if seed.starts_with("developed") { Half::Developed } else { Half::Unseen };
    for corpus in corpora() {
        let mut drawn = Vec::new();
        for document in corpus.documents.iter().filter(|document| document.half() == half) {
            for (span, category) in places(&corpus, document) {
                let place = format!("{}:{}", span.start, span.end);
                drawn.push((
                    hash(&[&seed, corpus.name, &document.id, &place, category]),
                    document,
                    span,
                    category,
                ));
            }
        }
        drawn.sort_by_key(|(key, ..)| *key);
        for (_, document, span, category) in drawn.iter().take(SIZE) {
            let text = document.text[span.clone()].replace('\n', " ");
            println!("{}\t{}\t{}\t{}\t{category}\t{text}", corpus.name, document.id, span.start, span.end);
        }
    }
}

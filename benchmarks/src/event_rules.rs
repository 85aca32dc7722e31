//! The extractor without a model: speed, and whether everything that it quotes is in the text, over all documents at hand.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use memento_core::chunk::{Budget, Measure, chunk_markdown};
use memento_core::event::rules::{Context, extract};
use memento_core::event::{Extraction, word_count};
use memento_core::memory_kind::ArtifactType;
use memento_core::query::Date;

use crate::data;

/// A name, what its documents are, and the documents.
struct Corpus {
    name: &'static str,
    kind: ArtifactType,
    documents: Vec<String>,
}

/// Prints all of them.
pub fn run() {
    for corpus in corpora() {
        measure(&corpus);
    }
    hostile();
}

fn corpora() -> Vec<Corpus> {
    let records = |name, kind, path| Corpus { name, kind, documents: conversations(path) };
    let texts = |folder: &str| -> Vec<String> {
        let all = data::files(folder, "md").into_iter().chain(data::files(folder, "txt"));
        all.map(|(_, text)| text).collect()
    };
    vec![
        Corpus { name: "k8s_docs", kind: ArtifactType::Doc, documents: texts("chunking/k8s_docs") },
        Corpus {
            name: "chroma_chunking_eval",
            kind: ArtifactType::Doc,
            documents: texts("chunking/chroma_chunking_eval"),
        },
        Corpus { name: "earnings21", kind: ArtifactType::Transcript, documents: calls() },
        records("qmsum", ArtifactType::Transcript, "retrieval/qmsum_val_turn/corpus.jsonl"),
        records("locomo", ArtifactType::Chat, "retrieval/locomo_turn/corpus.jsonl"),
        records("longmemeval", ArtifactType::Chat, "retrieval/longmemeval_session_pooled/corpus.jsonl"),
        records("scifact", ArtifactType::Doc, "retrieval/scifact_train/corpus.jsonl"),
    ]
}

/// The records of a corpus that are of one conversation, a line for each.
fn conversations(path: &str) -> Vec<String> {
    let Some(corpus) = data::file(path) else { return Vec::new() };
    let mut documents: BTreeMap<String, String> = BTreeMap::new();
    for line in corpus.lines() {
        let Ok(record) = serde_json::from_str::<serde_json::Value>(line) else { continue };
        let scope = record["meta"]["scope"].as_str().or(record["_id"].as_str()).unwrap_or_default();
        let text = documents.entry(scope.to_owned()).or_default();
        if let Some(speaker) = record["meta"]["speaker"].as_str() {
            text.push_str(speaker);
            text.push_str(": ");
        }
        text.push_str(record["text"].as_str().unwrap_or_default());
        text.push('\n');
    }
    documents.into_values().collect()
}

/// Earnings calls, a line for each turn: a table of words with their speaker and punctuation.
fn calls() -> Vec<String> {
    let render = |table: String| {
        let mut text = String::new();
        let mut last = "";
        for row in table.lines().skip(1) {
            let mut fields = row.split('|');
            let (word, speaker) = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
            let punctuation = fields.nth(2).unwrap_or_default();
            if speaker != last {
                text.push_str(&format!("\nSpeaker {speaker}:"));
                last = speaker;
            }
            text.push_str(&format!(" {word}{punctuation}"));
        }
        text
    };
    let tables: Vec<String> =
        data::files("transcripts/earnings21", "nlp").into_iter().map(|(_, table)| table).collect();
    tables.into_iter().map(render).collect()
}

fn measure(corpus: &Corpus) {
    if corpus.documents.is_empty() {
        return;
    }
    let budget = Budget::try_new(Measure::Tokens, 350, 600, 0).unwrap_or_else(|error| panic!("{error}"));
    let chunks: usize = corpus.documents.iter().map(|text| chunk_markdown(text, budget).count()).sum();
    let context = Context {
        artifact_type: Some(corpus.kind),
        document_date: Date::try_new(2026, 3, 11),
        ..Context::default()
    };
    let mut times: Vec<Duration> = (0..5)
        .map(|_| {
            let start = Instant::now();
            for text in &corpus.documents {
                std::hint::black_box(extract(text, &context));
            }
            start.elapsed()
        })
        .collect();
    times.sort();
    let (mut events, mut spans, mut verified) = (0, 0, 0);
    for text in &corpus.documents {
        let found = extract(text, &context);
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

/// How many spans there are, and how many keep what evidence must keep.
fn verify(text: &str, found: &Extraction) -> (usize, usize) {
    let spans = found.events.iter().flat_map(|event| &event.evidence);
    let is_right = |quote: &str| (1..=25).contains(&word_count(quote)) && quote.trim() == quote;
    let right = spans.clone().filter(|span| text.get((*span).clone()).is_some_and(is_right)).count();
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

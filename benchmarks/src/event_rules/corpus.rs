//! The documents that events are looked for in, by name.

use std::collections::BTreeMap;

use memento_core::event::Extraction;
use memento_core::event::rules::{Context, extract};
use memento_core::memory_kind::ArtifactType;
use memento_core::query::Date;

use crate::data;

/// A name, what its documents are, and the documents.
pub struct Corpus {
    pub name: &'static str,
    pub kind: ArtifactType,
    pub documents: Vec<Document>,
}

/// A text and what it is called in its corpus.
pub struct Document {
    pub id: String,
    pub text: String,
}

/// Which half of a corpus a document is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// The rules were made with these.
    Developed,
    /// Nobody looked at these before they were judged.
    Unseen,
}

impl Document {
    pub fn half(&self) -> Half {
        if hash(&[&self.id]).is_multiple_of(2) { Half::Developed } else { Half::Unseen }
    }
}

impl Corpus {
    /// What the rules find in a document.
    pub fn extract(&self, document: &Document) -> Extraction {
        let context = Context {
            artifact_type: Some(self.kind),
            document_date: Date::try_new(2026, 3, 11),
            ..Context::default()
        };
        extract(&document.text, &context)
    }
}

/// The same number for the same texts, on every machine (FNV-1a, with its bits mixed).
pub fn hash(texts: &[&str]) -> u64 {
    let bytes = texts.iter().flat_map(|text| text.bytes().chain([0]));
    let sum = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    let mixed = (sum ^ (sum >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    mixed ^ (mixed >> 33)
}

/// All that are at hand.
pub fn corpora() -> Vec<Corpus> {
    let records = |name, kind, path| Corpus { name, kind, documents: conversations(path) };
    let texts = |folder: &str| -> Vec<Document> {
        let all = data::files(folder, "md").into_iter().chain(data::files(folder, "txt"));
        all.map(|(id, text)| Document { id, text }).collect()
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
fn conversations(path: &str) -> Vec<Document> {
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
    documents.into_iter().map(|(id, text)| Document { id, text }).collect()
}

/// Earnings calls, a line for each turn: a table of words with their speaker and punctuation.
fn calls() -> Vec<Document> {
    let render = |table: &str| {
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
    let tables = data::files("transcripts/earnings21", "nlp");
    tables.into_iter().map(|(id, table)| Document { id, text: render(&table) }).collect()
}

//! Sets of texts with questions and what answers them, in MEMENTO_DATA/retrieval.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::data;

/// A text, and what it belongs to, if the set says so.
pub struct Text {
    pub id: String,
    pub scope: String,
    pub text: String,
}

/// A question with the texts that answer it.
pub struct Question {
    pub scope: String,
    pub text: String,
    pub relevant: BTreeSet<String>,
}

pub struct Labelled {
    pub texts: Vec<Text>,
    pub questions: Vec<Question>,
}

/// A part of a set that does not depend on chance: every nth question, what answers them, and every nth other text.
pub fn sample(set: &str, questions: usize, texts: usize) -> Option<Labelled> {
    let read = |name: &str| data::file(&format!("retrieval/{set}/{name}"));
    let (corpus, queries, qrels) = (read("corpus.jsonl")?, read("queries.jsonl")?, read("qrels.tsv")?);
    let mut relevant: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for line in qrels.lines().skip(1) {
        if let [query, text, score] = line.split('\t').collect::<Vec<_>>()[..]
            && score.trim() != "0"
        {
            relevant.entry(query).or_default().insert(text.to_owned());
        }
    }
    let text_of = |entry: &Value| {
        let [title, text] = ["title", "text"].map(|key| entry[key].as_str().unwrap_or_default());
        format!("{title}\n\n{text}").trim().to_owned()
    };
    let mut all: Vec<Text> = lines(&corpus)
        .map(|entry| Text {
            id: string(&entry["_id"]),
            scope: string(&entry["meta"]["scope"]),
            text: text_of(&entry),
        })
        .filter(|text| !text.text.is_empty())
        .collect();
    let there: BTreeSet<&str> = all.iter().map(|text| text.id.as_str()).collect();
    let asked: Vec<Question> = lines(&queries)
        .filter_map(|entry| {
            let answers = relevant.get(string(&entry["_id"]).as_str())?;
            let relevant: BTreeSet<String> =
                answers.iter().filter(|id| there.contains(id.as_str())).cloned().collect();
            let scope = string(&entry["meta"]["scope"]);
            (!relevant.is_empty()).then(|| Question { scope, text: string(&entry["text"]), relevant })
        })
        .collect();
    let questions = every_nth(asked, questions);
    let needed: BTreeSet<&String> = questions.iter().flat_map(|question| &question.relevant).collect();
    let (mut kept, rest): (Vec<Text>, Vec<Text>) = all.drain(..).partition(|text| needed.contains(&text.id));
    let room = texts.saturating_sub(kept.len());
    kept.extend(every_nth(rest, room));
    Some(Labelled { texts: kept, questions })
}

fn every_nth<T>(all: Vec<T>, count: usize) -> Vec<T> {
    let step = all.len().div_ceil(count.max(1)).max(1);
    all.into_iter().step_by(step).take(count).collect()
}

fn lines(text: &str) -> impl Iterator<Item = Value> {
    text.lines().filter_map(|line| serde_json::from_str(line).ok())
}

fn string(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

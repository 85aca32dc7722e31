//! Technical tokens: speed on logs, identifiers found again, and how many are seen in prose.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use memento_core::tech;

use crate::data;

/// Prints all of them.
pub fn run() {
    speed();
    hostile();
    exact();
    prose();
}

fn speed() {
    let logs = data::files("tokens/loghub", "log");
    let text: String = logs.iter().map(|(_, text)| text.as_str()).collect();
    if text.is_empty() {
        return;
    }
    let rates = rates(&text);
    println!(
        "logs, {:.1} MB: {:.0} MB/s (median of 9; {:.0} to {:.0})",
        text.len() as f64 / 1e6,
        rates[4],
        rates[0],
        rates[8]
    );
}

/// MB/s of nine rounds, sorted; every token's normal form is made.
fn rates(text: &str) -> Vec<f64> {
    let mut rates: Vec<f64> = (0..9)
        .map(|_| {
            let start = Instant::now();
            let bytes: usize = tech::scan(text).map(|token| token.normal_form().len()).sum();
            std::hint::black_box(bytes);
            text.len() as f64 / 1e6 / start.elapsed().as_secs_f64()
        })
        .collect();
    rates.sort_by(f64::total_cmp);
    rates
}

/// Input made to be slow: linear if ten times as much has the same rate.
fn hostile() {
    for unit in
        ["a", "1", "[", "/", "a.", "a_", "=a", "a1,", "{[(<", "0:", "a@", "$a", "--", "A1-", "\\", "é"]
    {
        let rate = |bytes: usize| rates(&unit.repeat(bytes / unit.len()))[4];
        println!(
            "{unit:?} again and again: {:.0} MB/s for 1 MB, {:.0} MB/s for 10 MB",
            rate(1_000_000),
            rate(10_000_000)
        );
    }
}

/// Of the labelled identifiers: how many are tokens of the query and of every relevant window, in the same form. Strictly:
/// the identifier is one token. Loosely: it may be several that together are nine tenths of it, as two addresses are that
/// a comma joins.
fn exact() {
    let (Some(queries), Some(corpus), Some(qrels)) = (
        data::file("retrieval/loghub_exact_token/queries.jsonl"),
        data::file("retrieval/loghub_exact_token/corpus.jsonl"),
        data::file("retrieval/loghub_exact_token/qrels.tsv"),
    ) else {
        return;
    };
    let windows: BTreeMap<String, BTreeSet<String>> =
        records(&corpus).map(|(id, text)| (id, tech::tokens(&text))).collect();
    let mut relevant: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for line in qrels.lines().skip(1) {
        let mut fields = line.split('\t');
        if let (Some(query), Some(document)) = (fields.next(), fields.next()) {
            relevant.entry(query).or_default().push(document);
        }
    }
    let (mut all, mut found, mut strictly) = (0, 0, 0);
    for (id, text) in records(&queries) {
        let wanted = tech::tokens(&text);
        let documents = relevant.get(id.as_str()).map(Vec::as_slice).unwrap_or_default();
        let whole = maximal(&text);
        let everywhere = covers(&whole, &text)
            && documents.iter().all(|id| {
                windows.get(*id).is_some_and(|tokens| whole.iter().all(|t| tokens.contains(&t.normal_form())))
            });
        all += 1;
        if !wanted.is_empty() && everywhere {
            found += 1;
            strictly += i32::from(whole.len() == 1);
            if whole.len() != 1 {
                data::tell(|| format!("  found in pieces: {text}"));
            }
        } else {
            data::tell(|| format!("  missed: {text} as {wanted:?}"));
        }
    }
    let share = |count: i32| f64::from(count) / f64::from(all);
    println!(
        "loghub_exact_token: of {all} identifiers in every relevant window {strictly} strictly ({:.3}), {found} loosely ({:.3})",
        share(strictly),
        share(found)
    );
}

/// The tokens that are not part of another.
fn maximal(text: &str) -> Vec<tech::TechToken<'_>> {
    let all: Vec<_> = tech::scan(text).collect();
    let inside = |a: &tech::TechToken<'_>, b: &tech::TechToken<'_>| {
        b.span.start <= a.span.start && a.span.end <= b.span.end && a.span != b.span
    };
    all.iter().filter(|token| !all.iter().any(|other| inside(token, other))).cloned().collect()
}

/// Whether the tokens are the identifier, and not only a small part of it: nine tenths of its letters and digits.
fn covers(tokens: &[tech::TechToken<'_>], identifier: &str) -> bool {
    let count = |text: &str| text.bytes().filter(u8::is_ascii_alphanumeric).count();
    let covered: usize = tokens.iter().map(|token| count(&identifier[token.span.clone()])).sum();
    covered * 10 >= count(identifier) * 9
}

fn records(jsonl: &str) -> impl Iterator<Item = (String, String)> + '_ {
    jsonl.lines().filter_map(|line| {
        let record: serde_json::Value = serde_json::from_str(line).ok()?;
        Some((record["_id"].as_str()?.to_owned(), record["text"].as_str()?.to_owned()))
    })
}

fn prose() {
    for (path, text) in data::files("chunking/chroma_chunking_eval", "md")
        .into_iter()
        .chain(data::files("chunking/chroma_chunking_eval", "txt"))
    {
        let words = text.split_whitespace().count();
        let found: Vec<_> = tech::scan(&text).collect();
        println!(
            "{path}: {:.2} tokens in 1,000 words ({} in {words})",
            found.len() as f64 * 1000.0 / words as f64,
            found.len()
        );
        for token in &found {
            data::tell(|| format!("  {} {}", token.kind.as_str(), token.text));
        }
    }
}

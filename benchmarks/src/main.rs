//! Measurements beside peers: ours and theirs in one run, on the same input, given as a ratio.
//!
//! `scripts/bench` lists them, `scripts/bench NAME` runs one. Data is read from MEMENTO_DATA where it is there.
#![forbid(unsafe_code)]

mod chunking;
mod compare;
mod data;
mod stackoverflow;
mod structure;
mod tech_tokens;

/// Name, what it measures, how to run it.
const BENCHMARKS: [(&str, &str, fn()); 6] = [
    ("chunking_by_characters", "Markdown cut by characters, beside text-splitter", chunking::by_characters),
    (
        "chunking_by_tokens",
        "Markdown cut by tokens of cl100k_base, beside text-splitter",
        chunking::by_tokens,
    ),
    ("chunking_structure", "fences, tables and headings torn apart, beside text-splitter", structure::run),
    (
        "tech_tokens",
        "technical tokens: speed on logs, identifiers found again, tokens in prose",
        tech_tokens::run,
    ),
    ("tech_tokens_labelled", "technical tokens beside those that people have labelled", stackoverflow::run),
    ("counting_tokens", "tokens of cl100k_base, beside tiktoken-rs", chunking::counting),
];

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let chosen: Vec<_> =
        BENCHMARKS.iter().filter(|(name, _, _)| asked.iter().any(|ask| ask == name)).collect();
    if chosen.is_empty() {
        println!("scripts/bench NAME...");
        for (name, what, _) in BENCHMARKS {
            println!("  {name}: {what}");
        }
    }
    for (name, what, run) in chosen {
        println!("# {name}: {what}");
        run();
    }
}

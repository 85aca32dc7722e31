//! Measurements beside peers: ours and theirs in one run, on the same input, given as a ratio.
//!
//! `scripts/bench` lists them, `scripts/bench NAME` runs one. Data is read from MEMENTO_DATA where it is there.
#![forbid(unsafe_code)]

mod compare;
mod data;
mod plain_chunking;

/// Name, what it measures, how to run it.
const BENCHMARKS: [(&str, &str, fn()); 1] = [(
    "plain_chunking",
    "cutting plain text by characters, beside text-splitter's TextSplitter",
    plain_chunking::run,
)];

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

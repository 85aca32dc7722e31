//! Measurements beside peers: ours and theirs in one run, on the same input, given as a ratio.
//!
//! `scripts/bench` lists them, `scripts/bench NAME` runs one. Data is read from MEMENTO_DATA where it is there.
#![forbid(unsafe_code)]

mod chunking;
mod compare;
mod data;
mod event_rules;
mod event_search;
#[path = "../../worker/tests/fake_endpoint/mod.rs"]
#[allow(dead_code, missing_docs, clippy::unwrap_used)] // The tests of the providers use the rest.
mod fake_endpoint;
mod labelled;
mod lineage;
mod linearity;
mod local_embedding;
#[allow(clippy::expect_used)] // Each says why a measurement cannot go on.
mod mcp_overhead;
mod python;
mod queue;
mod recall;
mod search_lexical;
mod search_quality;
mod search_scale;
mod spans;
mod sql_overhead;
mod sql_remember;
mod sql_scale;
mod stackoverflow;
mod structure;
mod tech_tokens;

/// Name, what it measures, how to run it.
const BENCHMARKS: &[(&str, &str, fn())] = &[
    ("chroma_recall", "evidence found by chunks, beside peers in Python", recall::run),
    ("chunking_by_characters", "Markdown cut by characters, beside text-splitter", chunking::by_characters),
    (
        "chunking_by_tokens",
        "Markdown cut by tokens of cl100k_base, beside text-splitter",
        chunking::by_tokens,
    ),
    ("chunking_linearity", "time and memory from 10 kB to 100 MB, and on hostile documents", linearity::run),
    ("chunking_structure", "fences, tables and headings torn apart, beside text-splitter", structure::run),
    (
        "tech_tokens",
        "technical tokens: speed on logs, identifiers found again, tokens in prose",
        tech_tokens::run,
    ),
    ("tech_tokens_labelled", "technical tokens beside those that people have labelled", stackoverflow::run),
    (
        "event_rules",
        "events without a model: speed, spans verified, and how much is right and found by what readers judged",
        event_rules::run,
    ),
    ("event_sample", "draws events of the rules to be judged (MEMENTO_SEED)", event_rules::sample::events),
    ("event_sentences", "draws sentences to be labelled (MEMENTO_SEED)", event_rules::sample::sentences),
    (
        "local_embedding",
        "chunks embedded by the local model, and queries over its socket, beside onnxruntime in Python",
        local_embedding::run,
    ),
    (
        "mcp_overhead",
        "a tool over stdio beside the same call by SQL, the time to start, and 200 clients over HTTP",
        mcp_overhead::run,
    ),
    ("sql_overhead", "what a call by SQL costs over the core's function", sql_overhead::run),
    (
        "sql_remember",
        "a document of 10 kB remembered, beside plain INSERTs of the same rows",
        sql_remember::run,
    ),
    (
        "sql_lineage",
        "events stored and walked, beside plain inserts and the SQL of the specification",
        lineage::run,
    ),
    (
        "sql_lineage_walks",
        "single inserts, chains and trees among ten million events, beside plain inserts and the SQL of the specification",
        lineage::run_walks,
    ),
    ("sql_event_search", "searches among a million events: words, filters, pages", event_search::run),
    ("sql_remember_together", "the same by 1, 2, 4 and 8 writers at once", sql_remember::run_together),
    ("sql_store_at_scale", "get, history and lists up to a million items, with their plans", sql_scale::run),
    ("sql_queue_pgmq", "claim and finish beside pgmq's read and delete", queue::pgmq::run),
    ("sql_queue_pick_up", "from a commit until an idle worker has the job", queue::pick_up::run),
    ("sql_queue_idle", "how often the processes wake when there is nothing to do", queue::idle::run),
    (
        "sql_queue_embedding",
        "10,000 chunks embedded over HTTP, beside the time of the calls alone",
        queue::embedding::run,
    ),
    (
        "sql_local_model",
        "a query embedded by SQL beside the model alone, and the memory of fifty connections",
        queue::model::run,
    ),
    (
        "sql_search_quality",
        "nDCG@10 and Recall@10 of each lane and of all fused, on samples of labelled sets",
        search_quality::run,
    ),
    ("sql_search_latency", "searches among 100,000 chunks: all lanes, and each", search_scale::latency::run),
    ("sql_search_plans", "what the server does for each lane among 100,000 chunks", search_scale::plans::run),
    (
        "sql_search_filtered",
        "what filters and projects take from the recall of vectors, beside pgvector's iterative scan",
        search_scale::filtered::run,
    ),
    (
        "sql_search_together",
        "32 searchers and 4 writers at once, beside one searcher",
        search_scale::together::run,
    ),
    (
        "sql_search_lexical",
        "the lexical lane: nDCG@10 and time of full-text search, beside pg_search and pg_textsearch",
        search_lexical::run,
    ),
    ("counting_tokens", "tokens of cl100k_base, beside tiktoken-rs", chunking::counting),
];

/// What benchmarks run in a process of its own: name, and what does it with the argument.
type Part = (&'static str, fn(&str));

const PARTS: [Part; 2] = [("chunk_once", linearity::chunk_once), ("chunk_spans", spans::print)];

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    if let [name, argument] = asked.as_slice()
        && let Some((_, run)) = PARTS.iter().find(|(part, _)| part == name)
    {
        return run(argument);
    }
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

//! Whether chunking stays linear in time and memory: from 10 kB to 100 MB, and on documents made to break parsers.
//!
//! Each case runs in a process of its own, so that its peak of memory is that of the chunking and of nothing else.

use std::hint::black_box;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use memento_core::chunk::{Budget, Measure, chunk_markdown};

use crate::data;

/// Small texts are cut again and again for as long, so that a clock can tell.
const AT_LEAST: Duration = Duration::from_millis(300);
/// Below it, memory is that of the allocator rather than of the text.
const MEMORY_SHOWS_FROM: usize = 1_000_000;
const WARM_UP: usize = 10_000;
const MB: usize = 1_000_000;

/// A line for each text and unit of the budget.
pub fn run() {
    let Some(documents) = data::markdown("chunking/k8s_docs") else { return };
    for size in [MB / 100, MB / 10, MB, 10 * MB, 100 * MB] {
        report(&format!("documentation, {} kB", size / 1000), &repeated(&documents, size));
    }
    drop(documents);
    for (name, make) in HOSTILE {
        report(name, &make());
    }
}

/// Name, and how to make it.
type Hostile = (&'static str, fn() -> String);

const HOSTILE: [Hostile; 15] = [
    ("one line of words, 50 MB", || "word ".repeat(10 * MB)),
    ("one line without a blank, 50 MB", || "x".repeat(50 * MB)),
    ("10,000 nested quotes, 50 lines", || format!("{}x\n", "> ".repeat(10_000)).repeat(50)),
    ("10,000 nested lists in a line, 50 times", || format!("{}x\n\n", "- ".repeat(10_000)).repeat(50)),
    ("100 nested lists in a line, 2 MB", || format!("{}x\n\n", "- ".repeat(100)).repeat(2 * MB / 203)),
    ("opening brackets in lines, 2 MB", || format!("{}\n\n", "[".repeat(100)).repeat(2 * MB / 102)),
    ("emphasis in lines, 2 MB", || format!("{}\n\n", "*a **b ".repeat(20)).repeat(2 * MB / 142)),
    ("a table, 2 MB", || "|a|b|\n|-|-|\n".to_owned() + &"|1|2|\n".repeat(2 * MB / 6)),
    ("2,000 nested lists, a line each", || (0..2000).map(|n| format!("{}- x\n", "  ".repeat(n))).collect()),
    ("stars, 10 MB", || "*".repeat(10 * MB)),
    ("stars and letters, 10 MB", || "*a **b ".repeat(10 * MB / 7)),
    ("opening brackets, 10 MB", || "[".repeat(10 * MB)),
    ("backticks, 10 MB", || "`".repeat(10 * MB)),
    ("runs of backticks, 10 MB", || (0..4400).map(|n| "`".repeat(n) + " ").collect()),
    ("a fence that is never closed, 10 MB", || "```\n".to_owned() + &"let x = 1;\n".repeat(10 * MB / 11)),
];

fn repeated(documents: &[String], size: usize) -> String {
    let mut text = String::with_capacity(size);
    for document in documents.iter().cycle() {
        let room = document.floor_char_boundary(size - text.len());
        text.push_str(&document[..room]);
        if room < document.len() {
            return text;
        }
    }
    text
}

fn report(name: &str, text: &str) {
    for unit in ["characters", "tokens"] {
        let (seconds, grown) = in_own_process(unit, text);
        let rate = text.len() as f64 / 1e6 / seconds;
        let memory = if text.len() < MEMORY_SHOWS_FROM {
            String::new()
        } else {
            format!(", {:.2} times the text in memory, beside it", grown / text.len() as f64)
        };
        println!("{name}, by {unit}: {rate:.1} MB/s{memory}");
    }
}

/// Seconds to cut a text once, and bytes that the peak of memory grew by.
fn in_own_process(unit: &str, text: &str) -> (f64, f64) {
    let program = std::env::current_exe().unwrap_or_else(|error| panic!("{error}"));
    let mut child = Command::new(program)
        .args(["chunk_once", unit])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{error}"));
    let mut input = child.stdin.take().unwrap_or_else(|| panic!("no pipe"));
    input
        .write_all(&text.len().to_le_bytes())
        .and_then(|()| input.write_all(text.as_bytes()))
        .unwrap_or_else(|error| panic!("{error}"));
    drop(input);
    let output = child.wait_with_output().unwrap_or_else(|error| panic!("{error}"));
    let printed = String::from_utf8_lossy(&output.stdout);
    let numbers: Vec<f64> = printed.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    match numbers[..] {
        [seconds, grown] if output.status.success() => (seconds, grown),
        _ => panic!("{}: {printed}", output.status),
    }
}

/// The process of a case: cuts what comes in on standard input, after its length, and prints what
/// [`in_own_process`] answers.
pub fn chunk_once(unit: &str) {
    let (measure, target, max) = match unit {
        "tokens" => (Measure::Tokens, 350, 600),
        _ => (Measure::Chars, 1400, 1400),
    };
    let budget = Budget::try_new(measure, target, max, 0).unwrap_or_else(|error| panic!("{error}"));
    let text = read_exactly();
    let cut = |text: &str| {
        chunk_markdown(text, budget).for_each(|chunk| {
            black_box(chunk);
        });
    };
    // The code and the vocabulary come into memory when they are first used.
    cut(&text[..text.floor_char_boundary(WARM_UP)]);
    let before = peak_of_memory();
    let start = Instant::now();
    cut(&text);
    let grown = peak_of_memory() - before;
    let mut rounds = 1;
    while start.elapsed() < AT_LEAST {
        cut(&text);
        rounds += 1;
    }
    println!("{} {grown}", start.elapsed().as_secs_f64() / f64::from(rounds));
}

/// Reads into a buffer of the right length: one that grows would leave a peak of its own.
fn read_exactly() -> String {
    let mut input = std::io::stdin().lock();
    let mut length = [0; size_of::<usize>()];
    input.read_exact(&mut length).unwrap_or_else(|error| panic!("{error}"));
    let mut bytes = vec![0; usize::from_le_bytes(length)];
    input.read_exact(&mut bytes).unwrap_or_else(|error| panic!("{error}"));
    String::from_utf8(bytes).unwrap_or_else(|error| panic!("{error}"))
}

/// The most memory that this process has had so far, in bytes.
fn peak_of_memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = peak.and_then(|rest| rest.trim().trim_end_matches(" kB").parse::<usize>().ok());
    kilobytes.unwrap_or_else(|| panic!("this system does not say how much memory is used")) * 1024
}

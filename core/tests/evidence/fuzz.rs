//! The targets of fuzzing with input made by a small generator: the same each time, a few seconds by default.
//! `scripts/fuzz` runs it for long, with another seed, where libFuzzer is not there.

use std::panic::catch_unwind;
use std::time::{Duration, Instant};

use crate::target::{TARGETS, Target};

/// What inputs are made of: markup, marks that parsers stumble over, and characters that join their neighbours.
const PIECES: [&str; 90] = [
    "Decision: ",
    "- [x] ",
    "## Action items\n\n",
    "Bob Smith will send it by Friday. ",
    "We decided to ",
    "and Alice agreed that ",
    "moved from 10 to 20 ",
    "@ann ",
    "I'll ",
    "{\"events\": [",
    "{\"category\": \"Decision\", \"narrative\": \"n\", \"confidence\": 1, ",
    "\"subject\": {\"type\": \"other\", \"ref\": \"s\"}, ",
    "\"evidence\": {\"quote\": \"word\"}}, ",
    "]}",
    "\u{c}",
    "password=",
    "hunter2hunter2X9",
    "AKIA",
    "Bearer ",
    "://u:p@h",
    "{\"kinds\": [\"a\"]}",
    "{\"pinned_only\": 1}",
    "since last week",
    "in March 2026",
    "between 2026-01-01 and 2026-02-30",
    "who said",
    "# One\n\n",
    "## Two *x* `y`\n",
    "Title\n===\n",
    "a\n---\n",
    "---\n",
    "...\n",
    "+++\n",
    "***\n",
    "- item\n",
    "  - inner\n",
    "1. one\n",
    "> quote\n",
    ">",
    "```\ncode\n```\n",
    "```sh\n",
    "~~~\n",
    "```\t\n",
    "| a | b |\n|---|---|\n| 1 | 2 |\n",
    "a | b\n-|-\n",
    "|",
    "\\|",
    "<div>\n",
    "</div>\n",
    "<!-- ",
    " -->",
    "[a]: http://x\n",
    "[a](b)",
    "![c](d)",
    "    code\n",
    "\t",
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    " ",
    "\u{feff}",
    "\u{a0}",
    "\u{3000}",
    "\u{2028}",
    "\u{85}",
    "\u{301}",
    " \u{301}",
    "\u{200d}",
    "👨‍👩‍👧",
    "🇩🇪",
    "\u{600}",
    "\u{e33}",
    "\u{1f3fd}",
    "日本語。",
    "Straße",
    "e.g. this. That? Yes! ",
    "Dr. A. Smith ",
    "it's 3.14",
    "“go  on”",
    "`",
    "[Q-1]",
    "[A-2, Q-9]. ",
    "\"=>",
    "Ana: hello\n",
    "MULTI: \\n\\n```\\nlog\\n```\n",
    "PAY-4012 v1.2.3 /etc/x",
    "antidisestablishmentarianism",
    "12345678",
    "\0",
];

#[test]
fn targets_hold_for_random_input() {
    for target in TARGETS {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        (0..2000).for_each(|_| check(target, &input(&mut random)));
    }
}

#[test]
#[ignore = "for long, by scripts/fuzz"]
fn targets_hold_for_long() {
    let wanted = std::env::var("MEMENTO_FUZZ_TARGET").unwrap_or_default();
    let seconds = std::env::var("MEMENTO_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(60);
    for target in TARGETS.into_iter().filter(|(name, _)| wanted.is_empty() || *name == wanted) {
        let started = Instant::now();
        let seed = std::time::UNIX_EPOCH.elapsed().unwrap().as_nanos() as u64 | 1;
        let mut random = Random(seed);
        let (mut inputs, mut slowest) = (0, Duration::ZERO);
        while started.elapsed() < Duration::from_secs(seconds) {
            let input = input(&mut random);
            let begun = Instant::now();
            check(target, &input);
            inputs += 1;
            slowest = slowest.max(begun.elapsed());
        }
        println!("{}: {inputs} inputs from seed {seed}, the slowest took {slowest:?}", target.0);
    }
}

fn check((name, body): Target, input: &[u8]) {
    let fails = |input: &[u8]| catch_unwind(|| body(input)).is_err();
    if fails(input) {
        let small = shrunk(input.to_vec(), fails);
        let text = String::from_utf8_lossy(small.get(4..).unwrap_or_default());
        panic!("{name} fails for {:?} {text:?}", &small[..small.len().min(4)]);
    }
}

/// A smaller input that fails as well: without any part that is not needed for it.
fn shrunk(mut input: Vec<u8>, fails: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let mut length = input.len() / 2;
    while length > 0 {
        let mut at = 4;
        while at + length <= input.len() {
            let without = [&input[..at], &input[at + length..]].concat();
            if fails(&without) {
                input = without;
            } else {
                at += length;
            }
        }
        length /= 2;
    }
    input
}

/// Four numbers and a text of pieces, some of them repeated, cut or with a random character.
fn input(random: &mut Random) -> Vec<u8> {
    let mut data: Vec<u8> = (0..4).map(|_| random.below(256).min(random.below(256)) as u8).collect();
    for _ in 0..random.below(60) {
        let piece = PIECES[random.below(PIECES.len())].as_bytes();
        match random.below(12) {
            0 => data.extend(piece.repeat(random.below(40))),
            1 => data.extend(&piece[..random.below(piece.len())]),
            2 => data.extend(char::from_u32(random.below(0x3000) as u32).unwrap_or('x').to_string().bytes()),
            3 => data.extend(b"word ".repeat(random.below(30))),
            4 => data.push(random.below(256) as u8),
            _ => data.extend(piece),
        }
    }
    data
}

/// xorshift64.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % limit
    }
}

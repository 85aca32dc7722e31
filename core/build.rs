//! Makes the vocabulary cl100k_base, taken from the crate tiktoken-rs, into tables that need no loading: they are part of
//! the library's read-only data, which all processes share. See src/token/vocabulary.rs for their form.

#![allow(clippy::expect_used)] // A build script fails by panicking.

use std::io::Write;
use std::path::PathBuf;

include!("src/token/hash.rs");

/// Ordinary tokens of cl100k_base; special ones follow and do not occur in text. Their numbers are their merge ranks.
const TOKENS: u32 = 100_256;

/// Twice the number of tokens and a power of two: short ways from the hash to the token.
const SLOTS: usize = 1 << 18;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/token/hash.rs");
    let encoder = tiktoken_rs::cl100k_base().expect("tiktoken-rs carries the vocabulary");
    let mut bytes = Vec::new();
    let mut offsets = vec![0u32];
    let mut slots = vec![u32::MAX; SLOTS];
    for token in 0..TOKENS {
        let text = encoder.decode_bytes(&[token]).expect("numbers of ordinary tokens have no gap");
        let mut slot = hash(&text) as usize % SLOTS;
        while slots[slot] != u32::MAX {
            slot = (slot + 1) % SLOTS;
        }
        slots[slot] = token;
        bytes.extend_from_slice(&text);
        offsets.push(u32::try_from(bytes.len()).expect("the vocabulary is small"));
    }
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let save = |name: &str, content: &[u8]| {
        std::fs::File::create(out.join(name))
            .and_then(|mut file| file.write_all(content))
            .expect("OUT_DIR is writable")
    };
    let little_endian =
        |numbers: &[u32]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
    save("token_bytes", &bytes);
    save("token_offsets", &little_endian(&offsets));
    save("token_slots", &little_endian(&slots));
}

//! The tables that build.rs makes: all tokens one after the other, where each begins, and a hash table with their numbers.
//! They are read in place. A token's number is its rank: of two possible merges, the lower number comes first.

include!("hash.rs");

static BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/token_bytes"));
static OFFSETS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/token_offsets"));
static SLOTS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/token_slots"));

/// The number of a token.
pub fn rank(token: &[u8]) -> Option<u32> {
    let slots = SLOTS.len() / 4;
    let mut slot = hash(token) as usize % slots;
    loop {
        let candidate = number(SLOTS, slot);
        if candidate == u32::MAX {
            return None;
        }
        let (start, end) = (number(OFFSETS, candidate as usize), number(OFFSETS, candidate as usize + 1));
        if &BYTES[start as usize..end as usize] == token {
            return Some(candidate);
        }
        slot = (slot + 1) % slots;
    }
}

fn number(table: &[u8], index: usize) -> u32 {
    let mut four = [0; 4];
    four.copy_from_slice(&table[index * 4..index * 4 + 4]);
    u32::from_le_bytes(four)
}

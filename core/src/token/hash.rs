/// The hash of a token's bytes, for the build script that fills the table and for the code that reads it.
fn hash(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |state: u64, word: u64| (state.rotate_left(5) ^ word).wrapping_mul(FACTOR);
    let mut state = bytes.len() as u64;
    let mut words = bytes.chunks_exact(8);
    for word in &mut words {
        let mut eight = [0; 8];
        eight.copy_from_slice(word);
        state = mix(state, u64::from_le_bytes(eight));
    }
    let rest = words.remainder().iter().rev().fold(0, |rest, byte| rest << 8 | u64::from(*byte));
    let state = mix(state, rest);
    state ^ (state >> 29)
}

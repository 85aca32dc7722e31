//! How many tokens a piece has that is not a token itself: neighbours are merged, lowest rank first, until none can be.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::vocabulary::rank;

/// Pieces up to here are merged by looking for the lowest rank each time, which is faster than a heap for few parts.
const SHORT_PIECE: usize = 96;

/// Longer pieces are counted in parts of this size, so that memory stays bounded: words of 16 kB are not words, and a
/// seam adds at most a token or two.
const LONGEST_PIECE: usize = 16 * 1024;

/// The number of tokens of a piece.
pub fn count(piece: &[u8]) -> usize {
    if piece.len() <= 1 || rank(piece).is_some() {
        return 1;
    }
    if piece.len() <= SHORT_PIECE {
        return count_short(piece);
    }
    piece.chunks(LONGEST_PIECE).map(count_long).sum()
}

fn count_short(piece: &[u8]) -> usize {
    // Where each part begins, with the rank of the part joined with the next.
    let mut parts: Vec<(usize, u32)> = (0..=piece.len()).map(|start| (start, u32::MAX)).collect();
    let joined = |parts: &[(usize, u32)], at: usize| match parts.get(at + 2) {
        Some((end, _)) => rank(&piece[parts[at].0..*end]).unwrap_or(u32::MAX),
        None => u32::MAX,
    };
    for at in 0..piece.len() {
        parts[at].1 = joined(&parts, at);
    }
    loop {
        let Some((at, lowest)) = parts.iter().map(|part| part.1).enumerate().min_by_key(|(_, rank)| *rank)
        else {
            return 0;
        };
        if lowest == u32::MAX {
            return parts.len() - 1;
        }
        parts.remove(at + 1);
        parts[at].1 = joined(&parts, at);
        if at > 0 {
            parts[at - 1].1 = joined(&parts, at - 1);
        }
    }
}

/// The same with a heap: n log n, for pieces of any length.
fn count_long(piece: &[u8]) -> usize {
    const END: u32 = u32::MAX;
    let length = piece.len();
    // Parts as a list: where the next and the previous begin. A part that was merged away points nowhere.
    let mut next: Vec<u32> = (1..=length as u32).collect();
    let mut previous: Vec<u32> = (0..length as u32).map(|at| at.wrapping_sub(1)).collect();
    let after = |next: &[u32], at: u32| if (at as usize) < length { next[at as usize] } else { END };
    let mut heap = BinaryHeap::new();
    let offer = |heap: &mut BinaryHeap<Reverse<(u32, u32, u32)>>, next: &[u32], at: u32| {
        let middle = after(next, at);
        let end = after(next, middle);
        if middle != END
            && end != END
            && let Some(rank) = rank(&piece[at as usize..end as usize])
        {
            heap.push(Reverse((rank, at, end)));
        }
    };
    (0..length as u32).for_each(|at| offer(&mut heap, &next, at));
    let mut count = length;
    while let Some(Reverse((_, at, end))) = heap.pop() {
        let middle = after(&next, at);
        // Stale: one of the two was merged with another neighbour meanwhile.
        if middle == END
            || middle as usize >= length
            || next[at as usize] == END
            || after(&next, middle) != end
        {
            continue;
        }
        next[at as usize] = end;
        next[middle as usize] = END;
        if (end as usize) < length {
            previous[end as usize] = at;
        }
        count -= 1;
        offer(&mut heap, &next, at);
        let before = previous[at as usize];
        if before != END {
            offer(&mut heap, &next, before);
        }
    }
    count
}

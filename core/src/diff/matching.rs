//! What two sequences have in common: not always the most, but always in order, after a bounded number of steps.
//!
//! Things that are in one sequence only take no part. Those that occur once in each are anchors, as many as are in the same
//! order; they are what a reader would hold on to (patience diff). Between anchors the shortest edit is searched (Myers).

mod shortest;

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;

/// Steps that one comparison may take: a fraction of a second.
const STEPS: usize = 20_000_000;

/// How many steps are left.
pub struct Budget(usize);

impl Default for Budget {
    fn default() -> Self {
        Self(STEPS)
    }
}

impl Budget {
    /// Takes some steps; false if there were not enough.
    pub fn spend(&mut self, steps: usize) -> bool {
        let enough = self.0 >= steps;
        self.0 = self.0.saturating_sub(steps);
        enough
    }
}

/// Neighbours that are in both sequences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Where they begin in the old one.
    pub old: usize,
    /// Where they begin in the new one.
    pub new: usize,
    /// How many there are.
    pub length: usize,
}

impl Run {
    /// The same, so much later in both.
    pub fn moved(self, by: usize) -> Self {
        Self { old: self.old + by, new: self.new + by, ..self }
    }
}

/// The runs that two sequences have in common, in the order of both.
pub fn runs<T: Hash + Eq>(
    old: impl Iterator<Item = T>,
    new: impl Iterator<Item = T>,
    budget: &mut Budget,
) -> Vec<Run> {
    let mut numbers = HashMap::new();
    let old = numbered(old, &mut numbers);
    let new = numbered(new, &mut numbers);
    let counts = Counts::of(&old, &new, numbers.len());
    drop(numbers);
    let (old, new) = (Shared::of(&old, &counts.new), Shared::of(&new, &counts.old));
    let mut pairs = Vec::new();
    let mut from = (0, 0);
    let end = (old.numbers.len(), new.numbers.len());
    for anchor in anchors(&old.numbers, &new.numbers, &counts).into_iter().chain([end]) {
        between(&old.numbers, &new.numbers, from.0..anchor.0, from.1..anchor.1, &mut pairs, budget);
        if anchor != end {
            pairs.push(anchor);
        }
        from = (anchor.0 + 1, anchor.1 + 1);
    }
    joined(pairs.into_iter().map(|(a, b)| (old.places[a] as usize, new.places[b] as usize)))
}

/// A number for each different thing.
fn numbered<T: Hash + Eq>(things: impl Iterator<Item = T>, numbers: &mut HashMap<T, u32>) -> Vec<u32> {
    things
        .map(|thing| {
            let next = numbers.len() as u32;
            *numbers.entry(thing).or_insert(next)
        })
        .collect()
}

/// How often each number occurs; more than twice is twice.
struct Counts {
    old: Vec<u8>,
    new: Vec<u8>,
}

impl Counts {
    fn of(old: &[u32], new: &[u32], numbers: usize) -> Self {
        let count = |sequence: &[u32]| {
            let mut counts = vec![0u8; numbers];
            for number in sequence {
                let count = &mut counts[*number as usize];
                *count = (*count + 1).min(2);
            }
            counts
        };
        Self { old: count(old), new: count(new) }
    }

    fn is_unique(&self, number: u32) -> bool {
        self.old[number as usize] == 1 && self.new[number as usize] == 1
    }
}

/// What of a sequence is also in the other one, and where it was.
struct Shared {
    numbers: Vec<u32>,
    places: Vec<u32>,
}

impl Shared {
    fn of(sequence: &[u32], in_other: &[u8]) -> Self {
        let shared = sequence.iter().enumerate().filter(|(_, number)| in_other[**number as usize] > 0);
        let (places, numbers) = shared.map(|(place, number)| (place as u32, *number)).unzip();
        Self { numbers, places }
    }
}

/// The longest list of unique things that are in the same order in both sequences.
fn anchors(old: &[u32], new: &[u32], counts: &Counts) -> Vec<(usize, usize)> {
    let mut place_in_old = vec![0; counts.old.len()];
    for (place, number) in old.iter().enumerate() {
        place_in_old[*number as usize] = place;
    }
    let unique = new.iter().enumerate().filter(|(_, number)| counts.is_unique(**number));
    let pairs: Vec<(usize, usize)> =
        unique.map(|(place, number)| (place_in_old[*number as usize], place)).collect();
    // The last pair of the best list of each length, and which pair is before a pair in its list.
    let mut last: Vec<usize> = Vec::new();
    let mut before = vec![None; pairs.len()];
    for (at, pair) in pairs.iter().enumerate() {
        let length = last.partition_point(|other| pairs[*other].0 < pair.0);
        before[at] = length.checked_sub(1).map(|shorter| last[shorter]);
        if length == last.len() {
            last.push(at);
        } else {
            last[length] = at;
        }
    }
    let mut list: Vec<_> =
        std::iter::successors(last.last().copied(), |at| before[*at]).map(|at| pairs[at]).collect();
    list.reverse();
    list
}

/// Pairs between two anchors: the common start and end, and what the shortest edit keeps of the rest.
fn between(
    old: &[u32],
    new: &[u32],
    mut in_old: Range<usize>,
    mut in_new: Range<usize>,
    pairs: &mut Vec<(usize, usize)>,
    budget: &mut Budget,
) {
    while !in_old.is_empty() && !in_new.is_empty() && old[in_old.start] == new[in_new.start] {
        pairs.push((in_old.start, in_new.start));
        in_old.start += 1;
        in_new.start += 1;
    }
    let end = old[in_old.clone()].iter().rev().zip(new[in_new.clone()].iter().rev());
    let end = end.take_while(|(a, b)| a == b).count();
    let (old_end, new_end) = (in_old.end - end, in_new.end - end);
    shortest::pairs(&old[..old_end], &new[..new_end], (in_old.start, in_new.start), pairs, budget);
    pairs.extend((old_end..in_old.end).zip(new_end..in_new.end));
}

/// Pairs that follow each other in both sequences as runs.
fn joined(pairs: impl Iterator<Item = (usize, usize)>) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (old, new) in pairs {
        match runs.last_mut() {
            Some(run) if run.old + run.length == old && run.new + run.length == new => run.length += 1,
            _ => runs.push(Run { old, new, length: 1 }),
        }
    }
    runs
}

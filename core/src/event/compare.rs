//! What became of events from one revision of a document to the next.

use std::collections::{BTreeSet, HashMap};

use super::merge::plain;

/// What an event is told by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told<'a> {
    /// Its category.
    pub category: &'a str,
    /// What it is about.
    pub subject: &'a str,
    /// What it says.
    pub narrative: &'a str,
}

/// Events by their places in the two lists, in the order of the lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// In both, in the same words.
    pub unchanged: Vec<(usize, usize)>,
    /// About the same thing, in other words.
    pub changed: Vec<(usize, usize)>,
    /// Only in the first.
    pub removed: Vec<usize>,
    /// Only in the second.
    pub added: Vec<usize>,
}

/// Compares what two revisions say: first by the same words, then, of what is left, by category and subject, in the order of the
/// lists. Each event is in one pair at most.
pub fn compare(before: &[Told], after: &[Told]) -> Comparison {
    let mut left_before: Vec<usize> = (0..before.len()).collect();
    let mut left_after: Vec<usize> = (0..after.len()).collect();
    let by_words = |told: &Told| format!("{}\n{}", told.category, plain(told.narrative));
    let by_subject = |told: &Told| format!("{}\n{}", told.category, plain(told.subject));
    let unchanged = pair(before, after, &mut left_before, &mut left_after, by_words);
    let changed = pair(before, after, &mut left_before, &mut left_after, by_subject);
    Comparison { unchanged, changed, removed: left_before, added: left_after }
}

/// Pairs what has the same key, and takes it out of what is left.
fn pair(
    before: &[Told],
    after: &[Told],
    left_before: &mut Vec<usize>,
    left_after: &mut Vec<usize>,
    key: impl Fn(&Told) -> String,
) -> Vec<(usize, usize)> {
    let mut waiting: HashMap<String, Vec<usize>> = HashMap::new();
    for &place in left_after.iter().rev() {
        waiting.entry(key(&after[place])).or_default().push(place);
    }
    let mut pairs = Vec::new();
    left_before.retain(|&place| match waiting.get_mut(&key(&before[place])).and_then(Vec::pop) {
        Some(other) => {
            pairs.push((place, other));
            false
        }
        None => true,
    });
    let taken: BTreeSet<usize> = pairs.iter().map(|(_, taken)| *taken).collect();
    left_after.retain(|place| !taken.contains(place));
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(category: &'static str, subject: &'static str, narrative: &'static str) -> Told<'static> {
        Told { category, subject, narrative }
    }

    #[test]
    fn each_event_has_one_fate() {
        let before = [
            told("Decision", "database", "Use MySQL."),
            told("Decision", "queue", "Use Kafka."),
            told("Commitment", "database", "Bob sets it up."),
            told("Commitment", "docs", "Ann writes them."),
        ];
        let after = [
            told("Commitment", "docs", "Ann  writes them"),
            told("Decision", "Database", "Use Postgres instead."),
            told("Feedback", "database", "Use MySQL."),
        ];
        let seen = compare(&before, &after);
        assert_eq!(seen.unchanged, [(3, 0)], "white space and punctuation do not count");
        assert_eq!(seen.changed, [(0, 1)]);
        assert_eq!(seen.removed, [1, 2]);
        assert_eq!(seen.added, [2], "another category is another event");
    }

    #[test]
    fn repeated_events_are_paired_once_each() {
        let twice = [told("Change", "price", "Up."), told("Change", "price", "Up.")];
        let once = [told("Change", "price", "Up.")];
        assert_eq!(compare(&twice, &once).removed, [1]);
        assert_eq!(compare(&once, &twice).added, [1]);
        assert_eq!(compare(&twice, &twice).unchanged, [(0, 0), (1, 1)]);
        assert_eq!(compare(&[], &[]), Comparison::default());
    }
}

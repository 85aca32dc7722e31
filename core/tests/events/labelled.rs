//! Precision and recall of the rules on labelled sentences.

use std::collections::BTreeMap;

use memento_core::event::Category;

use crate::categories;

/// Right, too many, and missed, for each category.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    right: usize,
    wrong: usize,
    missed: usize,
}

impl Count {
    fn add(&mut self, other: Self) {
        self.right += other.right;
        self.wrong += other.wrong;
        self.missed += other.missed;
    }

    fn precision(self) -> f64 {
        share(self.right, self.right + self.wrong)
    }

    fn recall(self) -> f64 {
        share(self.right, self.right + self.missed)
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

/// What a file says: the text, and the categories of its events, sorted.
fn labelled(file: &'static str) -> impl Iterator<Item = (String, Vec<Category>)> {
    file.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let (labels, text) = line.split_once('\t').unwrap();
        let category = |label| Category::from_word(label).unwrap_or_else(|| panic!("{label} in {line}"));
        let mut categories: Vec<Category> =
            if labels == "-" { Vec::new() } else { labels.split(',').map(category).collect() };
        categories.sort_unstable();
        (text.replace("\\n", "\n"), categories)
    })
}

fn found(text: &str) -> Vec<Category> {
    let mut found = categories(text);
    found.sort_unstable();
    found
}

/// Counts by category; `tell` is told of each text that is not as it should be.
fn judge(
    file: &'static str,
    mut tell: impl FnMut(&str, &[Category], &[Category]),
) -> BTreeMap<Category, Count> {
    let mut counts: BTreeMap<Category, Count> = BTreeMap::new();
    for (text, expected) in labelled(file) {
        let found = found(&text);
        for category in Category::ALL {
            let of = |list: &[Category]| list.iter().filter(|one| *one == category).count();
            let (wanted, got) = (of(&expected), of(&found));
            counts.entry(*category).or_default().add(Count {
                right: wanted.min(got),
                wrong: got.saturating_sub(wanted),
                missed: wanted.saturating_sub(got),
            });
        }
        if found != expected {
            tell(&text, &expected, &found);
        }
    }
    counts
}

fn report(name: &str, counts: &BTreeMap<Category, Count>) -> Count {
    let mut all = Count::default();
    for (category, count) in counts {
        println!(
            "{name} {:<14} precision {:.3} recall {:.3} ({} right, {} wrong, {} missed)",
            category.as_str(),
            count.precision(),
            count.recall(),
            count.right,
            count.wrong,
            count.missed
        );
        all.add(*count);
    }
    println!("{name} all            precision {:.3} recall {:.3}", all.precision(), all.recall());
    all
}

/// Only sums are printed: what becomes of single lines is not to be known while rules change.
#[test]
fn rules_are_precise_on_sentences_they_were_not_made_for() {
    let counts = judge(include_str!("held_out.tsv"), |_, _, _| {});
    let all = report("held out", &counts);
    assert!(all.right + all.missed >= 100, "too few events are labelled");
    assert!(all.precision() >= 0.9, "precision {:.3}", all.precision());
    assert!(all.recall() >= 0.6, "recall {:.3}", all.recall());
}

#[test]
fn rules_are_precise_on_sentences_they_were_made_for() {
    let tell = |text: &str, expected: &[Category], found: &[Category]| {
        println!("  {text:?}: {expected:?} expected, {found:?} found");
    };
    let all = report("develop", &judge(include_str!("develop.tsv"), tell));
    assert!(all.precision() >= 0.95, "precision {:.3}", all.precision());
    assert!(all.recall() >= 0.85, "recall {:.3}", all.recall());
}

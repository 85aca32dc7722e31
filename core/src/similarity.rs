//! Texts that say nearly the same, found without comparing each with each.
//!
//! A text is the set of its runs of [`RUN_WORDS`] words. A sketch keeps the smallest of each of [`HASHES`] orders of that set
//! (MinHash): the part of a sketch that two texts share estimates the part of their runs that they share. Texts that share a
//! band of their sketch are compared, all others are not, so the time is linear in their number.

use std::collections::{BTreeMap, BTreeSet};

/// Words that count together, so that texts with the same words in another order are not the same.
const RUN_WORDS: usize = 3;

/// The length of a sketch: estimates are off by some 5 %.
const HASHES: usize = 64;

/// Rows of a band: at 80 % in common two texts meet in one of the 16 bands all but surely.
const BAND: usize = 4;

/// More texts in one band are a form, and would all be compared with each other.
const MOST_IN_BAND: usize = 50;

/// What is left of a text for comparing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sketch([u64; HASHES]);

impl Sketch {
    /// Of a text; none if it has no words.
    pub fn of(text: &str) -> Option<Self> {
        let words: Vec<u64> = text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(|word| word.chars().flat_map(char::to_lowercase).fold(FNV_START, fnv))
            .collect();
        let mut sketch = [u64::MAX; HASHES];
        for run in words.windows(RUN_WORDS.min(words.len()).max(1)) {
            let run = run.iter().fold(0, |hash: u64, word| mixed(hash.rotate_left(5) ^ word));
            for (order, smallest) in sketch.iter_mut().enumerate() {
                *smallest = (*smallest).min(mixed(run ^ mixed(order as u64 + 1)));
            }
        }
        (!words.is_empty()).then_some(Self(sketch))
    }

    /// How much two texts have in common, from 0 to 1, as far as sketches can tell.
    pub fn similarity(&self, other: &Self) -> f64 {
        let same = self.0.iter().zip(&other.0).filter(|(a, b)| a == b).count();
        same as f64 / HASHES as f64
    }
}

const FNV_START: u64 = 0xcbf2_9ce4_8422_2325;

fn fnv(hash: u64, c: char) -> u64 {
    (hash ^ u64::from(u32::from(c))).wrapping_mul(0x0100_0000_01b3)
}

/// The last step of splitmix64: every bit of the result depends on every bit of the number.
fn mixed(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// Two texts, by their places, and how much they have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// The earlier one.
    pub first: usize,
    /// The later one.
    pub second: usize,
    /// From 0 to 1.
    pub similarity: f64,
}

/// The pairs that have at least so much in common, the most similar ones first.
pub fn similar_pairs(sketches: &[Sketch], least: f64) -> Vec<Pair> {
    let mut bands: BTreeMap<(usize, [u64; BAND]), Vec<usize>> = BTreeMap::new();
    for (place, sketch) in sketches.iter().enumerate() {
        for (number, band) in sketch.0.as_chunks::<BAND>().0.iter().enumerate() {
            bands.entry((number, *band)).or_default().push(place);
        }
    }
    let mut candidates = BTreeSet::new();
    for places in bands.values().filter(|places| places.len() > 1) {
        let places = &places[..places.len().min(MOST_IN_BAND)];
        for (at, first) in places.iter().enumerate() {
            candidates.extend(places[at + 1..].iter().map(|second| (*first, *second)));
        }
    }
    let mut pairs: Vec<Pair> = candidates
        .into_iter()
        .map(|(first, second)| Pair {
            first,
            second,
            similarity: sketches[first].similarity(&sketches[second]),
        })
        .filter(|pair| pair.similarity >= least)
        .collect();
    pairs.sort_by(|a, b| {
        b.similarity.total_cmp(&a.similarity).then((a.first, a.second).cmp(&(b.first, b.second)))
    });
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(from: usize, words: usize) -> String {
        (from..from + words).map(|n| format!("word{n}")).collect::<Vec<_>>().join(" ")
    }

    fn pairs(texts: &[String]) -> Vec<(usize, usize)> {
        let sketches: Vec<Sketch> = texts.iter().map(|text| Sketch::of(text).unwrap()).collect();
        similar_pairs(&sketches, 0.8).iter().map(|pair| (pair.first, pair.second)).collect()
    }

    #[test]
    fn a_changed_word_in_a_page_is_nearly_the_same() {
        let page = text(0, 300);
        let changed = page.replace("word150 ", "another ");
        let other = text(1000, 300);
        assert_eq!(pairs(&[page.clone(), other, changed, page.to_uppercase()]), [(0, 3), (0, 2), (2, 3)]);
    }

    #[test]
    fn half_a_page_is_not() {
        assert!(pairs(&[text(0, 300), text(150, 300)]).is_empty());
        assert!(pairs(&["one two".into(), "one three".into()]).is_empty());
        assert_eq!(pairs(&["one two".into(), "One, two!".into()]), [(0, 1)]);
    }

    #[test]
    fn nothing_has_no_sketch() {
        assert_eq!(Sketch::of(" .,! \n"), None);
    }

    #[test]
    fn a_thousand_copies_are_not_a_million_pairs() {
        let copies = vec![text(0, 20); 1000];
        assert_eq!(pairs(&copies).len(), MOST_IN_BAND * (MOST_IN_BAND - 1) / 2);
    }

    proptest! {
        #[test]
        fn the_estimate_is_near_the_truth(shared in 0usize..400, own in 1usize..200) {
            let a = format!("{} {}", text(0, shared), text(10_000, own));
            let b = format!("{} {}", text(0, shared), text(20_000, own));
            let runs = |text: &str| -> BTreeSet<Vec<String>> {
                let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
                words.windows(RUN_WORDS.min(words.len())).map(<[String]>::to_vec).collect()
            };
            let (runs_a, runs_b) = (runs(&a), runs(&b));
            let truth = runs_a.intersection(&runs_b).count() as f64 / runs_a.union(&runs_b).count() as f64;
            let estimate = Sketch::of(&a).unwrap().similarity(&Sketch::of(&b).unwrap());
            // Four standard deviations and a half.
            prop_assert!((truth - estimate).abs() < 0.3, "{} {}", truth, estimate);
        }

        #[test]
        fn any_text_has_a_sketch_like_itself(text in "\\PC{0,60}") {
            if let Some(sketch) = Sketch::of(&text) {
                prop_assert_eq!(sketch.similarity(&sketch), 1.0);
            }
        }
    }
}

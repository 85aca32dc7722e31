use proptest::prelude::*;

use super::*;

fn term(word: &str, texts: i64) -> Term {
    Term { word: word.into(), repeats: 1, texts }
}

fn words(terms: &[Term]) -> Vec<&str> {
    terms.iter().map(|term| term.word.as_str()).collect()
}

/// As the textbook writes it.
fn textbook(collection: Collection, texts: i64, times: f64, length: f64, parameters: Parameters) -> f64 {
    let (n, df) = (collection.texts as f64, texts as f64);
    let idf = (1.0 + (n - df + 0.5) / (df + 0.5)).ln();
    let Parameters { k1, b } = parameters;
    idf * times * (k1 + 1.0)
        / (times + k1 * (1.0 - b + b * length / (collection.words as f64 / collection.texts as f64)))
}

#[test]
fn scores_are_those_of_the_textbook() {
    let collection = Collection { texts: 1000, words: 80_000 };
    for parameters in [Parameters::default(), Parameters { k1: 0.9, b: 0.4 }, Parameters { k1: 0.0, b: 1.0 }]
    {
        let query =
            EncodedQuery::new(&[term("rare", 3), term("common", 900)], collection, parameters).into_bytes();
        let found = score(&query, 120, |word| match word {
            b"rare" => 2,
            b"common" => 7,
            other => panic!("unknown word {other:?}"),
        });
        let wanted = textbook(collection, 3, 2.0, 120.0, parameters)
            + textbook(collection, 900, 7.0, 120.0, parameters);
        assert!((found - wanted).abs() < 1e-12, "{found} is not {wanted}");
    }
}

#[test]
fn rare_words_weigh_more_and_no_word_weighs_nothing() {
    let collection = Collection { texts: 100, words: 1000 };
    let weights: Vec<f64> = [0, 1, 10, 100, 1000].map(|texts| rarity(collection, texts)).into();
    assert!(weights.windows(2).all(|pair| pair[0] > pair[1]), "{weights:?}");
    assert!(weights.iter().all(|weight| *weight > 0.0), "{weights:?}");
    assert!(rarity(Collection::default(), 0).is_finite());
}

#[test]
fn a_word_said_twice_counts_twice() {
    let collection = Collection { texts: 10, words: 100 };
    let once = EncodedQuery::new(&[term("a", 2)], collection, Parameters::default()).into_bytes();
    let twice = Term { repeats: 2, ..term("a", 2) };
    let twice = EncodedQuery::new(&[twice], collection, Parameters::default()).into_bytes();
    assert_eq!(2.0 * score(&once, 10, |_| 1), score(&twice, 10, |_| 1));
}

#[test]
fn the_rarest_words_come_first_and_unknown_ones_not_at_all() {
    let terms = plan(vec![term("b", 5), term("never", 0), term("a", 5), term("rare", 1)], false);
    assert_eq!(words(&terms), ["rare", "a", "b"]);
    assert_eq!(words(&plan(vec![term("b", 5), term("never", 0)], true)), ["never", "b"]);
    assert_eq!(plan((0..1000).map(|n| term(&n.to_string(), 1 + n)).collect(), false).len(), MOST_TERMS);
}

#[test]
fn few_texts_are_all_looked_at() {
    let terms = [term("a", 10), term("b", 20)];
    let collection = Collection { texts: 100, words: 1000 };
    assert_eq!(Candidates::in_turn(&terms, collection, 30), [Candidates::Any(&terms)]);
}

#[test]
fn rare_words_choose_where_there_are_too_many_texts() {
    let terms = [term("a", 10), term("b", 20), term("c", 1000)];
    let collection = Collection { texts: 10_000, words: 100_000 };
    assert_eq!(
        Candidates::in_turn(&terms, collection, 100),
        [Candidates::Any(&terms[..2]), Candidates::Any(&terms)]
    );
}

#[test]
fn frequent_words_choose_together() {
    let terms = [term("a", 1000), term("b", 2000), term("c", 3000), term("d", 4000)];
    let collection = Collection { texts: 10_000, words: 100_000 };
    assert_eq!(
        Candidates::in_turn(&terms, collection, 100),
        [Candidates::All(&terms[..3]), Candidates::All(&terms[..2]), Candidates::Any(&terms)]
    );
    assert_eq!(Candidates::in_turn(&terms[..1], collection, 100), [Candidates::Any(&terms[..1])]);
    assert_eq!(Candidates::Any(&terms).expected(collection), 10_000.0);
    assert!((Candidates::All(&terms[..2]).expected(collection) - 200.0).abs() < 1e-6);
    assert_eq!(Candidates::in_turn(&[], collection, 100), []);
}

proptest! {
    #[test]
    fn any_bytes_score(bytes in proptest::collection::vec(any::<u8>(), 0..200), length: u32, times: u32) {
        score(&bytes, length, |_| times);
    }

    #[test]
    fn the_last_turn_looks_at_every_word(texts in proptest::collection::vec(1i64..1_000_000, 1..80), budget in 0i64..2_000_000) {
        let terms = plan(texts.iter().enumerate().map(|(n, texts)| term(&n.to_string(), *texts)).collect(), false);
        let turns = Candidates::in_turn(&terms, Collection { texts: 1_000_000, words: 1 }, budget);
        prop_assert_eq!(turns.last(), Some(&Candidates::Any(&terms)));
        prop_assert!(turns.len() <= terms.len() + 1);
    }

    #[test]
    fn more_of_a_word_is_never_worse_and_more_text_never_better(times in 1u32..1000, length in 1u32..100_000) {
        let collection = Collection { texts: 1000, words: 100_000 };
        let query = EncodedQuery::new(&[term("a", 10)], collection, Parameters::default()).into_bytes();
        prop_assert!(score(&query, length, |_| times + 1) >= score(&query, length, |_| times));
        prop_assert!(score(&query, length + 1, |_| times) <= score(&query, length, |_| times));
    }
}

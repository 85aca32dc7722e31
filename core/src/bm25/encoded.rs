//! A query as bytes: it is handed to the server as a value and read again for each text, without copying anything.

use super::{Collection, MOST_TERMS, Parameters, Term, rarity};

/// Each number has eight bytes, the lowest first.
const NUMBER: usize = 8;

/// A query that is ready to score texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodedQuery(Vec<u8>);

impl EncodedQuery {
    /// The words with what they weigh in a collection.
    pub fn new(terms: &[Term], collection: Collection, parameters: Parameters) -> Self {
        let Parameters { k1, b } = parameters;
        let mut bytes = Vec::new();
        // A text of average length has k1 in the denominator.
        bytes.extend((k1 * (1.0 - b)).to_le_bytes());
        bytes.extend((k1 * b / collection.average_length()).to_le_bytes());
        for term in &terms[..terms.len().min(MOST_TERMS)] {
            let weight = rarity(collection, term.texts) * (k1 + 1.0) * term.repeats.max(1) as f64;
            bytes.extend(weight.to_le_bytes());
            bytes.extend((term.word.len() as u64).to_le_bytes());
            bytes.extend(term.word.as_bytes());
        }
        Self(bytes)
    }

    /// The bytes, for [`score`].
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

/// The score of a text of `length` words, in which a word stands `count` times. Bytes that are no query score as far as they
/// can be read.
pub fn score(query: &[u8], length: u32, count: impl Fn(&[u8]) -> u32) -> f64 {
    let mut rest = query;
    let (Some(fixed), Some(per_word)) = (number(&mut rest), number(&mut rest)) else { return 0.0 };
    let damping = f64::from_le_bytes(fixed) + f64::from_le_bytes(per_word) * f64::from(length);
    let mut total = 0.0;
    while let Some((weight, word)) = term(&mut rest) {
        let times = f64::from(count(word));
        if times > 0.0 {
            total += weight * times / (times + damping);
        }
    }
    total
}

fn term<'a>(rest: &mut &'a [u8]) -> Option<(f64, &'a [u8])> {
    let weight = f64::from_le_bytes(number(rest)?);
    let length = usize::try_from(u64::from_le_bytes(number(rest)?)).ok()?;
    let (word, after) = rest.split_at_checked(length)?;
    *rest = after;
    Some((weight, word))
}

fn number(rest: &mut &[u8]) -> Option<[u8; NUMBER]> {
    let (bytes, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(*bytes)
}

//! What a look at each byte of a word tells, so that most questions about it need no second look.

/// Counts, and which marks occur.
#[derive(Clone, Copy)]
pub struct Looks {
    pub digits: usize,
    pub letters: usize,
    marks: u64,
}

impl Looks {
    pub fn at(word: &str) -> Self {
        let mut looks = Self { digits: 0, letters: 0, marks: 0 };
        for byte in word.bytes() {
            match byte {
                b'0'..=b'9' => looks.digits += 1,
                b'a'..=b'z' | b'A'..=b'Z' => looks.letters += 1,
                _ => looks.marks |= bit(byte),
            }
        }
        looks
    }

    /// Whether a mark, which is no letter or digit, occurs.
    pub fn has(self, mark: u8) -> bool {
        self.marks & bit(mark) != 0
    }

    /// Whether one of these occurs.
    pub fn has_any(self, marks: &[u8]) -> bool {
        marks.iter().any(|mark| self.has(*mark))
    }
}

/// The low six bits tell the marks apart that words can have; the others end a word.
fn bit(mark: u8) -> u64 {
    1 << (mark & 63)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_words_have_bits_of_their_own() {
        let marks = b"!#$%&*+-./:=?@\\^_~";
        let bits: std::collections::HashSet<u64> = marks.iter().map(|mark| bit(*mark)).collect();
        assert_eq!(bits.len(), marks.len());
    }
}

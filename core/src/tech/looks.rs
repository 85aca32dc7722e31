//! What one look at each byte of a word tells, so that most questions about it need no second look.

/// Which kinds of bytes occur, and how many letters and digits.
#[derive(Clone, Copy, Default)]
pub struct Looks {
    seen: u64,
    counts: u64,
}

/// Kinds of bytes; the bits are those that no mark of a word has.
const LOWER: u64 = 1 << 1;
const UPPER: u64 = 1 << 2;
const DIGIT: u64 = 1 << 3;
const BEYOND_HEX: u64 = 1 << 4;
const END: u64 = 1 << 5;

/// Letters are counted in the upper half, digits in the lower.
const LETTER: u64 = 1 << 32;

/// What a byte adds to what is seen, and to the counts.
const TABLE: [(u64, u64); 256] = table();

const fn table() -> [(u64, u64); 256] {
    let mut table = [(END, 0); 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = match byte as u8 {
            b'0'..=b'9' => (DIGIT, 1),
            b'a'..=b'f' => (LOWER, LETTER),
            b'g'..=b'z' => (LOWER | BEYOND_HEX, LETTER),
            b'A'..=b'F' => (UPPER, LETTER),
            b'G'..=b'Z' => (UPPER | BEYOND_HEX, LETTER),
            mark @ (b'!' | b'#' | b'$' | b'%' | b'&' | b'*' | b'+' | b'-' | b'.' | b'/' | b':' | b'='
            | b'?' | b'@' | b'\\' | b'^' | b'_' | b'~') => (bit(mark), 0),
            // Blanks, controls, brackets, quotation marks; and bytes of characters beyond ASCII: technical tokens are
            // written in ASCII.
            _ => (END, 0),
        };
        byte += 1;
    }
    table
}

/// The low six bits tell the marks apart that words can have.
const fn bit(mark: u8) -> u64 {
    1 << (mark & 63)
}

/// A set of marks.
#[derive(Clone, Copy)]
pub struct Marks(u64);

impl Marks {
    pub const fn of(marks: &[u8]) -> Self {
        let mut bits = 0;
        let mut at = 0;
        while at < marks.len() {
            bits |= bit(marks[at]);
            at += 1;
        }
        Self(bits)
    }
}

/// Whether a byte ends a word.
pub fn ends_word(byte: u8) -> bool {
    TABLE[usize::from(byte)].0 == END
}

impl Looks {
    /// The looks of the word that begins here, and its length.
    pub fn of_word(bytes: &[u8]) -> (Self, usize) {
        let mut looks = Self::default();
        for (length, byte) in bytes.iter().enumerate() {
            let (seen, counts) = TABLE[usize::from(*byte)];
            if seen == END {
                return (looks, length);
            }
            looks.seen |= seen;
            looks.counts += counts;
        }
        (looks, bytes.len())
    }

    /// The looks of a word or of a part of it.
    pub fn of(word: &[u8]) -> Self {
        Self::of_word(word).0
    }

    /// The same for words that look the same.
    pub fn fingerprint(self) -> u64 {
        self.seen ^ self.counts.rotate_left(8)
    }

    pub fn letters(self) -> usize {
        (self.counts >> 32) as usize
    }

    pub fn digits(self) -> usize {
        (self.counts & (LETTER - 1)) as usize
    }

    pub fn has_lower(self) -> bool {
        self.seen & LOWER != 0
    }

    /// Whether all letters are hexadecimal digits.
    pub fn is_hex(self) -> bool {
        self.seen & BEYOND_HEX == 0
    }

    /// Whether a mark, which is no letter or digit, occurs.
    pub fn has(self, mark: u8) -> bool {
        self.seen & bit(mark) != 0
    }

    /// Whether one of these occurs.
    pub fn has_any(self, marks: Marks) -> bool {
        self.seen & marks.0 != 0
    }

    /// Whether none but these occurs.
    pub fn has_only(self, marks: Marks) -> bool {
        self.seen & !(marks.0 | LOWER | UPPER | DIGIT | BEYOND_HEX) == 0
    }

    /// Four digits or fewer, in a word of this length: a quantity, a year, a part of a time.
    pub fn is_short_number(self, length: usize) -> bool {
        length < 5 && self.digits() == length
    }

    /// At a glance: small letters, and at most the punctuation of sentences.
    pub fn is_plain(self) -> bool {
        const PLAIN: u64 = LOWER | BEYOND_HEX | bit(b'!') | bit(b'?');
        self.seen & !PLAIN == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_words_have_bits_of_their_own() {
        let marks: Vec<u8> = (0..128).filter(|b: &u8| b.is_ascii_punctuation() && !ends_word(*b)).collect();
        let mut bits: std::collections::HashSet<u64> = marks.iter().map(|mark| bit(*mark)).collect();
        bits.extend([LOWER, UPPER, DIGIT, BEYOND_HEX, END]);
        assert_eq!((marks.len(), bits.len()), (18, 18 + 5));
    }

    #[test]
    fn one_look_counts_and_tells_marks() {
        let looks = Looks::of(b"aB-12.f");
        assert_eq!((looks.letters(), looks.digits()), (3, 2));
        assert!(looks.has(b'-') && looks.has(b'.') && !looks.has(b'/') && looks.has_only(Marks::of(b"-.")));
        assert!(looks.is_hex() && !Looks::of(b"g1").is_hex());
    }
}

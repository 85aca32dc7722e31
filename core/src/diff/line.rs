//! Lines with their line ends.

/// The lines of a text, each with its LF; the last may have none.
pub fn lines(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.split_inclusive('\n')
}

/// How many lines a text has.
pub fn count(text: &str) -> usize {
    lines(text).count()
}

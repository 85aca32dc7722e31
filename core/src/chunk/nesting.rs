//! Lists and quotes that one line nests too deep to mean it. The parser takes some 75 times such a line in memory.

/// How many lists and quotes a line may open or continue. Nobody reads text that is as deep.
const DEEPEST: usize = 100;

/// A document in which lines that nest deeper go on as text; none if it has no such line. All offsets stay the same.
pub fn without_deep_nesting(text: &str) -> Option<String> {
    let mut shallow: Option<Vec<u8>> = None;
    for line in long_lines(text.as_bytes()) {
        if let Some(marker) = marker_too_deep(&text.as_bytes()[line.clone()]) {
            let bytes = shallow.get_or_insert_with(|| text.as_bytes().to_vec());
            // A letter instead of the marker begins a paragraph.
            bytes[line.start + marker] = b'x';
        }
    }
    String::from_utf8(shallow?).ok()
}

/// Lines that are long enough to nest too deep.
fn long_lines(text: &[u8]) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
    let mut start = 0;
    let ends = memchr::memchr_iter(b'\n', text).chain([text.len()]);
    ends.map(move |end| std::mem::replace(&mut start, end + 1)..end).filter(|line| line.len() > DEEPEST)
}

/// Where the first marker stands that is too deep: `>`, a bullet, or a number, with blanks between them.
fn marker_too_deep(line: &[u8]) -> Option<usize> {
    let mut at = 0;
    for depth in 0.. {
        at += line[at..].iter().take_while(|b| is_blank(**b)).count();
        let length = marker_length(&line[at..])?;
        if depth == DEEPEST {
            break;
        }
        at += length;
    }
    // Bullets up to the end of the line are a thematic break.
    let last = line.iter().rfind(|b| !is_blank(**b))?;
    let is_rule = matches!(last, b'-' | b'*') && line[at..].iter().all(|b| b == last || is_blank(*b));
    (!is_rule).then_some(at)
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

/// The length of what opens a list or a quote.
fn marker_length(text: &[u8]) -> Option<usize> {
    let length = match text.first()? {
        b'>' => return Some(1),
        b'-' | b'*' | b'+' => 1,
        _ => {
            let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
            let is_number = digits > 0 && matches!(text.get(digits), Some(b'.' | b')'));
            is_number.then_some(digits + 1)?
        }
    };
    text.get(length).is_none_or(|after| is_blank(*after)).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::{BlockKind, Grouping, blocks};

    #[test]
    fn deep_nesting_is_text() {
        for marker in ["- ", "* ", "+\t", "> ", ">", "1. ", "23) ", "> 1.  - "] {
            let text = format!("{}x", marker.repeat(10_000));
            let shallow = without_deep_nesting(&text).unwrap();
            assert_eq!(shallow.len(), text.len());
            let changed: Vec<usize> =
                (0..text.len()).filter(|at| text.as_bytes()[*at] != shallow.as_bytes()[*at]).collect();
            assert!(changed.len() == 1 && changed[0] <= DEEPEST * marker.len(), "{marker}: {changed:?}");
            let found: Vec<_> = blocks(&text, Grouping::Packed).collect();
            assert!(found.len() == 1 && found[0].inner.len() <= 2 * DEEPEST + 1, "{marker}");
            assert_eq!(found[0].span, 0..text.len());
            assert!(matches!(found[0].kind, BlockKind::List | BlockKind::Quote));
        }
    }

    #[test]
    fn all_else_stays() {
        let as_deep_as_allowed = format!("{}x", "- ".repeat(DEEPEST));
        for text in [
            "- ".repeat(1_000),
            "* ".repeat(1_000),
            format!("> 1. {}", "- ".repeat(1_000)),
            "-".repeat(1_000),
            format!("word {}x", "- ".repeat(1_000)),
            "1.5 ".repeat(1_000),
            as_deep_as_allowed,
            format!("{}\n", "- x\n".repeat(1_000)),
        ] {
            assert_eq!(without_deep_nesting(&text), None, "{text}");
        }
    }
}

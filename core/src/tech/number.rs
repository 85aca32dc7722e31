//! Words without letters, numbers with units, and versions.

use super::Kind;
use super::looks::{Looks, Marks};

/// A number with fewer digits is a quantity.
const LONG_NUMBER: usize = 6;

/// Units of computing; `k` and the like only after three digits.
const UNITS: [&[u8]; 30] = [
    b"kB", b"KB", b"MB", b"GB", b"TB", b"PB", b"Kb", b"Mb", b"Gb", b"KiB", b"MiB", b"GiB", b"TiB", b"kb",
    b"mb", b"gb", b"ms", b"us", b"ns", b"kbps", b"Mbps", b"Gbps", b"Hz", b"kHz", b"MHz", b"GHz", b"k", b"K",
    b"M", b"G",
];

pub fn is_number(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

/// Words of digits and marks.
pub fn kind(word: &[u8], looks: Looks) -> Option<Kind> {
    let digits = looks.digits();
    if digits == word.len() {
        return if digits >= LONG_NUMBER { Some(Kind::Number) } else { super::code::sqlstate(word) };
    }
    if digits + 1 == word.len() && matches!(word[0], b'-' | b'+') {
        return (digits >= 4).then_some(Kind::Number);
    }
    if digits + 1 == word.len() && word[0] == b':' && (2..=5).contains(&digits) {
        return Some(Kind::Port);
    }
    if looks.has(b'.') && looks.has_only(const { Marks::of(b".+-") }) && is_version(word, false) {
        return Some(Kind::Version);
    }
    joined(word, looks).then_some(Kind::Number)
}

/// `1347369012-10.190.173.170-1444972147527`: digits in groups, one of them too long for a quantity, a date or a time; or
/// joined as no quantity is, `42_14`.
fn joined(word: &[u8], looks: Looks) -> bool {
    let long_group = || word.split(|b| !b.is_ascii_digit()).any(|group| group.len() >= LONG_NUMBER);
    word[0].is_ascii_digit()
        && looks.has_only(const { Marks::of(b"-_.") })
        && (looks.has(b'_') && looks.digits() >= 4 || looks.has(b'-') && long_group())
}

/// `1540k`, `126MB`, `80x25`, `1s0ms`, `125312k/129720k`.
pub fn is_quantity(word: &[u8], looks: Looks) -> bool {
    if !word.first().is_some_and(u8::is_ascii_digit) || !looks.has_only(const { Marks::of(b"/") }) {
        return false;
    }
    let mut parts = word.split(|b| *b == b'/');
    parts.all(|part| {
        let (number, unit) = part.split_at(count_digits(part));
        (UNITS.contains(&unit) && (unit.len() > 1 || number.len() >= 3))
            || (number.len() >= 2 && unit.len() >= 3 && unit[0] == b'x' && is_number(&unit[1..]))
            || is_duration(part)
    })
}

/// `1s0ms`, `2h30m`: two numbers with units of time or more.
fn is_duration(mut text: &[u8]) -> bool {
    let mut pairs = 0;
    while !text.is_empty() {
        let digits = count_digits(text);
        let rest = &text[digits..];
        let unit = rest.iter().take_while(|b| b.is_ascii_lowercase()).count();
        if digits == 0 || !matches!(&rest[..unit], b"d" | b"h" | b"m" | b"min" | b"s" | b"ms" | b"us" | b"ns")
        {
            return false;
        }
        text = &rest[unit..];
        pairs += 1;
    }
    pairs >= 2
}

fn count_digits(text: &[u8]) -> usize {
    text.iter().take_while(|b| b.is_ascii_digit()).count()
}

/// `1.2.3`, `v2.1`, `2026.01`, `1.0-rc1`; a decimal number only where a version is expected.
pub fn is_version(word: &[u8], expected: bool) -> bool {
    let bare = word.strip_prefix(b"v").or_else(|| word.strip_prefix(b"V")).unwrap_or(word);
    if !bare.first().is_some_and(u8::is_ascii_digit) {
        return false;
    }
    let marked = bare.len() < word.len();
    let end = bare.iter().position(|b| matches!(b, b'-' | b'+')).unwrap_or(bare.len());
    let (core, tail) = bare.split_at(end);
    let mut parts = 0;
    for part in core.split(|b| *b == b'.') {
        let sound = if parts < 2 { is_number(part) } else { is_label(part) };
        if !sound {
            return false;
        }
        parts += 1;
    }
    if !tail.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'+' | b'.')) || is_date(core) {
        return false;
    }
    let named_tail = tail.iter().any(u8::is_ascii_alphabetic);
    let dated = parts == 2 && core.len() == 7 && core[4] == b'.' && core.starts_with(b"20");
    expected || parts >= 3 || dated || parts == 2 && (marked || named_tail)
}

fn is_label(part: &[u8]) -> bool {
    !part.is_empty() && part.iter().all(u8::is_ascii_alphanumeric)
}

/// `18.10.2015`
fn is_date(text: &[u8]) -> bool {
    let mut parts = text.rsplit(|b| *b == b'.');
    let year = parts.next().is_some_and(|year| year.len() == 4 && matches!(&year[..2], b"19" | b"20"));
    let rest = parts.clone().count();
    year && rest == 2 && parts.all(|part| part.len() <= 2)
}

//! Text to the pieces that tokens do not cross: the pattern of cl100k_base, by hand.
//!
//! `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// The pieces of a text, in order; together they are the text.
pub fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let length = first_piece(rest)?;
        let (piece, after) = rest.split_at(length);
        rest = after;
        Some(piece)
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Letter,
    Number,
    Newline,
    Space,
    Other,
}

fn class(c: char) -> Class {
    match u8::try_from(c) {
        Ok(byte) if byte.is_ascii() => ASCII_CLASS[usize::from(byte)],
        _ if c.is_whitespace() => Class::Space,
        _ => match c.general_category_group() {
            GeneralCategoryGroup::Letter => Class::Letter,
            GeneralCategoryGroup::Number => Class::Number,
            _ => Class::Other,
        },
    }
}

/// Most text is ASCII, and its bytes can be looked at without decoding.
static ASCII_CLASS: [Class; 128] = {
    let mut classes = [Class::Other; 128];
    let mut byte = 0;
    while byte < 128 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' | b'A'..=b'Z' => Class::Letter,
            b'0'..=b'9' => Class::Number,
            b'\n' | b'\r' => Class::Newline,
            b' ' | b'\t' | 0xb | 0xc => Class::Space,
            _ => Class::Other,
        };
        byte += 1;
    }
    classes
};

fn first_piece(text: &str) -> Option<usize> {
    let first = text.chars().next()?;
    let after = first.len_utf8();
    let second = text[after..].chars().next().map(class);
    if first == '\''
        && let Some(length) = contraction(&text[after..])
    {
        return Some(after + length);
    }
    Some(match (class(first), second) {
        (Class::Letter, _) => run(text, 0, |c| c == Class::Letter),
        (Class::Space | Class::Other, Some(Class::Letter)) => run(text, after, |c| c == Class::Letter),
        (Class::Number, _) => text
            .char_indices()
            .take(3)
            .take_while(|(_, c)| class(*c) == Class::Number)
            .last()
            .map_or(after, |(at, c)| at + c.len_utf8()),
        (Class::Other, _) => with_newlines(text, run(text, 0, |c| c == Class::Other)),
        (Class::Space, Some(Class::Other)) if first == ' ' => {
            with_newlines(text, run(text, after, |c| c == Class::Other))
        }
        (Class::Space | Class::Newline, _) => white_space(text),
    })
}

/// The length of what follows an apostrophe, if it is a contraction. The long s folds to s.
fn contraction(rest: &str) -> Option<usize> {
    let mut chars = rest.chars();
    let first = chars.next()?;
    match first.to_ascii_lowercase() {
        's' | 't' | 'm' | 'd' => return Some(1),
        'ſ' => return Some(first.len_utf8()),
        _ => {}
    }
    let second = chars.next()?.to_ascii_lowercase();
    matches!((first.to_ascii_lowercase(), second), ('r' | 'v', 'e') | ('l', 'l')).then_some(2)
}

/// The end of the characters of a class that begin at an offset.
fn run(text: &str, from: usize, belongs: impl Fn(Class) -> bool) -> usize {
    let bytes = text.as_bytes();
    let mut at = from;
    loop {
        match bytes.get(at) {
            None => return at,
            Some(byte) if byte.is_ascii() => {
                if !belongs(ASCII_CLASS[usize::from(*byte)]) {
                    return at;
                }
                at += 1;
            }
            Some(_) => match text[at..].chars().next() {
                Some(c) if belongs(class(c)) => at += c.len_utf8(),
                _ => return at,
            },
        }
    }
}

fn with_newlines(text: &str, end: usize) -> usize {
    run(text, end, |c| c == Class::Newline)
}

/// White space up to its last newline, if it has one; else all but the last character, which goes with what follows.
fn white_space(text: &str) -> usize {
    let end = run(text, 0, |c| matches!(c, Class::Space | Class::Newline));
    if let Some(newline) = text[..end].rfind(['\n', '\r']) {
        return newline + 1;
    }
    if end == text.len() {
        return end;
    }
    match text[..end].char_indices().next_back() {
        Some((last, _)) if last > 0 => last,
        _ => end,
    }
}

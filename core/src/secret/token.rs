//! Secrets that are known by their form alone.

use std::ops::Range;

use super::value;

/// The shortest line of a private key, in characters of base64. Less is a placeholder, or prose.
const SHORTEST_KEY: usize = 40;

/// What a token is made of.
#[derive(Clone, Copy)]
pub enum Alphabet {
    /// Capitals and 2 to 7.
    Base32,
    /// Letters and digits.
    Alphanumeric,
    /// Letters, digits, `-` and `_`.
    Base64Url,
    /// Letters, digits and `/`.
    Path,
}

impl Alphabet {
    fn has(self, b: u8) -> bool {
        match self {
            Self::Base32 => matches!(b, b'A'..=b'Z' | b'2'..=b'7'),
            Self::Alphanumeric => b.is_ascii_alphanumeric(),
            Self::Base64Url => is_base64_url(b),
            Self::Path => b.is_ascii_alphanumeric() || b == b'/',
        }
    }
}

/// What follows the prefix of a token.
#[derive(Clone, Copy)]
pub struct Form {
    /// What it is made of.
    pub alphabet: Alphabet,
    /// How long it is at least.
    pub shortest: usize,
    /// How long it is at most.
    pub longest: usize,
}

/// A token that stands alone: prefix and body.
pub fn token(text: &[u8], prefix: Range<usize>, form: Form) -> Option<Range<usize>> {
    if prefix.start > 0 && is_base64_url(text[prefix.start - 1]) {
        return None;
    }
    let body = &text[prefix.end..];
    let length = body.iter().take(form.longest + 1).take_while(|b| form.alphabet.has(**b)).count();
    let goes_on = body.get(length).is_some_and(|b| b.is_ascii_alphanumeric());
    let fits = (form.shortest..=form.longest).contains(&length) && !goes_on;
    let body = &body[..length];
    // In base32 a fifth of all characters are digits, too few to ask for them.
    let random = matches!(form.alphabet, Alphabet::Base32) || body.iter().any(u8::is_ascii_digit);
    let is_token = fits && random && value::is_varied(body) && !value::is_placeholder(body);
    is_token.then(|| prefix.start..prefix.end + length)
}

/// Three parts of base64url with points between them, the first two of them JSON objects.
pub fn jwt(text: &[u8], start: Range<usize>) -> Option<Range<usize>> {
    if start.start > 0 && (is_base64_url(text[start.start - 1]) || text[start.start - 1] == b'.') {
        return None;
    }
    let header = part_end(text, start.start);
    let payload = text[header..].starts_with(b".eyJ").then(|| part_end(text, header + 1))?;
    let signature = (text.get(payload) == Some(&b'.')).then(|| part_end(text, payload + 1))?;
    let long_enough = header - start.start >= 16 && payload - header >= 12 && signature - payload >= 24;
    long_enough.then_some(start.start..signature)
}

fn part_end(text: &[u8], from: usize) -> usize {
    from + text[from..].iter().take_while(|b| is_base64_url(**b)).count()
}

/// From `-----BEGIN ... PRIVATE KEY-----` to its end, or to the last line of the key where the end is cut off.
pub fn pem(text: &[u8], begin: Range<usize>) -> Option<Range<usize>> {
    let label = &text[begin.end..text.len().min(begin.end + 40)];
    let label = &label[..label.windows(5).position(|window| window == b"-----")?];
    if !(label.ends_with(b"PRIVATE KEY") || label == b"PGP PRIVATE KEY BLOCK") {
        return None;
    }
    let start = begin.end + label.len() + 5;
    // Up to the next dashes, so that no text is looked at twice.
    let rest = &text[start..];
    let body = &rest[..rest.windows(5).position(|window| window == b"-----").unwrap_or(rest.len())];
    let last_line = last_key_line(body)?;
    let end_mark = [b"-----END ", label, b"-----"].concat();
    let is_ended = rest[body.len()..].starts_with(&end_mark);
    let length = if is_ended { body.len() + end_mark.len() } else { last_line };
    Some(begin.start..start + length)
}

/// Where the last line of base64 ends that is long enough to be a key's.
fn last_key_line(body: &[u8]) -> Option<usize> {
    let mut end = 0;
    let lines = body.split(|b| !(b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=')));
    let ends = lines.map(|line| {
        end += line.len() + 1;
        (line.len(), end - 1)
    });
    ends.filter(|(length, _)| *length >= SHORTEST_KEY).map(|(_, end)| end).last()
}

fn is_base64_url(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_')
}

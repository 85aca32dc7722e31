//! Secrets that stand behind a name.

use std::ops::Range;

use super::value;

/// Blanks around a sign of assignment.
const MOST_BLANKS: usize = 16;

/// Longer values are data.
const LONGEST_VALUE: usize = 256;

/// What the name that ends here is set to: `DB_PASSWORD=...`, `"apiKey": "..."`, `secret := '...'`.
pub fn assigned(text: &[u8], name: Range<usize>) -> Option<Range<usize>> {
    let mut at = name.end;
    if matches!(text.get(at), Some(b'"' | b'\'' | b'`')) {
        at += 1;
    }
    at = skip_blanks(text, at);
    let sign = [&b":="[..], b"=>", b"=", b":"].into_iter().find(|sign| text[at..].starts_with(sign))?;
    at = skip_blanks(text, at + sign.len());
    let quote = text.get(at).copied().filter(|b| matches!(b, b'"' | b'\'' | b'`'));
    let start = at + usize::from(quote.is_some());
    let rest = &text[start..text.len().min(start + LONGEST_VALUE + 1)];
    let length = match quote {
        Some(quote) => rest.iter().position(|b| *b == quote || matches!(b, b'\n' | b'\r'))?,
        None => (0..rest.len()).find(|at| ends_value(&rest[*at..])).unwrap_or(rest.len()),
    };
    let value = &rest[..length];
    (length <= LONGEST_VALUE && value::is_secret(value)).then(|| start..start + length)
}

/// The token behind `Bearer` or `Authorization: Basic`.
pub fn header(text: &[u8], scheme: Range<usize>) -> Option<Range<usize>> {
    if scheme.start > 0 && text[scheme.start - 1].is_ascii_alphanumeric() {
        return None;
    }
    let of_token =
        |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_' | b'~' | b'+' | b'/' | b'=');
    let length = text[scheme.end..].iter().take(4096).take_while(of_token).count();
    let value = &text[scheme.end..scheme.end + length];
    // What a sentence ends with.
    let value = value.strip_suffix(b".").unwrap_or(value);
    // `Basic` is always followed by base64; `bearer` is also a word.
    let is_basic = text[scheme.clone()].to_ascii_lowercase().ends_with(b"basic ");
    let is_random = if is_basic { value::is_varied(value) } else { value::looks_random(value) };
    let is_token = value.len() >= 16 && is_random && !value::is_placeholder(value);
    is_token.then(|| scheme.end..scheme.end + value.len())
}

fn skip_blanks(text: &[u8], from: usize) -> usize {
    from + text[from..].iter().take(MOST_BLANKS).take_while(|b| matches!(b, b' ' | b'\t')).count()
}

fn ends_value(rest: &[u8]) -> bool {
    match rest {
        // The next setting of a query: an ampersand alone may be in a password.
        [b'&', next @ ..] => {
            let name = next
                .iter()
                .take(32)
                .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
                .count();
            name > 0 && next.get(name) == Some(&b'=')
        }
        [b, ..] => b.is_ascii_whitespace() || b",;)\"'`<>|}]".contains(b),
        [] => true,
    }
}

//! Passwords in URLs and connection strings.

use std::ops::Range;

use super::value;

/// Longer than any name and password.
const LONGEST_USER_INFO: usize = 512;

/// The password of `scheme://name:password@host`.
pub fn password(text: &[u8], slashes: Range<usize>) -> Option<Range<usize>> {
    let has_scheme = slashes.start > 0 && text[slashes.start - 1].is_ascii_alphanumeric();
    let rest = &text[slashes.end..text.len().min(slashes.end + LONGEST_USER_INFO)];
    // A slash or a blank ends the authority; a password that has one must be written with a percent sign.
    let ends = |b: &u8| {
        b.is_ascii_whitespace() || matches!(b, b'/' | b'?' | b'#' | b'"' | b'\'' | b'`' | b'<' | b'>')
    };
    let authority = rest.iter().position(ends).map_or(rest, |end| &rest[..end]);
    let at = authority.iter().rposition(|b| *b == b'@')?;
    let colon = authority[..at].iter().position(|b| *b == b':')?;
    let password = &authority[colon + 1..at];
    let host = &authority[at + 1..];
    let is_secret = has_scheme
        && host.first().is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'[')
        && password.len() >= 4
        && password != &authority[..colon]
        && !value::is_placeholder(password);
    is_secret.then(|| slashes.end + colon + 1..slashes.end + at)
}

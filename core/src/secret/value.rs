//! Whether a value was made to be guessed by nobody.

/// Bits per character that a short random value has at least; prose and names have less.
const LEAST_ENTROPY: f64 = 2.8;

/// Words that stand where a secret would.
const PLACEHOLDERS: [&str; 19] = [
    "example",
    "password",
    "passwd",
    "changeme",
    "change_me",
    "change-me",
    "secret",
    "your",
    "placeholder",
    "redacted",
    "dummy",
    "xxxx",
    "***",
    "...",
    "foobar",
    "hunter2",
    "sample",
    "insert",
    "replace",
];

/// Whether a value that is assigned to a name such as `password` is one: long enough, mixed, and neither a reference, a path,
/// a name in code nor a placeholder.
pub fn is_secret(value: &[u8]) -> bool {
    value.len() >= 8
        && value.iter().all(u8::is_ascii_graphic)
        && looks_random(value)
        && !is_reference(value)
        && !is_placeholder(value)
}

/// Letters and digits, of which many are different.
pub fn looks_random(value: &[u8]) -> bool {
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    let letters = value.iter().filter(|b| b.is_ascii_alphabetic()).count();
    digits >= 2 && letters >= 2 && is_varied(value)
}

/// Many different characters.
pub fn is_varied(value: &[u8]) -> bool {
    entropy(value) >= LEAST_ENTROPY
}

/// The entropy of the characters of a value, in bits per character.
fn entropy(value: &[u8]) -> f64 {
    let mut counts = [0u32; 256];
    value.iter().for_each(|b| counts[usize::from(*b)] += 1);
    let all = value.len() as f64;
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| f64::from(*count) / all)
        .map(|p| -p * p.log2())
        .sum()
}

/// Something that is looked up elsewhere, or is no secret by its form: a variable, a path, a URL, a call, a uuid, a digest.
fn is_reference(value: &[u8]) -> bool {
    let has = |part: &[u8]| value.windows(part.len()).any(|window| window == part);
    matches!(value[0], b'$' | b'%' | b'{' | b'[' | b'<' | b'(' | b'/' | b'.' | b'~' | b'@' | b'*' | b'-')
        || has(b"://")
        || has(b"::")
        || has(b"(")
        || has(b"[")
        || has(b"${")
        || has(b"{{")
        || value.starts_with(b"sha256:")
        || is_uuid(value)
        || is_name(value)
        || is_object(value)
}

/// An object as Java prints it: `Token{a64f992`, `os.Proxy@2bd79ce`.
fn is_object(value: &[u8]) -> bool {
    let at = value.iter().position(|b| matches!(b, b'{' | b'@'));
    at.is_some_and(|at| is_name(&value[..at]) && value[at + 1..].iter().all(u8::is_ascii_hexdigit))
}

fn is_uuid(value: &[u8]) -> bool {
    value.len() == 36
        && value
            .iter()
            .enumerate()
            .all(|(at, b)| if matches!(at, 8 | 13 | 18 | 23) { *b == b'-' } else { b.is_ascii_hexdigit() })
}

/// Words of letters, or of digits, with `-`, `_`, `.`, `/` or `:` between them: `my-app-2`, `v1.secrets/db`, `bot_2024`.
fn is_name(value: &[u8]) -> bool {
    let parts = value.split(|b| matches!(b, b'-' | b'_' | b'.' | b'/' | b':'));
    parts.into_iter().all(|part| {
        let letters = part.iter().take_while(|b| b.is_ascii_alphabetic()).count();
        let digits = &part[letters..];
        digits.len() <= 4 && digits.iter().all(u8::is_ascii_digit)
    })
}

/// Whether a value says of itself that it is none.
pub fn is_placeholder(value: &[u8]) -> bool {
    let lower = value.to_ascii_lowercase();
    let contains = |word: &str| lower.windows(word.len()).any(|window| window == word.as_bytes());
    matches!(value.first(), None | Some(b'$' | b'<' | b'{' | b'[' | b'%' | b'*'))
        || PLACEHOLDERS.iter().any(|word| contains(word))
        || matches!(
            &lower[..],
            b"pass" | b"pwd" | b"user" | b"postgres" | b"root" | b"admin" | b"test" | b"guest"
        )
}

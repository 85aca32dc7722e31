//! What a word is by its looks.

use super::looks::{Looks, Marks};
use super::number::{is_number, is_quantity, is_version};
use super::{Kind, address, code, name, number, path};

/// Longer words are data, not names: their parts are looked at, they themselves are not tokens.
pub const LONGEST_TOKEN: usize = 512;

/// What the word is, if it is technical as a whole.
pub fn kind(word: &[u8], looks: Looks) -> Option<Kind> {
    let (letters, digits) = (looks.letters(), looks.digits());
    if letters + digits < 2 || word.len() > LONGEST_TOKEN {
        return None;
    }
    if letters == word.len() {
        return only_letters(word);
    }
    if letters == 0 && looks.has_only(const { Marks::of(b":.-+_") }) {
        // Dates, times and numbers, of which logs are full.
        return if looks.has_any(const { Marks::of(b".:") }) {
            address::of_network(word, looks)
        } else {
            None
        }
        .or_else(|| number::kind(word, looks));
    }
    if looks.has_any(const { Marks::of(b":=@-./\\") })
        && let Some(kind) = marked(word, looks)
    {
        return kind;
    }
    if letters == 0 {
        return number::kind(word, looks);
    }
    if digits > 0
        && let Some(kind) = numbered(word, looks)
    {
        return Some(kind);
    }
    name::kind(word, looks)
}

fn only_letters(word: &[u8]) -> Option<Kind> {
    if code::is_system_name(word) {
        Some(Kind::ErrorCode)
    } else if path::is_file_name(word) {
        Some(Kind::Path)
    } else {
        name::is_camel_case(word).then_some(Kind::Identifier)
    }
}

/// Words whose marks tell what they are; the inner none says that they are nothing.
fn marked(word: &[u8], looks: Looks) -> Option<Option<Kind>> {
    if looks.has(b':') && looks.has(b'/') && word.windows(3).any(|three| three == b"://") {
        return Some(Some(Kind::Url));
    }
    if looks.has(b'=') {
        return Some(is_setting(word).then_some(Kind::Setting));
    }
    if looks.has(b'@') {
        return Some(address::at_sign(word));
    }
    if looks.has(b'-') && address::is_uuid(word) {
        return Some(Some(Kind::Uuid));
    }
    if let Some(kind) = address::of_network(word, looks) {
        return Some(Some(kind));
    }
    if looks.has(b':')
        && let Some(kind) = with_colon(word, looks)
    {
        return Some(Some(kind));
    }
    if looks.has_any(const { Marks::of(b"/\\") })
        && let Some(kind) = path::kind(word)
    {
        return Some(Some(kind));
    }
    if looks.letters() > 0
        && let [b'-', rest @ ..] = word
    {
        return flag(rest).map(Some);
    }
    None
}

/// `user.name=zookeeper`
fn is_setting(word: &[u8]) -> bool {
    let Some(equals) = word.iter().position(|b| *b == b'=') else { return false };
    let (key, value) = (&word[..equals], &word[equals + 1..]);
    let sound = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-');
    key.iter().any(u8::is_ascii_alphabetic)
        && key.iter().all(sound)
        && !value.is_empty()
        && !value.contains(&b'=')
}

fn with_colon(word: &[u8], looks: Looks) -> Option<Kind> {
    if looks.has(b'.') && path::is_place_in_file(word) {
        return Some(Kind::Frame);
    }
    if address::is_host_with_port(word) {
        return Some(Kind::HostName);
    }
    if address::is_pci(word) {
        return Some(Kind::Identifier);
    }
    // `PopupWindow:6ac503e`, `nginx:1.25.3`: a name, and which of them.
    let colon = word.iter().position(|b| *b == b':')?;
    let (before, which) = (&word[..colon], &word[colon + 1..]);
    let named = before.len() >= 2
        && before[0].is_ascii_alphabetic()
        && before.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'));
    let told = !which.contains(&b':') && !which.contains(&b'/') && kind(which, Looks::of(which)).is_some();
    (named && told).then_some(Kind::Identifier)
}

/// After the first dash: `--dry-run`, `-Xmx4g`; a short one of small letters only is too common to tell anything.
fn flag(rest: &[u8]) -> Option<Kind> {
    let long = rest.strip_prefix(b"-").is_some_and(|name| name.first().is_some_and(u8::is_ascii_alphabetic));
    let of_java = rest.len() >= 3
        && rest[0].is_ascii_uppercase()
        && rest.iter().all(u8::is_ascii_alphanumeric)
        && rest.iter().skip(1).any(u8::is_ascii_lowercase);
    (long || of_java).then_some(Kind::Flag)
}

/// Words with digits that follow a scheme.
fn numbered(word: &[u8], looks: Looks) -> Option<Kind> {
    if looks.has(b'-')
        && let Some(kind) = code::dashed(word)
    {
        return Some(kind);
    }
    if looks.has(b'.') && is_version(word, false) {
        return Some(Kind::Version);
    }
    if looks.has_only(const { Marks::of(b"") })
        && (code::is_compiler_code(word) || code::is_lettered_sqlstate(word) || code::is_system_name(word))
    {
        return Some(Kind::ErrorCode);
    }
    let unsigned = word.strip_prefix(b"-").or_else(|| word.strip_prefix(b"+")).unwrap_or(word);
    if is_quantity(unsigned, looks)
        || unsigned.len() < word.len() && is_quantity(unsigned, Looks::of(unsigned))
    {
        return Some(Kind::Quantity);
    }
    if let Some(hex) = unsigned.strip_prefix(b"0x").or_else(|| unsigned.strip_prefix(b"0X"))
        && !hex.is_empty()
        && hex.iter().all(u8::is_ascii_hexdigit)
    {
        return Some(code::hexadecimal(hex));
    }
    let is_hash =
        looks.is_hex() && (7..=128).contains(&unsigned.len()) && unsigned.iter().all(u8::is_ascii_hexdigit);
    (is_hash && !is_number(unsigned)).then_some(Kind::Hash)
}

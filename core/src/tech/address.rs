//! Addresses of machines, people and pages.

use super::Kind;
use super::looks::{Looks, Marks};
use super::number::{is_number, is_version};

/// Top-level domains and internal suffixes that make two labels a host name.
const HOST_SUFFIXES: [&[u8]; 20] = [
    b"com",
    b"org",
    b"net",
    b"io",
    b"dev",
    b"gov",
    b"edu",
    b"de",
    b"uk",
    b"nl",
    b"fr",
    b"cn",
    b"jp",
    b"tw",
    b"ru",
    b"local",
    b"internal",
    b"lan",
    b"cloud",
    b"ai",
];

/// Whether the last label of a dotted name is that of a host.
pub fn is_host_suffix(label: &[u8]) -> bool {
    HOST_SUFFIXES.iter().any(|suffix| label.eq_ignore_ascii_case(suffix))
}

/// `ana@example.com`, `lodash@4.17.21`, `git@host:22`.
pub fn at_sign(word: &[u8]) -> Option<Kind> {
    let at = word.iter().rposition(|b| *b == b'@')?;
    let (before, after) = (&word[..at], &word[at + 1..]);
    if before.is_empty() || after.is_empty() {
        return None;
    }
    if is_version(after, true) {
        return Some(Kind::Package);
    }
    let (host, port) = at_colon(after);
    let host_like =
        host.contains(&b'.') && host.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-'));
    (host_like && port.is_none_or(is_number)).then_some(Kind::Email)
}

/// Before and after the first colon.
fn at_colon(text: &[u8]) -> (&[u8], Option<&[u8]>) {
    match text.iter().position(|b| *b == b':') {
        Some(colon) => (&text[..colon], Some(&text[colon + 1..])),
        None => (text, None),
    }
}

/// Of the network: IPv4 and IPv6, with a port or a prefix length, and MAC.
pub fn of_network(word: &[u8], looks: Looks) -> Option<Kind> {
    if word.len() == 17 && looks.is_hex() && is_mac(word) {
        return Some(Kind::MacAddress);
    }
    if looks.has(b'.') && looks.digits() >= 4 && is_ipv4(word) {
        return Some(Kind::IpAddress);
    }
    (looks.has(b':')
        && looks.is_hex()
        && word.len() > 2
        && looks.has_only(const { Marks::of(b":./") })
        && is_ipv6(word))
    .then_some(Kind::IpAddress)
}

fn is_mac(word: &[u8]) -> bool {
    let separator = word[2];
    matches!(separator, b':' | b'-')
        && word
            .iter()
            .enumerate()
            .all(|(i, b)| if i % 3 == 2 { *b == separator } else { b.is_ascii_hexdigit() })
}

fn is_ipv4(word: &[u8]) -> bool {
    let end = word.iter().position(|b| matches!(b, b'/' | b':')).unwrap_or(word.len());
    let rest = &word[end..];
    let mut octets = 0;
    for part in word[..end].split(|b| *b == b'.') {
        let small = part.len() <= 3
            && is_number(part)
            && part.iter().fold(0, |n, b| n * 10 + u32::from(b - b'0')) < 256;
        if !small || octets == 4 {
            return false;
        }
        octets += 1;
    }
    octets == 4 && (rest.is_empty() || rest.len() == 1 || is_number(&rest[1..]))
}

fn is_ipv6(word: &[u8]) -> bool {
    let address = word.split(|b| *b == b'/').next().unwrap_or_default();
    // A time of the day has two colons: an address has seven, or two that stand together.
    let colons = address.iter().filter(|b| **b == b':').count();
    (colons >= 6 || colons >= 2 && address.windows(2).any(|pair| pair == b"::"))
        && std::str::from_utf8(address).is_ok_and(|text| text.parse::<std::net::Ipv6Addr>().is_ok())
}

/// `0000:00:1f.0`: a device of PCI.
pub fn is_pci(word: &[u8]) -> bool {
    word.len() == 12
        && word.iter().enumerate().all(|(i, b)| match i {
            4 | 7 => *b == b':',
            10 => *b == b'.',
            _ => b.is_ascii_hexdigit(),
        })
}

/// `localhost:8080`, `db-1.example.com:5432`.
pub fn is_host_with_port(word: &[u8]) -> bool {
    let (host, Some(port)) = at_colon(word) else { return false };
    let label = host.rsplit(|b| *b == b'.').next().unwrap_or_default();
    (2..=5).contains(&port.len())
        && is_number(port)
        && host.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-'))
        && (host == b"localhost" || label.len() < host.len() && is_host_suffix(label))
}

pub fn is_uuid(word: &[u8]) -> bool {
    word.len() == 36
        && word
            .iter()
            .enumerate()
            .all(|(i, b)| if matches!(i, 8 | 13 | 18 | 23) { *b == b'-' } else { b.is_ascii_hexdigit() })
}

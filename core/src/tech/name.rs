//! Names of things in programs and networks.

use super::Kind;
use super::looks::{Looks, Marks};
use super::number::is_number;
use super::{address, path};

/// Last words of names with dashes that prose has not.
const SERVICE_WORDS: [&[u8]; 18] = [
    b"svc",
    b"api",
    b"db",
    b"proxy",
    b"controller",
    b"operator",
    b"worker",
    b"daemon",
    b"prod",
    b"staging",
    b"scheduler",
    b"apiserver",
    b"kubelet",
    b"cli",
    b"sdk",
    b"exporter",
    b"gateway",
    b"sidecar",
];

/// `getValue`, `onCreate`, `NullPointerException`, `ListView`, `NSString`; not `McCain`, `iPhone` or `PostgreSQL`, which
/// people write about.
pub fn is_camel_case(word: &[u8]) -> bool {
    if word.len() < 6 || !word[word.len() - 1].is_ascii_lowercase() {
        return false;
    }
    let is_hump = |pair: &[u8]| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase();
    let mut humps = word.windows(2).enumerate().filter(|(_, pair)| is_hump(pair)).map(|(place, _)| place);
    match (humps.next(), humps.next()) {
        (Some(_), Some(_)) => true,
        (Some(first), None) if word[0].is_ascii_lowercase() => first >= 1,
        (Some(first), None) => first >= 2 && word.len() >= 8,
        (None, _) => {
            let capitals = word.iter().take_while(|b| b.is_ascii_uppercase()).count();
            capitals >= 2 && word.len() - capitals >= 3
        }
    }
}

/// `snake_case`, `UPPER_CASE`, `a::b`, `a.b.c`, `Outer$Inner`, `node-12`.
pub fn kind(word: &[u8], looks: Looks) -> Option<Kind> {
    if !looks.has_only(const { Marks::of(b"_-.:$#/\\+@%~") }) {
        return None;
    }
    if looks.has(b'_') && has_inner_underscore(word) {
        let constant = !looks.has_lower() && !looks.has(b'.');
        return Some(if constant { Kind::Variable } else { Kind::Identifier });
    }
    if looks.has(b':') && looks.letters() > 1 && word.windows(2).any(|pair| pair == b"::") {
        return Some(Kind::Identifier);
    }
    if looks.has(b'$') && looks.letters() > 1 {
        return dollar(word);
    }
    if looks.has(b'.') {
        return dotted(word, looks);
    }
    if looks.has(b'-') && looks.digits() == 0 {
        return is_service_name(word).then_some(Kind::Identifier);
    }
    // `node-12`, `storage343`; not `20-year-old`, `mid-1990s`, `B2B`.
    let decade = word.len() > 1 && word.ends_with(b"s") && word[word.len() - 2].is_ascii_digit();
    let numbered = looks.digits() > 0 && word.len() >= 4 && !decade && !looks.has(b':');
    (numbered && word[0].is_ascii_alphabetic()).then_some(Kind::Identifier)
}

fn has_inner_underscore(word: &[u8]) -> bool {
    word.windows(3).any(|w| {
        w[1] == b'_' && w[0].is_ascii_alphanumeric() && (w[2].is_ascii_alphanumeric() || w[2] == b'-')
    })
}

/// `Outer$Inner`; `$HOME` and `$scope.apply`, but not `$5m`.
fn dollar(word: &[u8]) -> Option<Kind> {
    match word {
        [b'$', first, ..] => (first.is_ascii_alphabetic() && word.len() >= 4).then_some(Kind::Variable),
        _ => Some(Kind::Identifier),
    }
}

/// `payments-api`, `kube-scheduler`.
fn is_service_name(word: &[u8]) -> bool {
    let last = word.rsplit(|b| *b == b'-').next().unwrap_or_default();
    word[0].is_ascii_lowercase() && last.len() + 3 < word.len() && SERVICE_WORDS.contains(&last)
}

fn dotted(word: &[u8], looks: Looks) -> Option<Kind> {
    let (mut parts, mut long_parts, mut keys, mut camel) = (0, 0, 0, false);
    let (mut first, mut last): (&[u8], &[u8]) = (b"", b"");
    for part in word.split(|b| *b == b'.') {
        if part.is_empty()
            || !part.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'$' | b'+'))
        {
            return None;
        }
        if parts == 0 {
            first = part;
        }
        last = part;
        parts += 1;
        long_parts += usize::from(part.len() >= 2);
        let capital = usize::from(parts == 1 && part[0].is_ascii_uppercase());
        keys += usize::from(part.len() >= 3 && part[capital..].iter().all(u8::is_ascii_lowercase));
        camel = camel || is_camel_case(part);
    }
    // `No.7`, `fig.3`
    if parts == 2 && first.len() <= 3 && first.iter().all(u8::is_ascii_alphabetic) && is_number(last) {
        return None;
    }
    if first.len() > 1 && address::is_host_suffix(last) {
        return Some(Kind::HostName);
    }
    if (first.len() > 1 || last.len() > 1) && path::is_file_ending(last) {
        return Some(Kind::Path);
    }
    let technical = camel || looks.digits() > 0;
    // `user.name`, `Client.send`; where a blank is missing after a full stop, a capital follows.
    let key = parts == 2 && keys == 2;
    // `U.S.A.` and `e.g.` are prose: names have parts of two letters or more.
    let long = parts >= 3 && long_parts >= 2;
    (key || long || technical && long_parts >= 1).then_some(Kind::Identifier)
}

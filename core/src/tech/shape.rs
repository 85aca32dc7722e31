//! What a word is by its looks.

use super::Kind;
use super::looks::Looks;

/// Top-level domains and internal suffixes that make two labels a host name.
const HOST_SUFFIXES: [&str; 20] = [
    "com", "org", "net", "io", "dev", "gov", "edu", "de", "uk", "nl", "fr", "cn", "jp", "tw", "ru", "local",
    "internal", "lan", "cloud", "ai",
];

/// Endings of file names.
const FILE_ENDINGS: [&str; 34] = [
    "rs", "py", "js", "ts", "go", "java", "rb", "c", "h", "cpp", "cs", "sql", "sh", "md", "txt", "log",
    "json", "yaml", "yml", "toml", "xml", "html", "css", "conf", "cfg", "ini", "so", "dll", "exe", "jar",
    "csv", "tar", "gz", "zip",
];

/// What the word is, if it is technical as a whole.
pub fn kind(word: &str, looks: Looks) -> Option<Kind> {
    let Looks { digits, letters, .. } = looks;
    if letters + digits < 2 {
        return None;
    }
    if letters == word.len() {
        return only_letters(word);
    }
    if looks.has(b':') && word.contains("://") {
        return Some(Kind::Url);
    }
    if looks.has(b'=') {
        return None;
    }
    if looks.has(b'@') {
        return at_sign(word);
    }
    if looks.has(b'-') && is_uuid(word) {
        return Some(Kind::Uuid);
    }
    if looks.has_any(b":.-")
        && let Some(kind) = address(word, looks)
    {
        return Some(kind);
    }
    if looks.has_any(b"/\\")
        && let Some(kind) = path(word)
    {
        return Some(kind);
    }
    if let Some(flag) = word.strip_prefix("--") {
        return flag.starts_with(|c: char| c.is_ascii_alphabetic()).then_some(Kind::Flag);
    }
    if digits > 0
        && let Some(kind) = numbered(word, looks)
    {
        return Some(kind);
    }
    named(word, looks)
}

fn only_letters(word: &str) -> Option<Kind> {
    const SIGNALS: [&str; 16] = [
        "SIGKILL", "SIGTERM", "SIGSEGV", "SIGINT", "SIGHUP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGPIPE",
        "SIGQUIT", "SIGUSR", "SIGCHLD", "SIGSTOP", "SIGCONT", "SIGILL", "SIGTRAP",
    ];
    const ERRNO: [&str; 40] = [
        "EACCES",
        "EADDRINUSE",
        "EADDRNOTAVAIL",
        "EAGAIN",
        "EALREADY",
        "EBADF",
        "EBUSY",
        "ECANCELED",
        "ECHILD",
        "ECONNABORTED",
        "ECONNREFUSED",
        "ECONNRESET",
        "EDEADLK",
        "EDOM",
        "EEXIST",
        "EFAULT",
        "EFBIG",
        "EHOSTUNREACH",
        "EINPROGRESS",
        "EINTR",
        "EINVAL",
        "EIO",
        "EISDIR",
        "EMFILE",
        "EMSGSIZE",
        "ENETUNREACH",
        "ENFILE",
        "ENOENT",
        "ENOMEM",
        "ENOSPC",
        "ENOSYS",
        "ENOTCONN",
        "ENOTDIR",
        "ENOTEMPTY",
        "EPERM",
        "EPIPE",
        "ERANGE",
        "EROFS",
        "ETIMEDOUT",
        "EWOULDBLOCK",
    ];
    if ERRNO.contains(&word) || SIGNALS.contains(&word) {
        return Some(Kind::ErrorCode);
    }
    is_camel_case(word).then_some(Kind::Identifier)
}

/// `getValue`, `NullPointerException`; not `McCain`, `iPhone` or `PostgreSQL`, which people write about.
fn is_camel_case(word: &str) -> bool {
    let bytes = word.as_bytes();
    let humps =
        bytes.windows(2).filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase()).count();
    let starts_low = bytes.first().is_some_and(u8::is_ascii_lowercase);
    let first_hump = bytes
        .windows(2)
        .position(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
        .unwrap_or(0);
    let ends_low = bytes.last().is_some_and(u8::is_ascii_lowercase);
    bytes.len() >= 6
        && ends_low
        && (humps >= 2 || (humps == 1 && first_hump >= 2 && (starts_low || bytes.len() >= 9)))
}

fn at_sign(word: &str) -> Option<Kind> {
    let (before, after) = word.rsplit_once('@')?;
    if before.is_empty() || after.is_empty() {
        return None;
    }
    if is_version(after, true) {
        return Some(Kind::Package);
    }
    let (host, port) = after.split_once(':').unwrap_or((after, "0"));
    let host_like =
        host.contains('.') && host.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-'));
    (host_like && is_number(port)).then_some(Kind::Email)
}

fn is_uuid(word: &str) -> bool {
    word.len() == 36
        && word
            .bytes()
            .enumerate()
            .all(|(i, b)| if matches!(i, 8 | 13 | 18 | 23) { b == b'-' } else { b.is_ascii_hexdigit() })
}

fn address(word: &str, looks: Looks) -> Option<Kind> {
    let bytes = word.as_bytes();
    let separator = if bytes.contains(&b':') { ':' } else { '-' };
    let pairs: Vec<&str> = if bytes.len() == 17 { word.split(separator).collect() } else { vec![] };
    if pairs.len() == 6
        && pairs.iter().all(|pair| pair.len() == 2 && pair.bytes().all(|b| b.is_ascii_hexdigit()))
    {
        return Some(Kind::MacAddress);
    }
    if looks.digits < 4 && !looks.has(b':') {
        return None;
    }
    let host = word.split(['/', ':']).next().unwrap_or_default();
    let is_ipv4 = host.split('.').count() == 4 && host.split('.').all(|part| part.parse::<u8>().is_ok());
    let rest = &word[host.len()..];
    if is_ipv4 && rest.trim_start_matches(['/', ':']).bytes().all(|b| b.is_ascii_digit()) {
        return Some(Kind::IpAddress);
    }
    let address = word.split('/').next().unwrap_or_default();
    (address.matches(':').count() >= 2 && address.parse::<std::net::Ipv6Addr>().is_ok())
        .then_some(Kind::IpAddress)
}

fn path(word: &str) -> Option<Kind> {
    let bytes = word.as_bytes();
    let named = |text: &str| text.bytes().filter(u8::is_ascii_alphanumeric).count() >= 2;
    let windows = bytes.len() > 3 && bytes[0].is_ascii_alphabetic() && word[1..].starts_with(":\\");
    if windows || (word.starts_with("\\\\") && named(word)) {
        return Some(Kind::Path);
    }
    if !bytes.contains(&b'/') {
        return None;
    }
    let rooted = ["/", "./", "../", "~/"].iter().any(|start| word.starts_with(start));
    if rooted && named(word) {
        return Some(Kind::Path);
    }
    // `and/or` is prose: a path without a root has a file name or something else that prose has not.
    let technical = word.split('/').any(|part| part.contains('_') || part.contains('.') && named(part));
    (technical && named(word)).then_some(Kind::Path)
}

/// Words with digits that follow a scheme.
fn numbered(word: &str, looks: Looks) -> Option<Kind> {
    if let Some((letters, number)) = word.split_once('-')
        && letters.eq_ignore_ascii_case("CVE")
        && number.split_once('-').is_some_and(|(year, id)| is_number(year) && is_number(id))
    {
        return Some(Kind::Cve);
    }
    if let Some((letters, number)) = word.rsplit_once('-')
        && (2..=10).contains(&letters.len())
        && is_number(number)
        && letters.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
        && letters.as_bytes()[0].is_ascii_uppercase()
    {
        return Some(if letters == "ORA" { Kind::ErrorCode } else { Kind::Ticket });
    }
    if looks.has(b'.') && is_version(word, false) {
        return Some(Kind::Version);
    }
    let unsigned = word.trim_start_matches(['-', '+']);
    let hex = unsigned.strip_prefix("0x").or_else(|| unsigned.strip_prefix("0X"));
    if let Some(hex) = hex
        && !hex.is_empty()
        && hex.bytes().all(|b| b.is_ascii_hexdigit())
    {
        return Some(Kind::Hash);
    }
    if is_number(unsigned) {
        return (unsigned.len() >= 6).then_some(Kind::Number);
    }
    let all_hex = unsigned.bytes().all(|b| b.is_ascii_hexdigit());
    (all_hex && (7..=128).contains(&unsigned.len())).then_some(Kind::Hash)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// `1.2.3`, `v2`, `2026.01`, `1.0-rc1`; a decimal number only where a version is expected.
fn is_version(word: &str, expected: bool) -> bool {
    let bare = word.strip_prefix(['v', 'V']).unwrap_or(word);
    let marked = bare.len() < word.len();
    let core = bare.split(['-', '+']).next().unwrap_or_default();
    let parts: Vec<&str> = core.split('.').collect();
    let numeric = parts.iter().take(2).all(|part| is_number(part))
        && parts
            .iter()
            .skip(2)
            .all(|part| part.bytes().all(|b| b.is_ascii_alphanumeric()) && !part.is_empty());
    let dated = parts.len() == 2 && parts[0].len() == 4 && parts[1].len() == 2 && parts[0].starts_with("20");
    let tail_ok =
        bare[core.len()..].bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'+' | b'.'));
    let tail = bare.len() > core.len() && bare[core.len()..].bytes().any(|b| b.is_ascii_alphabetic());
    numeric
        && tail_ok
        && (expected
            || parts.len() >= 3
            || (marked && parts.len() >= 2)
            || dated
            || (tail && parts.len() >= 2))
}

/// Names of things in programs and networks.
fn named(word: &str, looks: Looks) -> Option<Kind> {
    let Looks { digits, letters, .. } = looks;
    let called = word.ends_with("()");
    let word = word.trim_end_matches("()");
    let bytes = word.as_bytes();
    let plain = bytes.iter().all(|b| {
        b.is_ascii_alphanumeric()
            || matches!(b, b'_' | b'-' | b'.' | b':' | b'$' | b'#' | b'/' | b'\\' | b'+' | b'@' | b'%' | b'~')
    });
    if !plain || letters == 0 && digits < 2 {
        return None;
    }
    let inner_underscore = bytes.windows(3).any(|w| {
        w[1] == b'_' && w[0].is_ascii_alphanumeric() && (w[2].is_ascii_alphanumeric() || w[2] == b'-')
    });
    if inner_underscore {
        let upper = !bytes.iter().any(u8::is_ascii_lowercase) && letters > 0;
        return Some(if upper && !bytes.contains(&b'.') { Kind::Variable } else { Kind::Identifier });
    }
    if called && letters > 0
        || word.contains("::") && letters > 1
        || bytes.contains(&b'$') && letters > 1 && digits + letters < bytes.len() && !word.starts_with('$')
    {
        return Some(Kind::Identifier);
    }
    if bytes.contains(&b'.') {
        return dotted(word, digits);
    }
    let first_letter = bytes.first().is_some_and(u8::is_ascii_alphabetic);
    // `node-12`, `storage343`, `E0308`; not `20-year-old`, `mid-1990s`, `B2B`.
    let decade = word.ends_with('s') && word[..word.len() - 1].ends_with(|c: char| c.is_ascii_digit());
    (first_letter && digits > 0 && bytes.len() >= 4 && !decade && !bytes.contains(&b':'))
        .then_some(Kind::Identifier)
}

fn dotted(word: &str, digits: usize) -> Option<Kind> {
    let parts: Vec<&str> = word.split('.').collect();
    let sound = |part: &&str| {
        !part.is_empty()
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'$' | b'+'))
    };
    if parts.len() < 2 || !parts.iter().all(sound) {
        return None;
    }
    let last = parts[parts.len() - 1].to_ascii_lowercase();
    let has_letters = word.bytes().any(|b| b.is_ascii_alphabetic());
    if HOST_SUFFIXES.contains(&last.as_str()) && parts[0].len() > 1 {
        return Some(Kind::HostName);
    }
    if FILE_ENDINGS.contains(&last.as_str()) && parts[0].len() > 1 {
        return Some(Kind::Path);
    }
    // `U.S.A.` and `e.g.` are prose: names have parts of two letters or more.
    let long_parts = parts.iter().filter(|part| part.len() >= 2).count();
    let technical = parts.iter().any(|part| is_camel_case(part)) || digits > 0 && has_letters;
    // `user.name`; where a blank is missing after a full stop, a capital follows.
    let is_key = |part: &&str| part.len() >= 3 && part.bytes().all(|b| b.is_ascii_lowercase());
    let key = parts.len() == 2 && parts.iter().all(is_key);
    let long = parts.len() >= 3 && long_parts >= 2 && has_letters;
    (key || long || (technical && long_parts >= 1)).then_some(Kind::Identifier)
}

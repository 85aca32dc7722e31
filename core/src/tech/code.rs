//! Error codes that are known by their look.

use super::Kind;
use super::number::is_number;

const SIGNALS: [&str; 29] = [
    "ABRT", "ALRM", "BUS", "CHLD", "CONT", "FPE", "HUP", "ILL", "INT", "IO", "KILL", "PIPE", "PROF", "QUIT",
    "SEGV", "STOP", "SYS", "TERM", "TRAP", "TSTP", "TTIN", "TTOU", "URG", "USR1", "USR2", "VTALRM", "WINCH",
    "XCPU", "XFSZ",
];

/// The names of errno, without their E.
const ERRNO: [&str; 80] = [
    "2BIG",
    "ACCES",
    "ADDRINUSE",
    "ADDRNOTAVAIL",
    "AFNOSUPPORT",
    "AGAIN",
    "ALREADY",
    "BADF",
    "BADMSG",
    "BUSY",
    "CANCELED",
    "CHILD",
    "CONNABORTED",
    "CONNREFUSED",
    "CONNRESET",
    "DEADLK",
    "DESTADDRREQ",
    "DOM",
    "DQUOT",
    "EXIST",
    "FAULT",
    "FBIG",
    "HOSTDOWN",
    "HOSTUNREACH",
    "IDRM",
    "ILSEQ",
    "INPROGRESS",
    "INTR",
    "INVAL",
    "IO",
    "ISCONN",
    "ISDIR",
    "LOOP",
    "MFILE",
    "MLINK",
    "MSGSIZE",
    "NAMETOOLONG",
    "NETDOWN",
    "NETRESET",
    "NETUNREACH",
    "NFILE",
    "NOBUFS",
    "NODATA",
    "NODEV",
    "NOENT",
    "NOEXEC",
    "NOLCK",
    "NOLINK",
    "NOMEM",
    "NOMSG",
    "NOPROTOOPT",
    "NOSPC",
    "NOSR",
    "NOSTR",
    "NOSYS",
    "NOTCONN",
    "NOTDIR",
    "NOTEMPTY",
    "NOTRECOVERABLE",
    "NOTSOCK",
    "NOTSUP",
    "NOTTY",
    "NXIO",
    "OPNOTSUPP",
    "OVERFLOW",
    "OWNERDEAD",
    "PERM",
    "PIPE",
    "PROTO",
    "PROTONOSUPPORT",
    "PROTOTYPE",
    "RANGE",
    "ROFS",
    "SHUTDOWN",
    "SPIPE",
    "SRCH",
    "STALE",
    "TIMEDOUT",
    "TXTBSY",
    "WOULDBLOCK",
];

/// `ECONNRESET`, `SIGKILL`.
pub fn is_system_name(word: &[u8]) -> bool {
    let listed =
        |list: &[&str], name: &[u8]| list.binary_search_by(|entry| entry.as_bytes().cmp(name)).is_ok();
    match word {
        [b'S', b'I', b'G', name @ ..] => listed(&SIGNALS, name),
        [b'E', name @ ..] => listed(&ERRNO, name),
        _ => false,
    }
}

/// Families of compilers, linters and databases with exactly four digits, or five.
const FAMILIES: [&[u8]; 16] = [
    b"C", b"CA", b"CS", b"E", b"FS", b"IDE", b"LNK", b"MSB", b"NETSDK", b"NU", b"RUF", b"SA", b"TS", b"W",
    b"BC", b"SC",
];

/// `E0308`, `CS0103`, `TS2322`, `LNK2019`.
pub fn is_compiler_code(word: &[u8]) -> bool {
    let letters = word.iter().take_while(|b| b.is_ascii_uppercase()).count();
    let (family, number) = word.split_at(letters);
    is_number(number) && (4..=5).contains(&number.len()) && FAMILIES.contains(&family)
}

/// Prefixes before a dash that make a number an error code, not a ticket.
const DATABASES: [&[u8]; 9] = [b"ORA", b"PLS", b"TNS", b"RMAN", b"DPY", b"IMP", b"EXP", b"PRVF", b"INS"];

/// `ABC-123`, `ORA-00001`, `CVE-2024-3094`.
pub fn dashed(word: &[u8]) -> Option<Kind> {
    let last = word.iter().rposition(|b| *b == b'-')?;
    let (prefix, number) = (&word[..last], &word[last + 1..]);
    if !is_number(number) {
        return None;
    }
    if prefix.len() == 8 && prefix[..4].eq_ignore_ascii_case(b"CVE-") && is_number(&prefix[4..]) {
        return Some(Kind::Cve);
    }
    let sound = (2..=10).contains(&prefix.len())
        && prefix[0].is_ascii_uppercase()
        && prefix.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
    sound.then(|| if DATABASES.contains(&prefix) { Kind::ErrorCode } else { Kind::Ticket })
}

/// `0x80004005`, `0xC0000005`: what Windows answers; other hexadecimal numbers are addresses and the like.
pub fn hexadecimal(digits: &[u8]) -> Kind {
    const FAILURES: [&[u8]; 7] = [b"8007", b"8004", b"8009", b"800A", b"8013", b"8024", b"C000"];
    let failure = digits.get(..4).is_some_and(|first| FAILURES.iter().any(|f| first.eq_ignore_ascii_case(f)));
    let generic = digits.eq_ignore_ascii_case(b"80004005") || digits.eq_ignore_ascii_case(b"8000FFFF");
    if digits.len() == 8 && (failure || generic) { Kind::ErrorCode } else { Kind::Hash }
}

/// SQLSTATEs of Postgres that are five digits, so that one is found without the word before it.
const SQLSTATES: &[u8] = b"\
01003 01004 01006 01007 01008 02000 02001 03000 08000 08001 08003 08004 08006 08007 09000 20000 21000 22000 22001 22002 \
22003 22004 22005 22007 22008 22009 22010 22011 22012 22013 22014 22015 22016 22018 22019 22021 22022 22023 22024 22025 \
22026 22027 22030 22031 22032 22033 22034 22035 22036 22037 22038 22039 23000 23001 23502 23503 23505 23514 24000 25000 \
25001 25002 25003 25004 25005 25006 25007 25008 26000 27000 28000 34000 38000 38001 38002 38003 38004 39000 39001 39004 \
40000 40001 40002 40003 42000 42501 42601 42602 42611 42622 42701 42702 42703 42704 42710 42712 42723 42725 42803 42804 \
42809 42830 42846 42883 42939 44000 53000 53100 53200 53300 53400 54000 54001 54011 54023 55000 55006 57000 57014 58000 \
58030 72000 ";

/// A five-digit SQLSTATE that says something: a round one is a quantity.
pub fn sqlstate(word: &[u8]) -> Option<Kind> {
    let known = word.len() == 5
        && !word.ends_with(b"000")
        && SQLSTATES.chunks_exact(6).any(|entry| &entry[..5] == word);
    known.then_some(Kind::ErrorCode)
}

/// `42P01`, `57P03`, `XX001`: the SQLSTATEs of Postgres with letters.
pub fn is_lettered_sqlstate(word: &[u8]) -> bool {
    matches!(word, [a, b, b'P', c, d] if [a, b, c, d].iter().all(|byte| byte.is_ascii_digit()))
        || matches!(word, [b'X', b'X', b'0', b'0', b'0'..=b'2'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_for_the_search() {
        assert!(SIGNALS.is_sorted() && ERRNO.is_sorted());
    }
}

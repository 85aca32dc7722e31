//! Texts that have broken programs.

use std::sync::LazyLock;

/// Queries that mean something to a parser somewhere.
pub static HOSTILE: LazyLock<Vec<String>> = LazyLock::new(|| {
    let mut queries: Vec<String> = [
        "",
        " ",
        "the of and",
        "!?.,;:",
        "'",
        "\"",
        "\\",
        "'' | & ! <-> :*",
        "a:*",
        "storage & ",
        "(storage",
        "storage)",
        "chunk_text:storage",
        "storage^3 ~2 *",
        "[a TO z]",
        "AND OR NOT",
        "storage AND",
        "+storage -ledger",
        "/(.*)+/",
        "{}",
        "$1",
        "%s",
        "storage\u{0}".trim_end_matches('\u{0}'),
        "\u{202e}storage",
        "ﬁ 日本語 ünïcode 👩‍👩‍👧",
        "E'\\x41'",
        "ledger:>3 IN [storage cats] storage~1 \"storage cats\"~2",
        "paradedb.all() boost(storage, 3) #json.path:1",
        "storage <-> cats <2> notes",
        "to_bm25query('storage', 'index')",
        "'); drop table memento.chunk; --",
        "\u{feff}storage\u{200b}cats",
        "storage ||| cats &&& notes ### ledger === @@@ storage",
        "chunk_text:IN [storage] AND NOT *:* OR storage~2^1.5 \"storage cats\"~1 {* TO z}",
        "<@> storage <&> cats to_bm25query(bm25query 'storage')",
        "pdb.score(chunk_id) pdb.boost(2) paradedb.match('chunk_text', 'storage')",
    ]
    .map(String::from)
    .into();
    queries.push("storage ".repeat(130_000));
    queries.push("x".repeat(1_000_000));
    queries.push((0..10_000).map(|n| format!("word{n} ")).collect());
    queries.push("(".repeat(50_000));
    queries.extend(blns());
    queries.extend(unicode());
    queries
});

/// Strings that have broken programs, where they are there.
fn blns() -> Vec<String> {
    let Some(text) = data("blns/blns.json") else { return Vec::new() };
    let all: Vec<String> = serde_json::from_str(&text).expect("blns.json is a list of strings");
    all.into_iter().filter(|query| !query.contains('\u{0}')).collect()
}

/// The strings of Unicode's own tests, where they are there: several to a query, each of which is read to its end.
fn unicode() -> Vec<String> {
    const AT_ONCE: usize = 200;
    const FILES: [&str; 6] = [
        "GraphemeBreakTest.txt",
        "LineBreakTest.txt",
        "NormalizationTest.txt",
        "SentenceBreakTest.txt",
        "WordBreakTest.txt",
        "emoji-test.txt",
    ];
    let mut queries = Vec::new();
    for content in FILES.iter().filter_map(|file| data(&format!("unicode/{file}"))) {
        // Code points in hexadecimal, between marks and before a comment.
        let code = |word: &str| char::from_u32(u32::from_str_radix(word, 16).ok()?).filter(|c| *c != '\u{0}');
        let strings = content.lines().map(|line| {
            let written = line.split(['#', '@']).next().unwrap_or_default();
            written.split(|c: char| !c.is_ascii_hexdigit()).filter_map(code).collect::<String>()
        });
        let strings: Vec<String> = strings.filter(|text| !text.is_empty()).collect();
        queries.extend(strings.chunks(AT_ONCE).map(|some| some.join(" ")));
    }
    queries
}

/// A file of MEMENTO_DATA.
fn data(file: &str) -> Option<String> {
    let root = std::env::var_os("MEMENTO_DATA")?;
    let text = std::fs::read_to_string(std::path::Path::new(&root).join("robustness").join(file)).ok();
    if text.is_none() {
        println!("skipped: {file} of MEMENTO_DATA is not there");
    }
    text
}

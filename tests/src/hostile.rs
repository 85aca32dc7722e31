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
    ]
    .map(String::from)
    .into();
    queries.push("storage ".repeat(130_000));
    queries.push("x".repeat(1_000_000));
    queries.push((0..10_000).map(|n| format!("word{n} ")).collect());
    queries.push("(".repeat(50_000));
    queries.extend(blns());
    queries
});

/// Strings that have broken programs, where they are there.
fn blns() -> Vec<String> {
    let path = std::env::var_os("MEMENTO_DATA")
        .map(|root| std::path::Path::new(&root).join("robustness/blns/blns.json"));
    let Some(text) = path.and_then(|path| std::fs::read_to_string(path).ok()) else {
        println!("skipped: the hostile strings of MEMENTO_DATA are not there");
        return Vec::new();
    };
    let all: Vec<String> = serde_json::from_str(&text).expect("blns.json is a list of strings");
    all.into_iter().filter(|query| !query.contains('\u{0}')).collect()
}

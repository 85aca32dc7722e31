use super::*;
use proptest::prelude::*;

/// The rows in short: `=1:1 a`, `-2 b`, `+2 c`.
fn short(old: &str, new: &str) -> Vec<String> {
    let row = |row: Row<'_>| match (row.old_line, row.new_line) {
        (Some(old), Some(new)) => format!("={old}:{new} {}", row.text.trim_end()),
        (Some(old), None) => format!("-{old} {}", row.text.trim_end()),
        (None, new) => format!("+{} {}", new.unwrap(), row.text.trim_end()),
    };
    Diff::new(old, new).rows().map(row).collect()
}

/// What patch would do: takes the old lines, drops the deleted ones, puts in the inserted ones.
fn apply<'t>(old: &'t str, rows: impl Iterator<Item = Row<'t>>) -> String {
    let mut old = old.split_inclusive('\n').enumerate();
    let mut new = String::new();
    let mut new_line = 0;
    for row in rows {
        if row.op != Op::Insert {
            let (at, line) = old.next().unwrap();
            assert_eq!((row.old_line, row.text), (Some(at + 1), line), "every old line, in order");
        }
        if row.op != Op::Delete {
            new_line += 1;
            assert_eq!(row.new_line, Some(new_line));
            new.push_str(row.text);
        }
        assert_eq!(row.old_line.is_none(), row.op == Op::Insert);
        assert_eq!(row.new_line.is_none(), row.op == Op::Delete);
    }
    assert_eq!(old.next(), None, "the whole old text");
    new
}

/// Reads unified text and changes the old text by it, as strictly as patch without fuzz.
fn patch(old: &str, unified: &str) -> String {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let mut new = String::new();
    let mut at = 0;
    let mut lines = unified.split_inclusive('\n').skip(2).peekable();
    while let Some(line) = lines.next() {
        if let Some(header) = line.strip_prefix("@@ -") {
            let (start, length) = header
                .split(' ')
                .next()
                .unwrap()
                .split_once(',')
                .unwrap_or((header.split(' ').next().unwrap(), "1"));
            let start = start.parse::<usize>().unwrap() - usize::from(length != "0");
            new.extend(old[at..start].iter().copied());
            at = start;
            continue;
        }
        let unended = lines.next_if(|next| next.starts_with('\\')).is_some();
        let text = if unended { &line[1..line.len() - 1] } else { &line[1..] };
        if !line.starts_with('+') {
            assert_eq!(old[at], text);
            at += 1;
        }
        if !line.starts_with('-') {
            new.push_str(text);
        }
    }
    new.extend(old[at..].iter().copied());
    new
}

#[track_caller]
fn check(old: &str, new: &str) {
    let diff = Diff::new(old, new);
    assert_eq!(apply(old, diff.rows()), new);
    for context in [0, 1, 3, usize::MAX] {
        assert_eq!(patch(old, &diff.unified("a", "b", context)), new, "{context} lines of context");
    }
    let changed = diff.rows().filter(|row| row.op != Op::Equal).map(|row| row.text.len()).sum::<usize>();
    assert_eq!(diff.hunks().iter().map(|hunk| hunk.old.len() + hunk.new.len()).sum::<usize>(), changed);
    for (hunk, pieces) in diff.words() {
        let without = |op| {
            pieces.iter().filter(move |piece| piece.op != op).map(|piece| piece.text).collect::<String>()
        };
        assert_eq!((without(Op::Insert), without(Op::Delete)), (hunk.old.to_owned(), hunk.new.to_owned()));
    }
}

#[test]
fn rows_say_what_happened_to_each_line() {
    assert_eq!(short("a\nb\nc\n", "a\nx\nc\n"), ["=1:1 a", "-2 b", "+2 x", "=3:3 c"]);
    assert_eq!(short("", "a\n"), ["+1 a"]);
    assert_eq!(short("a\n", ""), ["-1 a"]);
    assert_eq!(short("a\nb\n", "b\na\n").len(), 3, "one of them stays");
    assert!(short("", "").is_empty());
}

#[test]
fn unique_lines_hold_a_diff_together() {
    let old = "fn one() {\n  a\n}\n\nfn two() {\n  b\n}\n";
    let new = "fn zero() {\n  z\n}\n\nfn one() {\n  a\n}\n\nfn two() {\n  b\n}\n";
    let changed: Vec<String> = short(old, new).into_iter().filter(|row| !row.starts_with('=')).collect();
    assert_eq!(changed, ["+1 fn zero() {", "+2   z", "+3 }", "+4 "]);
}

#[test]
fn unified_text_is_as_diff_writes_it() {
    let old = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten";
    let new = "one\n2\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n";
    let expected = "--- old\n+++ new\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n@@ -9,2 +9,2 @@\n nine\n-ten\n\\ No newline at end of file\n+ten\n";
    assert_eq!(Diff::new(old, new).unified("old", "new", 1), expected);
    assert_eq!(Diff::new("", "a\n").unified("x\n+y", "n", 3), "--- x +y\n+++ n\n@@ -0,0 +1 @@\n+a\n");
    assert_eq!(Diff::new("a", "a").unified("x", "y", 3), "");
    assert!(Diff::new("a", "a").is_empty() && !Diff::new("a", "a\n").is_empty());
}

#[test]
fn words_are_compared_inside_of_changed_lines() {
    let diff = Diff::new("same\nthe quick brown fox\n", "same\nthe slow brown foxes\n");
    let words: Vec<_> = diff.words().collect();
    let [(hunk, pieces)] = &words[..] else { panic!("one change") };
    assert_eq!((hunk.old_lines.clone(), hunk.new_lines.clone()), (1..2, 1..2));
    let shown: Vec<(&str, &str)> = pieces.iter().map(|piece| (piece.op.as_str(), piece.text)).collect();
    let expected = [
        ("equal", "the "),
        ("delete", "quick"),
        ("insert", "slow"),
        ("equal", " brown "),
        ("delete", "fox"),
        ("insert", "foxes"),
        ("equal", "\n"),
    ];
    assert_eq!(shown, expected);
}

#[test]
fn line_ends_are_exact() {
    let ends = ["", "\n", "\r", "\r\n", "\n\n", "\n\r", "\r\r\n"];
    for (old, new) in ends.iter().flat_map(|old| ends.map(|new| (old, new))) {
        check(&format!("a{old}b{new}"), &format!("a{new}b{old}"));
        check(&format!("{old}x{old}"), &format!("{new}x{new}"));
    }
}

#[test]
fn hostile_texts_take_bounded_work() {
    let numbers = |from: usize, to: usize| (from..to).map(|n| format!("{n:09}\n")).collect::<String>();
    let reversed = (0..100_000).rev().map(|n| format!("{n:09}\n")).collect::<String>();
    let mixed =
        |factor: usize| (0..100_000).map(|n| format!("{}\n", n * factor % 997 % 61)).collect::<String>();
    let blank_or_unique =
        (0..100_000).map(|n| if n % 2 == 0 { "\n".into() } else { format!("{n}\n") }).collect::<String>();
    let every_second = |other: &str| {
        (0..100_000)
            .map(|n| if n % 2 == 0 { format!("{n}\n") } else { format!("{other}{n}\n") })
            .collect::<String>()
    };
    for (old, new) in [
        (every_second("a"), every_second("b")),
        (numbers(0, 100_000), numbers(100_000, 200_000)),
        (numbers(0, 100_000), reversed),
        (mixed(1), mixed(313)),
        (blank_or_unique, "\n".repeat(100_000)),
        ("\n".repeat(2_000_000), "x\n".repeat(1_000_000)),
        (format!("{} a", "word ".repeat(2_000_000)), format!("{} b", "drow ".repeat(2_000_000))),
        ("ab ".repeat(80_000), "ba ".repeat(80_000)),
        ("a\u{301}\u{200d}".repeat(50_000), "\u{301}\u{200d}a".repeat(50_000)),
        ("'a".repeat(200_000), "a'".repeat(200_000)),
    ] {
        check(&old, &new);
    }
}

/// Texts of few different lines, so that there is something to find.
fn text() -> impl Strategy<Value = String> {
    proptest::collection::vec("[abc]?(\r\n|\n|\r|)|é ü", 0..24).prop_map(|lines| lines.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn rows_and_patches_lead_from_the_old_text_to_the_new(old in text(), new in text()) {
        check(&old, &new);
    }

    #[test]
    fn any_texts_will_do(old in "(\\PC|\\s){0,30}", new in "(\\PC|\\s){0,30}") {
        check(&old, &new);
    }

    /// Without anchors the edit is the shortest: as much stays as the longest common subsequence has.
    #[test]
    fn what_is_repeated_stays_as_far_as_possible(old in "[ab]{0,14}", new in "[ab]{0,14}") {
        let is_unique = |c: char| [&old, &new].iter().all(|text| text.matches(c).count() == 1);
        prop_assume!(!is_unique('a') && !is_unique('b'));
        let (a, b) = (old.as_bytes(), new.as_bytes());
        let mut longest = vec![vec![0; b.len() + 1]; a.len() + 1];
        for (i, j) in (0..a.len()).flat_map(|i| (0..b.len()).map(move |j| (i, j))) {
            longest[i + 1][j + 1] =
                if a[i] == b[j] { longest[i][j] + 1 } else { longest[i][j + 1].max(longest[i + 1][j]) };
        }
        let runs = matching::runs(old.bytes(), new.bytes(), &mut Budget::default());
        prop_assert_eq!(runs.iter().map(|run| run.length).sum::<usize>(), longest[a.len()][b.len()]);
    }
}

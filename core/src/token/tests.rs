use super::*;
use proptest::prelude::*;
use std::sync::LazyLock;

static TIKTOKEN: LazyLock<tiktoken_rs::CoreBPE> = LazyLock::new(|| tiktoken_rs::cl100k_base().unwrap());

#[track_caller]
fn same(text: &str) {
    assert_eq!(count(text), TIKTOKEN.encode_ordinary(text).len(), "{text:?}");
}

#[test]
fn nothing_has_no_tokens() {
    assert_eq!(count(""), 0);
}

#[test]
fn known_texts_are_counted_as_tiktoken_does() {
    for text in [
        "hello world",
        "tiktoken is great!",
        "It's we're I'VE they'LL d'accord 'ſ 'sun ''s",
        "   leading and trailing   ",
        "a\n\n\nb \n \n c\r\n\r\n  d\t\t\te",
        "12345678901 1,234.56 x1y22z333 ½ ⅷ ٣",
        "fn main() { println!(\"{}\", 1 + 2); } // comment\n\n",
        "Straße naïve Ελληνικά русский 日本語 한국어 العربية עברית",
        "👨‍👩‍👧‍👦 🇩🇪 e\u{301} \u{a0}\u{2003}\u{3000} \u{85}",
        "PAY-4012 ORA-00001 10.0.0.1:5432 /usr/lib/x.so --flag=value",
        "antidisestablishmentarianism pneumonoultramicroscopicsilicovolcanoconiosis",
    ] {
        same(text);
    }
}

#[test]
fn long_pieces_are_merged_as_short_ones_are() {
    for length in [95, 96, 97, 200, 1000, 5000] {
        same(&"a".repeat(length));
        same(&"abc".repeat(length));
        same(&"=".repeat(length));
        same(&" ".repeat(length));
        same(&"antidisestablishmentarianism".repeat(length / 20));
    }
}

#[test]
fn a_piece_of_any_length_is_counted() {
    let tokens = count(&"x".repeat(1_000_000));
    assert!((1_000_000 / 128..=1_000_000).contains(&tokens));
}

#[test]
fn documents_of_the_project_are_counted_as_tiktoken_does() {
    for text in [
        include_str!("../../../README.md"),
        include_str!("piece.rs"),
        include_str!("../../../samples/runbook.md"),
    ] {
        same(text);
    }
}

proptest! {
    #[test]
    fn any_text_is_counted_as_tiktoken_does(text in "(\\PC|[ \\n\\r\\t'a-z0-9]){0,80}") {
        same(&text);
    }

    #[test]
    fn words_are_counted_as_tiktoken_does(text in "([ \\t]{0,3}('[a-zA-Z]{0,3}|[a-zA-Z]{1,120}|[0-9]{1,9}|[-=_.*/]{1,9}|\\n{1,3})){0,12}") {
        same(&text);
    }
}

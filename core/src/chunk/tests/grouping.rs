//! Chunks of lists by item, and of conversations by turn.

use super::chars;
use crate::chunk::{Budget, Grouping, chunk_grouped, grouping_for};

pub fn items(text: &str, budget: Budget) -> Vec<&str> {
    chunk_grouped(text, budget, Grouping::ByItem).map(|chunk| chunk.text).collect()
}

#[test]
fn kinds_that_are_lists_are_cut_by_item() {
    for kind in ["action_items", "action_item", "decisions", "decision"] {
        assert_eq!(grouping_for(kind), Grouping::ByItem);
    }
    for kind in ["summary", "tech_notes", "", "Decisions of the board"] {
        assert_eq!(grouping_for(kind), Grouping::Packed);
    }
}

#[test]
fn by_item_everything_in_an_item_stays_with_it() {
    let first = "- [ ] Ana: renew the certificate\n  - [x] ask the vendor\n  - [ ] install";
    let second =
        "- [x] Tom: turn on the alarm\n\n  It has been silent since April.\n\n  ```sh\n  alarm on\n  ```";
    assert_eq!(items(&format!("{first}\n{second}\n"), Budget::default()), [first, second]);
    assert_eq!(
        items("1. one\nlazy\n2. two\n\n10) three", Budget::default()),
        ["1. one\nlazy", "2. two", "10) three"]
    );
    assert_eq!(items("  - indented\n  - too", Budget::default()), ["- indented", "- too"]);
    assert_eq!(items("One.\n\nTwo.\n- three", Budget::default()), ["One.", "Two.", "- three"]);
}

#[test]
fn by_item_a_heading_goes_with_the_first() {
    let text = "# Call\n\n## Decisions\n\n- a\n- b\n\n## Rest\n\nc\n\nd";
    let found: Vec<_> = chunk_grouped(text, Budget::default(), Grouping::ByItem)
        .map(|chunk| (chunk.text, chunk.heading.path.join("/"), chunk.kind.as_str()))
        .collect();
    let expected = [
        ("# Call\n\n## Decisions\n\n- a", "Call/Decisions", "list"),
        ("- b", "Call/Decisions", "list"),
        ("## Rest\n\nc", "Call/Rest", "paragraph"),
        ("d", "Call/Rest", "paragraph"),
    ];
    assert_eq!(found, expected.map(|(text, path, kind)| (text, path.to_owned(), kind)));
}

#[test]
fn by_item_a_label_goes_with_the_first_below_it() {
    assert_eq!(
        items("- **Decisions:**\n  - a\n  - b\n- c", Budget::default()),
        ["- **Decisions:**\n  - a", "- b", "- c"]
    );
    assert_eq!(
        items("- Us:\n\n  - Now:\n    1. a\n    2. b\n  - c\n\n  d\n\n  + e\n  + f", Budget::default()),
        ["- Us:\n\n  - Now:\n    1. a", "2. b", "- c", "d", "+ e", "+ f"]
    );
    assert_eq!(
        items("**Decisions:**\n\n- a\n- b\n\n***\n\nc", Budget::default()),
        ["**Decisions:**\n\n- a", "- b\n\n***", "c"]
    );
    for whole in ["- Ana will ask the vendor for:\n  - a\n  - b", "- a: b\n  - c\n  - d", "- - a\n  - b"] {
        assert_eq!(items(whole, Budget::default()), [whole]);
    }
}

#[test]
fn by_item_what_is_too_large_is_cut_as_usual() {
    let text = "# H\n\n- one one one\n  - two two two\n  - three three\n- four";
    assert_eq!(
        items(text, chars(20, 24, 0)),
        ["# H\n\n- one one one", "- two two two", "- three three", "- four"]
    );
    let parts = "- aaaa bbbb. Cccc dddd. Eeee ffff.\n- x";
    assert_eq!(items(parts, chars(24, 26, 10)), ["- aaaa bbbb. Cccc dddd.", "Eeee ffff.", "- x"]);
}

fn turns(text: &str, budget: Budget) -> Vec<&str> {
    chunk_grouped(text, budget, grouping_for("chat")).map(|chunk| chunk.text).collect()
}

#[test]
fn by_turn_what_somebody_says_is_not_in_the_chunk_of_the_answer() {
    let question = "user: I had my car serviced on March 15th. Who could wash it?";
    let answer = "assistant: There are several ways to find somebody.\n\n1. Ask your neighbours, who know.\n2. Read what others say.";
    let thanks = "user: Thank you, I will ask my sister, who moved to Riga in May.";
    let text = format!("{question}\n{answer}\n{thanks}\nassistant: Good.\n");
    assert_eq!(turns(&text, chars(200, 300, 0)), [question, answer, thanks, "assistant: Good."]);
    // A turn that is too large is cut as usual, and its parts are not mixed with the next.
    assert_eq!(
        turns(&text, chars(70, 70, 0)),
        [
            question,
            "assistant: There are several ways to find somebody.",
            "1. Ask your neighbours, who know.\n2. Read what others say.",
            thanks,
            "assistant: Good."
        ]
    );
}

#[test]
fn by_turn_short_turns_share_a_chunk() {
    let text =
        "ana: hi\ntom: hello\nana: ready?\ntom: yes\nana: then let us begin with the ledger of last week";
    assert_eq!(turns(text, Budget::default()), [text]);
    assert_eq!(
        turns(text, chars(100, 100, 0)),
        [
            "ana: hi\ntom: hello",
            "ana: ready?\ntom: yes",
            "ana: then let us begin with the ledger of last week"
        ]
    );
}

#[test]
fn by_turn_a_model_shares_no_chunk_with_who_asks_it() {
    let text = "user: hi\nassistant: Hello.\nuser: my dentist is Ruiz\nassistant: Noted.";
    let alone = ["user: hi", "assistant: Hello.", "user: my dentist is Ruiz", "assistant: Noted."];
    assert_eq!(turns(text, Budget::default()), alone);
}

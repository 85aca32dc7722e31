//! What holds for any text made of the words that the rules look for.

use memento_core::event::rules::{Context, extract};
use memento_core::query::Date;
use proptest::prelude::*;

const PIECES: &[&str] = &[
    "Alice",
    "Bob Smith",
    "we",
    "I'll",
    "will",
    "decided",
    "agreed to",
    "the team",
    "and",
    ",",
    ";",
    ".",
    "?",
    "\n",
    "\n- ",
    "\n- [ ] ",
    "\n- [x] ",
    "\n\n",
    "\n# ",
    "Decision:",
    "Owner:",
    "Risk:",
    "from",
    "to",
    "10",
    "by Friday",
    "in two weeks",
    "not",
    "if",
    "moved",
    "was",
    "has been",
    "deployed",
    "blocked by",
    "users",
    "complained",
    "“",
    "”",
    "\"",
    "’s",
    "@eve",
    "end of",
    "Q1",
    "**",
    "`",
    "日本",
    "\u{301}",
    "é",
    "\u{a0}",
    "is the owner of",
    "met with",
    "Dr.",
    ":",
    "(",
    ")",
    "—",
    "> ",
    "\t",
    "\r\n",
    "at risk",
    "2026-03-01",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]
    #[test]
    fn events_are_true_to_the_text(pieces in proptest::collection::vec(0..PIECES.len(), 0..40), glue in "[ ]?") {
        let text: String = pieces.iter().map(|at| format!("{}{glue}", PIECES[*at])).collect();
        let context = Context { document_date: Date::try_new(2024, 2, 29), ..Context::default() };
        let found = extract(&text, &context);
        for event in &found.events {
            prop_assert_eq!(event.violations(&text), []);
        }
        for entity in &found.entities {
            prop_assert_eq!(entity.violations(&text), []);
        }
        prop_assert_eq!(extract(&text, &context), found);
    }
}

/// Seconds, where time is linear; hours, where it is not. `scripts/bench event_rules` measures it.
#[test]
fn hostile_texts_come_to_an_end() {
    const BYTES: usize = 1_000_000;
    let handles: String = (0..100_000).map(|n| format!(" @u{n}")).collect();
    extract(&format!("- [ ] send it{handles}"), &Context::default());
    for unit in [
        "- ```\n  a\n  ```\n",
        "Alice and ",
        "We decided to ",
        "- [ ] a\n",
        "Bob: I'll ",
        "A: b\n",
        "\"a ",
        "from to ",
        "end of ",
        "# a\n",
        "a",
        "“",
        "Dr. ",
    ] {
        extract(&unit.repeat(BYTES / unit.len()), &Context::default());
    }
}

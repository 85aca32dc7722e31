use super::*;
use proptest::prelude::*;

fn sentences(answer: &str) -> Vec<&str> {
    check_citations(answer, &[]).into_iter().map(|sentence| sentence.text).collect()
}

fn problems(answer: &str, evidence: &[&str]) -> Vec<String> {
    check_citations(answer, evidence)
        .into_iter()
        .map(|sentence| sentence.problem.map_or("ok".into(), |problem| problem.to_string()))
        .collect()
}

#[test]
fn every_sentence_needs_evidence_that_was_given() {
    let answer = "The export stays until April [Q-12]. It was Ana's idea [A-3, Q-7]. Nobody objected. See also [Q-99].";
    assert_eq!(
        problems(answer, &["Q-12", "A-3", "Q-7"]),
        ["ok", "ok", "no citation", "not in the evidence: Q-99"]
    );
    let checked = check_citations(answer, &["Q-12"]);
    assert_eq!(checked[1].cited, ["A-3", "Q-7"]);
    assert_eq!(checked[1].problem, Some(Problem::Unknown(vec!["A-3", "Q-7"])));
}

#[test]
fn a_citation_after_the_full_stop_belongs_to_the_sentence_before() {
    let answer = "Refunds are late. [Q-1] The cause is known. [Q-2][A-1]";
    assert_eq!(sentences(answer), ["Refunds are late. [Q-1]", "The cause is known. [Q-2][A-1]"]);
    assert_eq!(problems(answer, &["Q-1", "Q-2", "A-1"]), ["ok", "ok"]);
}

#[test]
fn abbreviations_decimals_and_code_do_not_end_a_sentence() {
    for answer in [
        "It took 3.14 s, e.g. on the test server, vs. 5 s before [Q-1].",
        "Dr. Mei Chen and J. Lindqvist agreed [Q-1].",
        "Run `payctl batch submit. Now` to send it [Q-1].",
        "Set worker.concurrency to 4 in config.yaml for v2.8.1 [Q-1].",
        "A sentence that is wrapped\nover two lines ends here [Q-1].",
    ] {
        assert_eq!(sentences(answer), [answer]);
    }
}

#[test]
fn list_items_are_sentences_and_headings_are_not() {
    let answer = "# Answer\n\nTwo things were decided [A-1]:\n\n- the export stays [Q-1]\n- reports move\n\n1. First. Second [Q-2].\n";
    assert_eq!(
        sentences(answer),
        [
            "Two things were decided [A-1]:",
            "the export stays [Q-1]",
            "reports move",
            "First.",
            "Second [Q-2]."
        ]
    );
}

#[test]
fn fenced_code_is_left_out() {
    let answer = "Do this [Q-1]:\n\n```sh\npayctl cache trim. Or not.\n```\n\nThen wait [Q-2].";
    assert_eq!(sentences(answer), ["Do this [Q-1]:", "Then wait [Q-2]."]);
}

#[test]
fn links_and_other_brackets_are_no_citations() {
    for answer in
        ["See [Q-1](http://x).", "An array a[0] is used.", "A note [see below].", "Left [Q-] open [Q-1"]
    {
        assert_eq!(problems(answer, &["Q-1"]), ["no citation"], "{answer}");
    }
}

#[test]
fn nothing_says_nothing() {
    assert!(sentences("").is_empty());
    assert!(sentences(" \n\n--- \n***\n").is_empty());
}

#[test]
fn hostile_answers_take_linear_time() {
    for answer in [
        "`a. A".to_owned() + &". A".repeat(300_000),
        "[".repeat(300_000),
        "[Q-1]".repeat(100_000),
        "a\n".repeat(300_000),
        "- ".repeat(300_000),
    ] {
        check_citations(&answer, &["Q-1"]);
    }
}

proptest! {
    #[test]
    fn sentences_are_parts_of_the_answer_in_order(answer in "([A-Za-z0-9 .!?`#>*\\n-]|\\[Q-1\\]|ä|👍){0,80}") {
        let mut from = 0;
        for sentence in sentences(&answer) {
            let at = answer[from..].find(sentence);
            prop_assert!(at.is_some(), "{:?} in {:?}", sentence, answer);
            from += at.unwrap() + sentence.len();
        }
    }
}

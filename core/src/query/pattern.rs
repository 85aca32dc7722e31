//! A small language for phrases. A pattern is a row of steps:
//!
//! | step | stands for |
//! |---|---|
//! | `a\|b` | one of these words |
//! | `?a\|b` | one of them or nothing |
//! | `!a\|b` | nothing, and the next word is none of them |
//! | `-a\|b` | nothing, and the word before is none of them |
//! | `^`, `$` | the first word follows; no word follows |
//! | `..`, `...` | up to 4, up to 12 words |
//! | `@name` | a word with a capital |
//! | `@person` | one to three words that can be somebody |
//! | `@we` | those who decide |
//! | `@say` | a verb of saying |
//!
//! A phrase does not go on behind punctuation that ends one.

use super::word::{Word, is_one_of};

/// Whether a pattern occurs anywhere.
pub fn occurs(pattern: &str, words: &[Word]) -> bool {
    let steps: Vec<&str> = pattern.split(' ').collect();
    (0..words.len()).any(|at| matches(&steps, words, at, at))
}

/// Whether the steps match from a word on. Each call takes a step away; the repeated ones are bounded, and no pattern has
/// more than two of them.
fn matches(steps: &[&str], words: &[Word], start: usize, at: usize) -> bool {
    let Some((step, rest)) = steps.split_first() else { return true };
    let broken = at > start && words[at - 1].ends_phrase;
    let here = if broken { None } else { words.get(at) };
    let go_on = |count: usize| matches(rest, words, start, at + count);
    let is = |list: &str| here.is_some_and(|word| is_one_of(&word.plain, list));
    match *step {
        "^" => at == 0 && go_on(0),
        "$" => at == words.len() && go_on(0),
        ".." => (0..=4).take_while(|count| joined(words, at, *count)).any(go_on),
        "..." => (0..=12).take_while(|count| joined(words, at, *count)).any(go_on),
        "@name" => here.is_some_and(Word::is_capitalized) && go_on(1),
        "@person" => (1..=3)
            .take_while(|count| joined(words, at, *count) && is_somebody(&words[at + count - 1]))
            .any(go_on),
        "@we" => (is(DECIDERS) && go_on(1)) || (is("the|our") && after_article(words, at) && go_on(2)),
        "@say" => is(SAYING) && go_on(1),
        list => match list.split_at(1) {
            ("?", list) => (is(list) && go_on(1)) || go_on(0),
            ("!", list) => !is(list) && go_on(0),
            ("-", list) => !(at > 0 && is_one_of(&words[at - 1].plain, list)) && go_on(0),
            _ => is(list) && go_on(1),
        },
    }
}

/// Whether so many words from here are there, with the word before them in one phrase.
fn joined(words: &[Word], at: usize, count: usize) -> bool {
    let first = at.saturating_sub(1);
    at + count <= words.len()
        && (count == 0 || words[first..at + count - 1].iter().all(|word| !word.ends_phrase))
}

fn after_article(words: &[Word], at: usize) -> bool {
    words.get(at + 1).is_some_and(|word| is_one_of(&word.plain, DECIDERS))
}

const DECIDERS: &str =
    "we|they|i|you|team|board|group|committee|leadership|management|everyone|anyone|anybody";

const SAYING: &str = "say|says|said|mention|mentioned|tell|told|suggest|suggested|propose|proposed|recommend|\
                      recommended|claim|claimed|promise|promised|think|thought|ask|asked|complain|complained";

/// Things that also say something, and whom a question is put to.
const NOBODY: &str = "log|logs|error|message|doc|docs|documentation|readme|spec|config|page|file|code|test|tests|ticket|\
                      contract|policy|you|it|this|that|header|output|manual|rfc|comment|standard";

fn is_somebody(word: &Word) -> bool {
    !is_one_of(&word.plain, NOBODY)
}

//! Sentences and their clauses: which can be events, and which only ask, suppose or deny.

use std::ops::Range;

use super::pattern::{Match, Sentence};
use super::table::{RULES, Rule};
use crate::event::lexicon::LISTS;
use crate::event::token::{After, Token};
use crate::query::word::is_one_of;
use crate::sentence::sentence_starts;

/// A longer sentence is none that somebody has said or written.
const MOST_WORDS: usize = 120;

/// The sentences of a line; a line end inside of it ends none.
pub fn sentences(text: &str, line: Range<usize>) -> Vec<Range<usize>> {
    // As long as the line, so that places are the same.
    let one_line: String =
        text[line.clone()].chars().map(|c| if matches!(c, '\n' | '\r') { ' ' } else { c }).collect();
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut starts = sentence_starts(&one_line).chain([one_line.len()]);
    let mut start = starts.next().unwrap_or(0);
    for end in starts {
        // `Dr. Okafor` does not end at the full stop.
        if is_abbreviated(one_line[start..end].trim_end()) && end < one_line.len() {
            continue;
        }
        let trimmed = one_line[start..end].trim();
        if !trimmed.is_empty() {
            let begin =
                line.start + start + (one_line[start..end].len() - one_line[start..end].trim_start().len());
            found.push(begin..begin + trimmed.len());
        }
        start = end;
    }
    found
}

fn is_abbreviated(sentence: &str) -> bool {
    const SHORT: [&str; 12] =
        ["dr.", "mr.", "mrs.", "ms.", "prof.", "st.", "e.g.", "i.e.", "vs.", "approx.", "no.", "inc."];
    let last = sentence.rsplit([' ', '(']).next().unwrap_or_default().to_lowercase();
    SHORT.contains(&last.as_str())
}

/// What was found in a clause.
pub struct Finding {
    pub rule: &'static Rule,
    pub found: Match,
    /// The words of its clause.
    pub clause: Range<usize>,
}

/// The events of a sentence, at most one for each clause. `text` is how it is written.
pub fn findings(
    sentence: &Sentence<'_, '_>,
    text: &str,
    accepts: impl Fn(&Rule, &Match, &Range<usize>) -> bool,
) -> Vec<Finding> {
    let tokens = sentence.tokens;
    if tokens.is_empty() || tokens.len() > MOST_WORDS || asks(tokens, text) || supposes(tokens) {
        return Vec::new();
    }
    let rules: Vec<&'static Rule> = RULES.iter().filter(|rule| rule.pattern.may_match(tokens)).collect();
    let mut findings = Vec::new();
    for clause in clauses(tokens) {
        let first = rules.iter().filter_map(|rule| {
            let found = rule.pattern.find(sentence, clause.clone())?;
            let fits = !is_gated(tokens, &clause, &found) && accepts(rule, &found, &clause);
            fits.then_some(Finding { rule, found, clause: clause.clone() })
        });
        // The first of those that begin first.
        findings.extend(first.min_by_key(|finding| finding.found.words.start));
    }
    findings
}

/// A question.
fn asks(tokens: &[Token<'_>], text: &str) -> bool {
    let lists = &*LISTS;
    let inverted = tokens.len() > 1
        && (tokens[0].is(lists.be.union(lists.have))
            || matches!(
                &*tokens[0].plain,
                "do" | "does" | "did" | "can" | "could" | "will" | "would" | "should" | "shall"
            ))
        && (tokens[1].is(lists.pronoun.union(lists.det))
            || matches!(&*tokens[1].plain, "you" | "it" | "there" | "anyone"));
    text.trim_end_matches(['"', '”', '\'', ')', '*', '_', ' ']).ends_with('?')
        || tokens[0].is(lists.wh)
        || inverted
}

/// A sentence that supposes something from its start, or teaches how it is done.
fn supposes(tokens: &[Token<'_>]) -> bool {
    let first = tokens.iter().find(|token| !token.is(LISTS.filler)).unwrap_or(&tokens[0]);
    if matches!(
        &*first.plain,
        "if" | "unless"
            | "suppose"
            | "supposing"
            | "assuming"
            | "imagine"
            | "whether"
            | "should"
            | "had"
            | "maybe"
            | "perhaps"
            | "hopefully"
    ) {
        return true;
    }
    let teaches = |pair: &[Token<'_>]| {
        pair[0].plain == "this"
            && matches!(
                &*pair[1].plain,
                "section"
                    | "tutorial"
                    | "chapter"
                    | "guide"
                    | "document"
                    | "example"
                    | "article"
                    | "page"
                    | "exercise"
                    | "lesson"
                    | "video"
                    | "post"
            )
    };
    tokens.windows(2).any(teaches)
}

/// The clauses of a sentence. A new one begins behind a semicolon, and where another one does something else: `Nadia will
/// prepare the slides and Owen will book the room`.
fn clauses(tokens: &[Token<'_>]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for at in 1..tokens.len() {
        let before = &tokens[at - 1];
        let is_joint = matches!(&*tokens[at].plain, "and" | "but" | "while" | "whereas" | "so");
        let begins = at + usize::from(is_joint);
        let has_verb = || tokens[start..at].iter().any(is_finite);
        // `as Alan and Dan said`
        let is_pair = is_joint
            && before.after == After::Nothing
            && before.is_capitalized()
            && tokens.get(begins).is_some_and(Token::is_capitalized);
        let new = before.after == After::Break
            || ((is_joint || before.after == After::Comma)
                && begins_clause(tokens, begins)
                && !is_pair
                && has_verb());
        if new && at > start {
            found.push(start..at);
            start = if before.after == After::Break { at } else { begins };
        }
    }
    found.push(start.min(tokens.len())..tokens.len());
    found
}

fn is_finite(token: &Token<'_>) -> bool {
    token.is(LISTS.verbal) || matches!(&*token.plain, "will" | "shall" | "can" | "need" | "needs")
}

/// Whether somebody and a verb stand at a place.
fn begins_clause(tokens: &[Token<'_>], at: usize) -> bool {
    let lists = &*LISTS;
    let Some(first) = tokens.get(at) else { return false };
    let is_somebody = first.is(lists.pronoun)
        || first.is(lists.det)
        || first.is_capitalized()
        || first.plain.starts_with('@');
    let verb = tokens[at + 1..].iter().take(3).position(is_finite);
    is_somebody && verb.is_some()
}

/// Whether words before the event, or a condition behind it, take it back.
fn is_gated(tokens: &[Token<'_>], clause: &Range<usize>, found: &Match) -> bool {
    let lists = &*LISTS;
    let before = &tokens[clause.start..found.words.start];
    let doubts = lists.hypo.union(lists.neg).union(lists.wh);
    let begins_subordinate = tokens[clause.start].is(lists.sub);
    let is_possible = |at: usize| {
        tokens.get(at + 1).is_some_and(|next| matches!(&*next.plain, "possible" | "needed" | "necessary"))
    };
    // Also of a clause before it: `if we are done, we are done`.
    let conditional = (0..clause.end)
        .any(|at| matches!(&*tokens[at].plain, "if" | "unless" | "provided") && !is_possible(at));
    before.iter().any(|token| token.is(doubts) || token.is(lists.sub))
        || is_relative(tokens, clause, found)
        || (begins_subordinate && before.iter().all(|token| token.after == After::Nothing))
        || conditional
}

/// Whether the event only describes something else: `as we discussed`, `the camera I bought`.
fn is_relative(tokens: &[Token<'_>], clause: &Range<usize>, found: &Match) -> bool {
    let lists = &*LISTS;
    // `certificates that have been approved`
    let led = |at: &usize| {
        let before = &tokens[*at - 1];
        before.after == After::Nothing && before.is(lists.have.union(lists.be).union(lists.adv))
    };
    let mut at = found.words.start;
    while at > clause.start && led(&at) {
        at -= 1;
    }
    if at == clause.start || tokens[at - 1].after != After::Nothing {
        return false;
    }
    let before = &tokens[at - 1];
    if matches!(&*before.plain, "as" | "that" | "than" | "who" | "which") {
        return true;
    }
    let leads = |token: &Token<'_>| {
        const LEADS: &str = "after|in|on|at|during|following|since|with|for|by|last|this|and|but|because|then|so|ago|earlier|later|know";
        token.is(lists.filler.union(lists.adv).union(lists.calendar))
            || is_one_of(&token.plain, LEADS)
            || token.plain.ends_with("ly")
    };
    // `So last week we decided`, but not `So the law I wrote`.
    let first = tokens[clause.start..at].iter().find(|token| !token.is(lists.filler)).unwrap_or(before);
    // `This week we decided`, but not `This is the picture I took`.
    let is_said_of = tokens[clause.start..at].iter().any(is_finite);
    tokens[at].is(lists.pronoun) && !leads(before) && (is_said_of || !leads(first))
}

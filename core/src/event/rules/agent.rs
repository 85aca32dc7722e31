//! Who does something: people by name, teams, and pronouns.

use std::ops::Range;

use super::people::People;
use crate::event::lexicon::LISTS;
use crate::event::token::{After, Token};

/// One who does something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agent {
    /// Who.
    pub kind: AgentKind,
    /// Their words, without an article.
    pub words: Range<usize>,
}

/// Who it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentKind {
    /// `I`.
    Speaker,
    /// `we`, `everyone`.
    We,
    /// `they`, `he`: somebody whom the text has named before.
    Somebody,
    /// A person who is known, or is called by a title, a handle or several names.
    Person,
    /// One word with a capital that may be a person.
    Name,
    /// A team, a company, or somebody by their office.
    Group,
}

/// Agents that are joined by commas and `and`, up to the word at the end.
#[derive(Clone, Debug)]
pub struct Agents {
    pub all: Vec<Agent>,
    pub end: usize,
}

/// The agents that begin at a word.
pub fn agents_at(tokens: &[Token<'_>], at: usize, people: &People<'_>) -> Option<Agents> {
    const MOST: usize = 8;
    let first = agent_at(tokens, at, people)?;
    let mut end = first.words.end;
    let mut all = vec![first];
    let mut listed = false;
    while all.len() < MOST {
        let is_and = tokens.get(end).is_some_and(|token| matches!(&*token.plain, "and" | "&"));
        let joined = is_and || tokens[end - 1].after == After::Comma;
        let next = end + usize::from(is_and);
        let Some(agent) = (if joined { agent_at(tokens, next, people) } else { None }) else { break };
        end = agent.words.end;
        listed |= is_and;
        all.push(agent);
    }
    // `Bob, Alice will send it` is said to Bob.
    if !listed {
        all.drain(..all.len() - 1);
    }
    Some(Agents { all, end })
}

fn agent_at(tokens: &[Token<'_>], at: usize, people: &People<'_>) -> Option<Agent> {
    let token = tokens.get(at)?;
    if token.is_quoted {
        return None;
    }
    let agent = |kind, words| Some(Agent { kind, words });
    match &*token.plain {
        "i" if token.raw == "I" || at == 0 => return agent(AgentKind::Speaker, at..at + 1),
        "we" | "everyone" | "everybody" => return agent(AgentKind::We, at..at + 1),
        "they" | "he" | "she" => return agent(AgentKind::Somebody, at..at + 1),
        plain if plain.starts_with('@') && plain.len() > 1 => return agent(AgentKind::Person, at..at + 1),
        _ => {}
    }
    if let Some(words) = group_at(tokens, at) {
        return agent(AgentKind::Group, words);
    }
    name_at(tokens, at, people)
}

/// `the design team`, `Engineering`, `our two vendors`, `The CEO`.
fn group_at(tokens: &[Token<'_>], at: usize) -> Option<Range<usize>> {
    const LONGEST: usize = 4;
    let lists = &*LISTS;
    let has_article = tokens[at].is(lists.det);
    let start = at + usize::from(has_article);
    let head = lists.orgnoun.union(if has_article { lists.rolenoun } else { lists.orgnoun });
    for end in start..tokens.len().min(start + LONGEST) {
        let token = &tokens[end];
        let next_is_head =
            tokens.get(end + 1).is_some_and(|next| next.is(head) && token.after == After::Nothing);
        if token.is(head)
            && !token.is_possessive
            && (has_article || end > start || token.is_capitalized())
            && !next_is_head
        {
            // `Team Alpha`
            let named = tokens.get(end + 1).is_some_and(|next| {
                token.after == After::Nothing
                    && token.is_capitalized()
                    && next.is_capitalized()
                    && next.tags.is_empty()
            });
            return Some(start..end + 1 + usize::from(named));
        }
        let goes_on = token.after == After::Nothing
            && !token.is_possessive
            && (has_article || token.is_capitalized())
            && !(end > start && token.is(lists.det))
            && !token.is(lists.be.union(lists.have).union(lists.neg).union(lists.hypo).union(lists.verbal));
        if !goes_on {
            break;
        }
    }
    // `Engineering`, also as one of several: `Engineering and design`.
    let before_is_and =
        at > 1 && matches!(&*tokens[at - 1].plain, "and" | "&") && tokens[at - 2].is(lists.team);
    let is_team = tokens[at].is(lists.team) && (tokens[at].is_capitalized() || before_is_and);
    is_team.then_some(at..at + 1)
}

/// `Dr. Okafor`, `Anjali Rao`, `Bob`.
fn name_at(tokens: &[Token<'_>], at: usize, people: &People<'_>) -> Option<Agent> {
    const LONGEST: usize = 3;
    let lists = &*LISTS;
    // `the Kubelet` is no person.
    if at > 0 && tokens[at - 1].is(lists.det) && tokens[at - 1].after == After::Nothing {
        return None;
    }
    let not_names = lists.common.union(lists.calendar).union(lists.pronoun);
    // Neither is the second word of `the Control Plane`.
    let goes_on =
        |before: &Token<'_>| before.after == After::Nothing && is_name(before) && before.tags.is_empty();
    if at > 0 && goes_on(&tokens[at - 1]) && !people.knows(tokens[at].raw) {
        return None;
    }
    let has_title = tokens[at].is(lists.title) && tokens[at].is_capitalized();
    let start = at + usize::from(has_title);
    let mut end = start;
    while end < tokens.len().min(start + LONGEST) && is_name(&tokens[end]) && !tokens[end].is(not_names) {
        end += 1;
        if tokens[end - 1].after != After::Nothing || tokens[end - 1].is_possessive {
            break;
        }
    }
    if end == start || tokens[end - 1].is_possessive {
        return None;
    }
    let known = people.knows(tokens[start].raw);
    let begins_sentence = at == 0 || tokens[at - 1].after == After::Break;
    if begins_sentence && !known && !has_title && people.is_no_name(&tokens[start]) {
        return None;
    }
    let is_person = known || has_title || end > start + 1;
    Some(Agent { kind: if is_person { AgentKind::Person } else { AgentKind::Name }, words: at..end })
}

/// A word with a capital, small letters behind it, and nothing else: no `ResourceClaim`, and no `PVCs`.
fn is_name(token: &Token<'_>) -> bool {
    let mut before = ' ';
    let mut small = 0;
    for c in token.raw.chars() {
        let joins = matches!(c, '.' | '\'' | '’' | '-');
        let may_be_large = matches!(before, ' ' | '.' | '\'' | '’' | '-' | 'c');
        if !(joins || c.is_lowercase() || (c.is_uppercase() && may_be_large)) {
            return false;
        }
        small += usize::from(c.is_lowercase());
        before = c;
    }
    token.is_capitalized() && small > 0
}

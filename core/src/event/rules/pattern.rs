//! A small language for the shapes of sentences. A pattern is a row of steps:
//!
//! | step | stands for |
//! |---|---|
//! | `a\|#b` | the word `a`, or one of the list `b`; also `@cap`, `@num`, `@time` and `$` can be one of several |
//! | `?a` | that or nothing |
//! | `*a` | up to four of it |
//! | `!a` | nothing, and the next word is not that |
//! | `-a` | nothing, and the word before is not that |
//! | `^`, `$` | the first word follows, after words that only lead in; no word follows |
//! | `..`, `...` | up to 4, up to 10 words of the same phrase that deny nothing |
//! | `@agent` | who does something |
//! | `@solo` | one of them, and neither `we` nor `they` |
//! | `@person` | a person, or a name that may be one |
//! | `@name` | a name, or somebody by their office |
//! | `@time` | a time |
//! | `@cap` | a word with a capital |
//! | `@num` | a number or an amount |
//! | `@any` | one word |
//! | `@verb` | a verb that promises something |
//! | `@does` | a verb that ends like `sends` |
//! | `<` | nothing; what the event is about begins here |
//! | `~` | nothing; the word before it is what the event hangs on |

use std::ops::Range;

use super::agent::{Agent, AgentKind, agents_at};
use super::people::People;
use crate::event::lexicon::{LISTS, Tags, tag};
use crate::event::token::{After, Token};

/// A pattern that was read.
#[derive(Debug)]
pub struct Pattern {
    steps: Vec<Step>,
    /// Words that must be in a sentence for the pattern to match.
    needs: Vec<Words>,
}

#[derive(Debug)]
enum Step {
    Is(Words),
    Maybe(Words),
    Many(Words),
    Not(Words),
    NotBefore(Words),
    First,
    Last,
    Gap(usize),
    Who(Who),
    Time,
    Any,
    Verb,
    Does,
    About,
    Trigger,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    Agent,
    Solo,
    Person,
    Name,
}

/// Words, by themselves, by their lists or by their looks.
#[derive(Debug, Default)]
struct Words {
    literal: Vec<&'static str>,
    tags: Tags,
    capital: bool,
    number: bool,
    time: bool,
    /// No word at all.
    last: bool,
}

impl Words {
    fn read(text: &'static str) -> Option<Self> {
        let mut words = Self::default();
        for word in text.split('|') {
            match word {
                "@cap" => words.capital = true,
                "@num" => words.number = true,
                "@time" => words.time = true,
                "$" => words.last = true,
                _ => match word.strip_prefix('#') {
                    Some(list) => words.tags = words.tags.union(tag(list)?),
                    None if word.is_empty() || word.starts_with('@') => return None,
                    None => words.literal.push(word),
                },
            }
        }
        Some(words)
    }

    /// Whether only the word decides, and not where it stands.
    fn is_plain(&self) -> bool {
        !(self.capital || self.number || self.time || self.last)
    }

    fn have(&self, token: &Token<'_>) -> bool {
        token.is(self.tags)
            || self.literal.contains(&&*token.plain)
            || (self.capital && token.is_capitalized())
            || (self.number && token.raw.contains(|c: char| c.is_ascii_digit()))
    }
}

/// What a pattern has found.
#[derive(Clone, Debug, Default)]
pub struct Match {
    /// The words of it.
    pub words: Range<usize>,
    /// Who does it.
    pub agents: Vec<Agent>,
    /// Where the words begin that say what it is about.
    pub about: Option<usize>,
    /// The word that it hangs on.
    pub trigger: usize,
}

/// What a pattern is matched with.
pub struct Sentence<'s, 'a> {
    pub tokens: &'s [Token<'a>],
    /// Where times stand.
    pub times: &'s [Range<usize>],
    pub people: &'s People<'a>,
}

impl Pattern {
    /// None if it is malformed.
    pub fn read(text: &'static str) -> Option<Self> {
        let steps: Vec<Step> = text.split(' ').map(step).collect::<Option<_>>()?;
        let needed = text
            .split(' ')
            .filter(|step| !step.starts_with(['?', '*', '!', '-', '^', '$', '.', '@', '<', '~']));
        let needs: Vec<Words> = needed.map(Words::read).collect::<Option<_>>()?;
        Some(Self { steps, needs: needs.into_iter().filter(Words::is_plain).collect() })
    }

    /// Whether all words are there without which it cannot match.
    pub fn may_match(&self, tokens: &[Token<'_>]) -> bool {
        self.needs.iter().all(|words| tokens.iter().any(|token| words.have(token)))
    }

    /// The first place where it matches, in a part of a sentence.
    pub fn find(&self, sentence: &Sentence<'_, '_>, part: Range<usize>) -> Option<Match> {
        let matcher = Matcher { sentence, part: part.clone() };
        part.clone().find_map(|start| {
            let mut found = Match { words: start..start, trigger: start, ..Match::default() };
            matcher.matches(&self.steps, start, &mut found).then_some(found)
        })
    }
}

fn step(text: &'static str) -> Option<Step> {
    Some(match text {
        "^" => Step::First,
        "$" => Step::Last,
        ".." => Step::Gap(4),
        "..." => Step::Gap(10),
        "@agent" => Step::Who(Who::Agent),
        "@solo" => Step::Who(Who::Solo),
        "@person" => Step::Who(Who::Person),
        "@name" => Step::Who(Who::Name),
        "@time" => Step::Time,
        "@cap" | "@num" => Step::Is(Words::read(text)?),
        "@any" => Step::Any,
        "@verb" => Step::Verb,
        "@does" => Step::Does,
        "<" => Step::About,
        "~" => Step::Trigger,
        words => match words.split_at_checked(1)? {
            ("?", words) => Step::Maybe(Words::read(words)?),
            ("*", words) => Step::Many(Words::read(words)?),
            ("!", words) => Step::Not(Words::read(words)?),
            ("-", words) => Step::NotBefore(Words::read(words)?),
            _ => Step::Is(Words::read(words)?),
        },
    })
}

struct Matcher<'s, 'a> {
    sentence: &'s Sentence<'s, 'a>,
    part: Range<usize>,
}

impl Matcher<'_, '_> {
    /// Whether the steps match from a word on. Each call takes a step away, and what repeats is bounded.
    fn matches(&self, steps: &[Step], at: usize, found: &mut Match) -> bool {
        let Some((step, rest)) = steps.split_first() else {
            found.words.end = at;
            return true;
        };
        let tokens = self.sentence.tokens;
        let begun = at > found.words.start;
        let broken = begun && tokens[at - 1].after == After::Break;
        let here = if broken || !self.part.contains(&at) { None } else { tokens.get(at) };
        let here = here.filter(|token| !token.is_quoted);
        let is_time = || self.sentence.times.iter().any(|time| time.start == at);
        let is = |words: &Words| here.is_some_and(|token| words.have(token) || (words.time && is_time()));
        match step {
            Step::Is(words) if words.last && at == self.part.end => self.matches(rest, at, found),
            Step::Is(words) => is(words) && self.matches(rest, at + 1, found),
            Step::Maybe(words) => {
                (is(words) && self.matches(rest, at + 1, found)) || self.matches(rest, at, found)
            }
            Step::Many(words) => {
                (0..=self.run(at, words)).rev().any(|count| self.matches(rest, at + count, found))
            }
            Step::Not(words) => !is(words) && self.matches(rest, at, found),
            Step::NotBefore(words) => {
                !(at > self.part.start && words.have(&tokens[at - 1])) && self.matches(rest, at, found)
            }
            Step::First => self.leads_in(at) && self.matches(rest, at, found),
            Step::Last => at == self.part.end && self.matches(rest, at, found),
            Step::Gap(most) => self.gap(at, *most).any(|count| self.matches(rest, at + count, found)),
            Step::Who(who) => here.is_some() && self.who(*who, rest, at, found),
            Step::Time => {
                let time = self.sentence.times.iter().find(|time| time.start == at);
                here.is_some() && time.is_some_and(|time| self.matches(rest, time.end, found))
            }
            Step::Any => here.is_some() && self.matches(rest, at + 1, found),
            Step::Verb => here.is_some_and(promises) && self.matches(rest, at + 1, found),
            Step::Does => here.is_some_and(does) && self.matches(rest, at + 1, found),
            Step::About => {
                let before = found.about.replace(at);
                self.matches(rest, at, found) || {
                    found.about = before;
                    false
                }
            }
            Step::Trigger => {
                let before = std::mem::replace(&mut found.trigger, at.saturating_sub(1));
                self.matches(rest, at, found) || {
                    found.trigger = before;
                    false
                }
            }
        }
    }

    /// How many words from here on are of a list, up to four.
    fn run(&self, at: usize, words: &Words) -> usize {
        let tokens = &self.sentence.tokens[at.min(self.part.end)..self.part.end];
        let length = tokens.iter().take(4).take_while(|token| words.have(token)).count();
        // Not over the end of a phrase.
        tokens[..length].iter().position(|token| token.after == After::Break).map_or(length, |last| last + 1)
    }

    /// How many words from here on can be passed over.
    fn gap(&self, at: usize, most: usize) -> impl Iterator<Item = usize> + '_ {
        let tokens = &self.sentence.tokens[at.min(self.part.end)..self.part.end];
        let passes = |token: &Token<'_>| !token.is(LISTS.neg) && !token.is_quoted;
        let count = tokens.iter().take(most).take_while(|token| passes(token)).count();
        let broken = tokens[..count].iter().position(|token| token.after != After::Nothing);
        0..=broken.map_or(count, |last| last + 1)
    }

    /// Whether only words that lead in stand before, such as `okay, so`.
    fn leads_in(&self, at: usize) -> bool {
        self.sentence.tokens[self.part.start..at].iter().all(|token| token.is(LISTS.filler))
    }

    fn who(&self, who: Who, rest: &[Step], at: usize, found: &mut Match) -> bool {
        let Some(agents) = agents_at(self.sentence.tokens, at, self.sentence.people) else { return false };
        let is_person = |agent: &Agent| matches!(agent.kind, AgentKind::Person | AgentKind::Name);
        let fits = match who {
            Who::Agent => true,
            Who::Solo => {
                agents.all.len() == 1 && !matches!(agents.all[0].kind, AgentKind::We | AgentKind::Somebody)
            }
            Who::Person => agents.all.iter().all(is_person),
            Who::Name => agents.all.iter().all(|agent| is_person(agent) || agent.kind == AgentKind::Group),
        };
        if !fits || agents.end > self.part.end {
            return false;
        }
        let before = found.agents.len();
        found.agents.extend(agents.all);
        self.matches(rest, agents.end, found) || {
            found.agents.truncate(before);
            false
        }
    }
}

/// Whether a verb after `will` promises something. It is in its base form, and none of those that promise nothing.
fn promises(token: &Token<'_>) -> bool {
    let lists = &*LISTS;
    let not_verbs = lists.idle.union(lists.det).union(lists.neg).union(lists.pronoun).union(lists.adv);
    let is_base = !["ing", "ed", "ly"].iter().any(|ending| token.plain.ends_with(ending));
    (is_base || token.is(lists.human)) && !token.is(not_verbs) && token.raw.starts_with(char::is_lowercase)
}

/// Whether a word can be what somebody does: `sends`, but not `is`, `was` or `thinks`.
fn does(token: &Token<'_>) -> bool {
    let lists = &*LISTS;
    let is_verb = token.plain.len() > 3 && token.plain.ends_with('s') && !token.plain.ends_with("ss");
    is_verb
        && token.raw.starts_with(char::is_lowercase)
        && !token.is(lists.verbal.union(lists.hypo).union(lists.neg))
}

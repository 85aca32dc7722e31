//! What an event is about: the words after its verb, else the heading, else the title.

use crate::event::check::LONGEST_REF;
use crate::event::lexicon::LISTS;
use crate::event::time::Read;
use crate::event::token::{After, Token};
use crate::event::{Subject, SubjectType};
use crate::query::word::is_one_of;

/// Where to look.
pub struct About<'t, 'a> {
    /// Up to the end of the clause.
    pub tokens: &'t [Token<'a>],
    /// Where the words begin.
    pub from: usize,
    pub times: &'t [Read],
}

/// Words that end a name of something.
const STOPS: &str = "to by from with for on at in into onto because that which who after before until since over under \
                     about against instead as and or but so when while if than during within without through via will \
                     shall not is are was were be been has have had";

/// Words that may stand before it.
const LEADS: &str =
    "will|shall|to|on|that|for|with|up|out|off|over|not|against|in|of|about|actually|please|back|be|by";

const PROJECTS: &str = "project|programme|program|initiative|launch|roadmap|release|milestone|redesign|migration|rollout|campaign";

/// What it is about. There is always something: at the worst the words themselves.
pub fn of(about: &About<'_, '_>, heading: Option<&str>, title: Option<&str>) -> Subject {
    let phrase = phrase(about);
    if let Some(kind) = kind(&phrase) {
        return Subject { kind, name: joined(&phrase) };
    }
    let named = heading.into_iter().chain(title).map(str::trim).find(|name| !name.is_empty());
    match named {
        Some(name) => Subject { kind: SubjectType::Other, name: name.chars().take(LONGEST_REF).collect() },
        None if about.tokens.is_empty() => Subject { kind: SubjectType::Other, name: "unknown".to_owned() },
        None => {
            let all: Vec<&Token<'_>> = about.tokens.iter().take(6).collect();
            Subject { kind: SubjectType::Other, name: joined(&all) }
        }
    }
}

/// The words of a thing: without article, up to six.
fn phrase<'t, 'a>(about: &About<'t, 'a>) -> Vec<&'t Token<'a>> {
    const LONGEST: usize = 6;
    let lists = &*LISTS;
    let leads = |token: &&Token<'_>| {
        // `09:40 rolled back`
        let is_clock = token.plain.contains(':') && token.plain.starts_with(|c: char| c.is_ascii_digit());
        is_clock
            || is_one_of(&token.plain, LEADS)
            || token.is(lists.det.union(lists.adv)) && !token.is_possessive
    };
    let from = about.from.min(about.tokens.len());
    let start = from + about.tokens[from..].iter().take_while(leads).count();
    let mut words = Vec::new();
    for (at, token) in about.tokens.iter().enumerate().skip(start).take(LONGEST) {
        let is_time = about.times.iter().any(|time| time.words.start == at);
        if is_time || STOPS.split(' ').any(|stop| stop == token.plain) {
            break;
        }
        words.push(token);
        if token.after != After::Nothing {
            break;
        }
    }
    words
}

fn kind(phrase: &[&Token<'_>]) -> Option<SubjectType> {
    let lists = &*LISTS;
    let is_only = |token: &&Token<'_>| {
        token.is(lists.pronoun) || matches!(&*token.plain, "it" | "you" | "us" | "me" | "them" | "there")
    };
    if phrase.first().is_none_or(is_only) {
        return None;
    }
    let is_project = phrase.iter().any(|token| is_one_of(&token.plain, PROJECTS));
    Some(if is_project { SubjectType::Project } else { SubjectType::Object })
}

fn joined(words: &[&Token<'_>]) -> String {
    words.iter().map(|token| token.raw).collect::<Vec<_>>().join(" ").chars().take(LONGEST_REF).collect()
}

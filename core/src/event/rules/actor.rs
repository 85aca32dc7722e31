//! Who has to do with an event, and as what.

use std::ops::Range;

use super::agent::{Agent, AgentKind, agents_at};
use super::pattern::Match;
use super::people::People;
use crate::event::check::{LONGEST_REF, MOST_ACTORS};
use crate::event::lexicon::LISTS;
use crate::event::token::{After, Token};
use crate::event::{Actor, Category, Role};
use crate::query::word::is_one_of;

/// Those whom a sentence names: who does it, and people who are known and take part.
pub fn told(
    words: &[Token<'_>],
    clause: &Range<usize>,
    found: &Match,
    category: Category,
    speaker: Option<&str>,
    people: &People<'_>,
) -> Vec<Actor> {
    let mut actors = Vec::new();
    let is_role = |token: &&Token<'_>| token.is(LISTS.role);
    let named = words[found.words.start..clause.end].iter().find(is_role);
    let role = role_of(category, &named.unwrap_or(&words[found.trigger]).plain);
    for agent in &found.agents {
        add(&mut actors, agent, words, role, speaker);
    }
    let mut at = found.words.start;
    while at < clause.end {
        let Some(agents) = agents_at(words, at, people) else {
            at += 1;
            continue;
        };
        for agent in agents.all.iter().filter(|agent| agent.words.end <= clause.end) {
            let takes_part = agent.kind == AgentKind::Person
                || (category == Category::Collaboration && agent.kind != AgentKind::Somebody);
            if takes_part {
                add(&mut actors, agent, words, Role::Contributor, speaker);
            }
        }
        at = agents.end;
    }
    actors
}

/// What a labelled line or an item says about people.
pub struct Stated {
    pub actors: Vec<Actor>,
    /// Where the words begin that say what it is about.
    pub after: usize,
    /// Whether it is said by somebody about themselves.
    pub needs_speaker: bool,
}

/// Those whom a labelled line or an item names: who leads it (`Bob to ...`, `Bob: ...`), who is called by a handle, and who
/// stands alone at its end.
pub fn stated(
    words: &[Token<'_>],
    people: &People<'_>,
    category: Category,
    role: Option<Role>,
    speaker: Option<&str>,
) -> Stated {
    let mut stated = Stated { actors: Vec::new(), after: 0, needs_speaker: false };
    let role = role.unwrap_or_else(|| role_of(category, ""));
    if let Some(agents) = agents_at(words, 0, people)
        && leads(words, agents.end, &agents.all)
    {
        for agent in &agents.all {
            let said = matches!(agent.kind, AgentKind::Speaker | AgentKind::We) && speaker.is_some();
            stated.needs_speaker |= said;
            add(&mut stated.actors, agent, words, role, speaker);
        }
        stated.after = agents.end;
    }
    if stated.actors.is_empty()
        && let Some(speaker) = speaker
    {
        push(&mut stated.actors, speaker.to_owned(), role);
    }
    for at in 0..words.len() {
        let is_alone = at > 0 && at + 1 == words.len() && words[at - 1].after == After::Break;
        if !(is_alone || words[at].plain.starts_with('@')) {
            continue;
        }
        for agent in agents_at(words, at, people).iter().flat_map(|agents| &agents.all) {
            add(&mut stated.actors, agent, words, role, speaker);
        }
    }
    stated
}

/// Whether those at the start of an item are who does it, and not its first word: `Book the room`.
fn leads(words: &[Token<'_>], end: usize, agents: &[Agent]) -> bool {
    let broken = words[end - 1].after == After::Break;
    let sure = agents.iter().all(|agent| !matches!(agent.kind, AgentKind::Name));
    let next = words.get(end).map_or("", |token| &*token.plain);
    let does = next.len() > 3 && next.ends_with('s') && !next.ends_with("ss");
    broken || sure || matches!(next, "" | "to" | "will" | "shall" | "is" | "has") || does
}

fn role_of(category: Category, trigger: &str) -> Role {
    const OWNERS: &str = "owner|lead|leader|manager|dri|pm|head|master|chair|director|own|owns|leads|heads|chairs|oversees|\
                          responsible|accountable|over|charge|be|president|ceo|cto|cfo|coo|cio|vp|maintainer|chairman|chairwoman";
    match category {
        Category::Stakeholder if is_one_of(trigger, "reviewer|approver|tester") => Role::Reviewer,
        Category::Stakeholder
            if is_one_of(trigger, "sponsor|stakeholder|contact|contacts|liaison|representative") =>
        {
            Role::Stakeholder
        }
        Category::Stakeholder if is_one_of(trigger, OWNERS) => Role::Owner,
        Category::Stakeholder | Category::Collaboration | Category::QualityRisk => Role::Contributor,
        Category::Feedback => Role::Stakeholder,
        Category::Commitment | Category::Execution | Category::Decision | Category::Change => Role::Owner,
    }
}

fn add(actors: &mut Vec<Actor>, agent: &Agent, words: &[Token<'_>], role: Role, speaker: Option<&str>) {
    match (agent.kind, speaker) {
        (AgentKind::Speaker, Some(speaker)) => push(actors, speaker.to_owned(), role),
        (AgentKind::We, Some(speaker)) => push(actors, speaker.to_owned(), Role::Contributor),
        (AgentKind::Speaker | AgentKind::We | AgentKind::Somebody, _) => {}
        _ => push(actors, name(words, agent), role),
    }
}

/// As it is written, without an article or the mark of a handle.
pub fn name(words: &[Token<'_>], agent: &Agent) -> String {
    let words = &words[agent.words.clone()];
    let first = usize::from(words.len() > 1 && words[0].is(LISTS.det));
    let name =
        words[first..].iter().map(|token| token.raw.trim_start_matches('@')).collect::<Vec<_>>().join(" ");
    name.chars().take(LONGEST_REF).collect()
}

fn push(actors: &mut Vec<Actor>, name: String, role: Role) {
    if actors.len() >= MOST_ACTORS {
        return;
    }
    let is_new = actors.iter().all(|actor| !actor.name.eq_ignore_ascii_case(&name));
    if is_new && !name.trim().is_empty() {
        actors.push(Actor { name, role });
    }
}

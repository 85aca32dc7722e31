//! Whether a shape that was found is believed: what else must be there, by who says it and in what kind of document.

use std::ops::Range;

use super::agent::{Agent, AgentKind};
use super::line::Line;
use super::pattern::{Match, Sentence};
use super::table::{Needs, Rule};
use crate::event::Category;
use crate::event::lexicon::LISTS;
use crate::event::token::After;
use crate::query::word::is_one_of;

/// What is known of the place where a shape was found.
pub struct Trust<'t, 's, 'a> {
    pub line: &'t Line<'t>,
    pub sentence: &'t Sentence<'s, 'a>,
    /// Documentation tells how things work, in the words of what has happened.
    pub is_document: bool,
}

impl Trust<'_, '_, '_> {
    /// Whether what a shape needs besides itself is there.
    pub fn accepts(&self, rule: &Rule, found: &Match, clause: &Range<usize>) -> bool {
        self.needed(rule.needs, found, clause)
            && self.is_somebody(rule.category, found, clause)
            && (!self.is_document || self.is_record(rule.category, found, clause))
            && (!self.line.is_assistant || found.agents.iter().any(is_speaker))
            && self.is_whole(rule.category, found)
    }

    fn needed(&self, needs: Needs, found: &Match, clause: &Range<usize>) -> bool {
        let tokens = self.sentence.tokens;
        let has_time = self.has_time(clause);
        let is_human = tokens[found.trigger].is(LISTS.human);
        match needs {
            Needs::Nothing => true,
            Needs::Time => has_time,
            Needs::Deadline => self.is_due(clause),
            Needs::Place => {
                let is_person = found.agents.iter().all(|agent| {
                    agent.kind == AgentKind::Person && (!self.is_document || self.is_known(agent))
                });
                has_time || (is_person && self.line.is_item) || (is_human && !self.is_document)
            }
            // `I will now review the results` is done while it is said.
            Needs::Promise
                if self.line.speaker.is_some()
                    && tokens[found.trigger].is(LISTS.onstage)
                    && found.agents.iter().any(is_speaker) =>
            {
                self.is_due(clause)
            }
            Needs::Promise => {
                has_time
                    || found.agents.iter().any(|agent| match agent.kind {
                        AgentKind::Person => is_human || self.is_known(agent),
                        _ => is_human && !self.is_document,
                    })
            }
        }
    }

    /// Whether the sentence goes on after the verb, or ends there: `we will send, we want to` was broken off.
    fn is_whole(&self, category: Category, found: &Match) -> bool {
        let verb = &self.sentence.tokens[found.trigger];
        let ends = found.trigger + 1 == self.sentence.tokens.len();
        !matches!(category, Category::Commitment | Category::Execution)
            || found.agents.is_empty()
            || ends
            || verb.after == After::Nothing
    }

    /// Whether somebody has done what is told to be done: `they built this country` names nobody, and in `models trained on it` and `the team
    /// created in March` the verb only describes.
    fn is_somebody(&self, category: Category, found: &Match, clause: &Range<usize>) -> bool {
        let is_nobody = |agent: &Agent| agent.kind == AgentKind::Somebody;
        if category == Category::Stakeholder && found.agents.iter().any(is_nobody) {
            return false;
        }
        if category != Category::Execution || found.agents.is_empty() || self.has_time(clause) {
            return true;
        }
        let tokens = self.sentence.tokens;
        let describes = tokens
            .get(found.trigger + 1)
            .is_some_and(|next| is_one_of(&next.plain, "in|on|for|from|with|to|under|at"))
            && !tokens[found.words.start..found.trigger].iter().any(|token| token.is(LISTS.have));
        found.agents.iter().any(|agent| match agent.kind {
            AgentKind::Speaker | AgentKind::We => true,
            AgentKind::Somebody => false,
            AgentKind::Person | AgentKind::Name | AgentKind::Group => self.is_known(agent) || !describes,
        })
    }

    /// Whether a document tells what has happened once, and not what happens.
    fn is_record(&self, category: Category, found: &Match, clause: &Range<usize>) -> bool {
        let is_sure = |agent: &Agent| !matches!(agent.kind, AgentKind::Name | AgentKind::Somebody);
        let is_told = !found.agents.is_empty() && found.agents.iter().all(is_sure);
        match category {
            Category::Execution | Category::Decision | Category::QualityRisk => {
                is_told || self.has_time(clause)
            }
            Category::Change => {
                let words = &self.sentence.tokens[found.words.clone()];
                let is_compared = words
                    .iter()
                    .any(|token| is_one_of(&token.plain, "from|renamed|replaced|longer|switched|to"));
                is_told || is_compared || self.has_time(clause)
            }
            _ => true,
        }
    }

    fn times(&self, clause: &Range<usize>) -> impl Iterator<Item = &Range<usize>> {
        self.sentence.times.iter().filter(|time| clause.contains(&time.start))
    }

    fn is_due(&self, clause: &Range<usize>) -> bool {
        let tokens = self.sentence.tokens;
        self.times(clause)
            .any(|time| is_one_of(&tokens[time.start].plain, "by|before|until|due|tomorrow|next"))
    }

    fn has_time(&self, clause: &Range<usize>) -> bool {
        self.times(clause).next().is_some()
    }

    fn is_known(&self, agent: &Agent) -> bool {
        let words = &self.sentence.tokens[agent.words.clone()];
        words.iter().any(|token| {
            self.sentence.people.knows(token.raw) || token.raw.starts_with('@') || token.is(LISTS.title)
        })
    }
}

fn is_speaker(agent: &Agent) -> bool {
    matches!(agent.kind, AgentKind::Speaker | AgentKind::We)
}

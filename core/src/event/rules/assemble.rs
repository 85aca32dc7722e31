//! Makes events of what was found in a line.

use std::ops::Range;

use super::agent::{Agent, AgentKind};
use super::clause::{Finding, findings, sentences};
use super::label::{self, Label, Section};
use super::line::Line;
use super::pattern::{Match, Sentence};
use super::people::People;
use super::subject::{self, About};
use super::table::Rule;
use super::trust::Trust;
use super::{Context, actor, wording};
use crate::event::time::{Lean, Read, read};
use crate::event::token::{Token, tokens};
use crate::event::{Category, Event, Role};
use crate::filter::Timestamp;
use crate::memory_kind::ArtifactType;
use crate::query::word::is_one_of;

/// A document whose lines are read.
pub struct Document<'a> {
    pub text: &'a str,
    pub context: &'a Context<'a>,
    pub headings: &'a [String],
    pub people: People<'a>,
}

/// How sure what a label says is, and a list, and a check box.
const LABELLED: f64 = 0.95;
const LISTED: f64 = 0.85;
const BOXED: f64 = 0.9;

impl Document<'_> {
    /// The events of a line: what a label, a box or a list says it is, and what its sentences tell.
    pub fn events(&self, line: &Line<'_>) -> Vec<Event> {
        let told = sentences(self.text, line.span.clone());
        let stated = if let Some(label) = label::leading(&self.text[line.span.clone()]) {
            let Some(event) = self.labelled(line, label) else { return Vec::new() };
            Some(event)
        } else if let Some(checked) = line.checked {
            let category = if checked { Category::Execution } else { Category::Commitment };
            self.stated(line, line.span.clone(), category, None, BOXED)
                .filter(|event| self.is_meant(line, event))
        } else {
            // A record of a decision has it in the first paragraph below `## Decision`.
            let is_listed = |section: &Section| {
                line.is_item || (line.opens_section && section.category == Category::Decision)
            };
            let section = line.section.filter(|section| is_listed(section) && !section.needs_more);
            let listed = section.and_then(|section| {
                self.stated(line, line.span.clone(), section.category, section.role, LISTED)
            });
            listed.filter(|event| self.is_meant(line, event))
        };
        let skipped = usize::from(stated.is_some());
        let told = told.into_iter().skip(skipped).flat_map(|span| self.told(line, span));
        stated.into_iter().chain(told).collect()
    }

    fn labelled(&self, line: &Line<'_>, label: Label) -> Option<Event> {
        let body = line.span.start + label.length..line.span.end;
        let Section { category, role, .. } = label.section;
        if role.is_some() && !wording::is_a_name(&self.text[body.clone()]) {
            return None;
        }
        let mut event = self.stated(line, body.clone(), category, role, LABELLED)?;
        // Advice has `Follow up: ...` too.
        let has_more = role.is_some() || !event.actors.is_empty() || event.event_time.is_some();
        if label.section.needs_more && !has_more || !self.is_meant(line, &event) {
            return None;
        }
        let end = sentences(self.text, body.clone()).first().map_or(body.end, |first| first.end);
        // A name alone tells nothing; and the label is part of the proof.
        if role.is_some() {
            event.narrative = wording::narrative(&self.text[line.span.start..end], None);
        }
        event.evidence = vec![wording::quote(self.text, line.span.start..end, line.span.start)];
        Some(event)
    }

    /// Whether what a label, a list or a check box states is somebody's: check lists of documentation and what an assistant advises are for
    /// whoever reads them.
    fn is_meant(&self, line: &Line<'_>, event: &Event) -> bool {
        let said = &self.text[line.span.clone()];
        let is_document = self.context.artifact_type == Some(ArtifactType::Doc);
        let is_dated = event.event_time.is_some() || said.contains('@');
        let has_owner = event.actors.iter().any(|actor| Some(actor.name.as_str()) != line.speaker);
        if is_document && line.checked.is_some() {
            return is_dated || line.section.is_some();
        }
        let is_advice = match event.category {
            Category::Commitment => {
                let is_open = said.to_lowercase().starts_with("todo");
                line.is_assistant || (is_document && label::leading(said).is_some() && !is_open)
            }
            Category::QualityRisk => line.is_assistant || (is_document && label::leading(said).is_some()),
            _ => false,
        };
        !is_advice || is_dated || has_owner
    }

    /// What a label, a list or a check box says to be an event. Its first sentence proves it.
    fn stated(
        &self,
        line: &Line<'_>,
        body: Range<usize>,
        category: Category,
        role: Option<Role>,
        confidence: f64,
    ) -> Option<Event> {
        let parts = sentences(self.text, body.clone());
        let first = parts.first()?.clone();
        // A narrative is one or two sentences.
        let said = &self.text[first.start..parts[..parts.len().min(2)].last()?.end];
        if wording::says_nothing(&self.text[body]) || self.text[first.clone()].ends_with('?') {
            return None;
        }
        let words = tokens(self.text, first.clone());
        let times = read(&words);
        let named = actor::stated(&words, &self.people, category, role, line.speaker);
        let about = About { tokens: &words, from: named.after, times: &times };
        Some(Event {
            category,
            subject: subject::of(&about, self.heading(line), self.context.title),
            narrative: wording::narrative(said, named.needs_speaker.then_some(line.speaker).flatten()),
            actors: named.actors,
            event_time: self.time(&words, &times, 0..words.len(), category),
            confidence,
            evidence: vec![wording::quote(self.text, first.clone(), first.start)],
        })
    }

    /// What a sentence tells.
    fn told(&self, line: &Line<'_>, span: Range<usize>) -> Vec<Event> {
        let words = tokens(self.text, span.clone());
        let times = read(&words);
        let places: Vec<Range<usize>> = times.iter().map(|time| time.words.clone()).collect();
        let sentence = Sentence { tokens: &words, times: &places, people: &self.people };
        let trust = Trust {
            line,
            sentence: &sentence,
            is_document: self.context.artifact_type == Some(ArtifactType::Doc),
        };
        let accepts = |rule: &Rule, found: &Match, clause: &Range<usize>| trust.accepts(rule, found, clause);
        let found = findings(&sentence, &self.text[span.clone()], accepts);
        let only = found.len() == 1;
        found.into_iter().map(|finding| self.event(line, &sentence, &times, finding, &span, only)).collect()
    }

    fn event(
        &self,
        line: &Line<'_>,
        sentence: &Sentence<'_, '_>,
        times: &[Read],
        finding: Finding,
        span: &Range<usize>,
        only: bool,
    ) -> Event {
        let Finding { rule, found, clause } = finding;
        let words = sentence.tokens;
        let part =
            if only { span.clone() } else { words[clause.start].span.start..words[clause.end - 1].span.end };
        let about = About { tokens: &words[..clause.end], from: about_from(&found, &clause), times };
        let is_speaker = |agent: &Agent| matches!(agent.kind, AgentKind::Speaker | AgentKind::We);
        let needs_speaker = found.agents.iter().any(is_speaker) && line.speaker.is_some();
        let actors = actor::told(words, &clause, &found, rule.category, line.speaker, &self.people);
        Event {
            category: rule.category,
            subject: subject::of(&about, self.heading(line), self.context.title),
            narrative: wording::narrative(
                &self.text[part.clone()],
                needs_speaker.then_some(line.speaker).flatten(),
            ),
            actors,
            event_time: self.time(words, times, clause, rule.category),
            confidence: rule.confidence,
            evidence: vec![wording::quote(self.text, part, words[found.trigger].span.start)],
        }
    }

    fn heading(&self, line: &Line<'_>) -> Option<&str> {
        // `Decisions` says what events are, and not what they are about.
        line.heading.map(|at| self.headings[at].as_str()).filter(|heading| label::section(heading).is_none())
    }

    /// The first time of a clause. Promises lie ahead, and so does what a decision or a change leads to; all else lies behind.
    fn time(
        &self,
        words: &[Token<'_>],
        times: &[Read],
        clause: Range<usize>,
        category: Category,
    ) -> Option<Timestamp> {
        let leads_on = |token: &Token<'_>| is_one_of(&token.plain, "starting|from|to|until|effective|as");
        let ahead = words[clause.clone()].iter().any(|token| is_one_of(&token.plain, "will|shall"));
        let lean = |time: &Read| match category {
            Category::Commitment => Lean::Future,
            Category::Decision | Category::Change | Category::Stakeholder => {
                let led = time.words.start > 0 && leads_on(&words[time.words.start - 1]);
                if ahead || led || time.is_deadline() { Lean::Future } else { Lean::Past }
            }
            _ => Lean::Past,
        };
        let mut inside = times.iter().filter(|time| clause.contains(&time.words.start));
        inside.find_map(|time| time.resolve(self.context.document_date, lean(time)))
    }
}

/// Behind the verb if somebody does it, else what it is done to.
fn about_from(found: &Match, clause: &Range<usize>) -> usize {
    let behind = if found.agents.is_empty() { clause.start } else { found.trigger + 1 };
    found.about.unwrap_or(behind)
}

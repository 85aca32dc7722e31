//! Reads fields of an answer, and says what is wrong with them.

use serde_json::Value;

use super::report::Report;
use crate::event::check::{LONGEST_NARRATIVE, LONGEST_REF, MOST_ACTORS, Violation, check_text};
use crate::event::kind::{Category, Role, SubjectType};
use crate::event::time::{Lean, mentions};
use crate::event::{Actor, Subject};
use crate::filter::Timestamp;
use crate::query::Date;

/// A value with the way to it.
#[derive(Clone, Debug)]
pub struct Field<'a> {
    /// Such as `events[3].confidence`.
    pub path: String,
    /// None if it is missing.
    pub value: Option<&'a Value>,
}

impl<'a> Field<'a> {
    pub fn root(name: &str, value: Option<&'a Value>) -> Self {
        Self { path: name.to_owned(), value }
    }

    /// What it has by a name.
    pub fn get(&self, name: &str) -> Self {
        Self { path: format!("{}.{name}", self.path), value: self.value.and_then(|value| value.get(name)) }
    }

    /// Whether there is something.
    pub fn is_given(&self) -> bool {
        self.value.is_some_and(|value| !value.is_null())
    }

    /// The elements of a list, if it has no more than so many.
    pub fn list(&self, most: usize, report: &mut Report) -> Vec<Self> {
        match self.value {
            Some(Value::Array(list)) if list.len() <= most => list
                .iter()
                .enumerate()
                .map(|(at, value)| Self { path: format!("{}[{at}]", self.path), value: Some(value) })
                .collect(),
            Some(Value::Array(list)) => {
                report.add(&self.path, format_args!("has {} elements, more than {most}", list.len()));
                Vec::new()
            }
            _ => {
                report.add(&self.path, "must be a list");
                Vec::new()
            }
        }
    }

    pub fn text(&self, report: &mut Report) -> Option<&'a str> {
        match self.value {
            Some(Value::String(text)) if !text.trim().is_empty() => return Some(text),
            Some(Value::String(_)) => report.add(&self.path, "is blank"),
            Some(_) => report.add(&self.path, "must be a string"),
            None => report.add(&self.path, "is missing"),
        }
        None
    }

    /// One of a list of words.
    pub fn word<T>(&self, read: fn(&str) -> Option<T>, words: &[&str], report: &mut Report) -> Option<T> {
        let read = self.value.and_then(Value::as_str).and_then(read);
        if read.is_none() {
            report.add(&self.path, format_args!("must be one of {}", words.join(", ")));
        }
        read
    }

    pub fn confidence(&self, report: &mut Report) -> Option<f64> {
        let field = self.get("confidence");
        let number = field.value.and_then(Value::as_f64).filter(|number| (0.0..=1.0).contains(number));
        if number.is_none() {
            report.add(&field.path, "must be a number from 0 to 1");
        }
        number
    }

    pub fn subject(&self, report: &mut Report) -> Option<Subject> {
        let subject = self.get("subject");
        let kind = subject.get("type").word(SubjectType::from_word, SubjectType::WORDS, report);
        let name = name(&subject.get("ref"), report);
        Some(Subject { kind: kind?, name: name? })
    }

    /// Nobody may be named.
    pub fn actors(&self, report: &mut Report) -> Vec<Actor> {
        let actors = self.get("actors");
        if !actors.is_given() {
            return Vec::new();
        }
        let mut found: Vec<Actor> = Vec::new();
        for actor in actors.list(MOST_ACTORS, report) {
            let role = actor.get("role").word(Role::from_word, Role::WORDS, report);
            let name = name(&actor.get("ref"), report);
            let Some((name, role)) = name.zip(role) else { continue };
            if found.iter().all(|known| known.name != name) {
                found.push(Actor { name, role });
            }
        }
        found
    }

    /// A timestamp or a day, or words that name one. What was done or said lies behind.
    pub fn time(
        &self,
        category: Option<Category>,
        document_date: Option<Date>,
        report: &mut Report,
    ) -> Option<Timestamp> {
        let field = self.get("event_time");
        if !field.is_given() {
            return None;
        }
        let text = field.value.and_then(Value::as_str).map(str::trim);
        let lean = match category {
            Some(
                Category::Execution | Category::Collaboration | Category::Feedback | Category::QualityRisk,
            ) => Lean::Past,
            _ => Lean::Future,
        };
        let named = |text| mentions(text, document_date, lean).first().map(|mention| mention.time);
        let time = text.filter(|text| text.len() <= LONGEST_REF);
        let time = time.and_then(|text| Timestamp::parse(text).or_else(|| named(text)));
        if time.is_none() {
            report.add(&field.path, "must be null or a time such as 2026-01-31T10:00:00Z");
        }
        time
    }
}

/// A name of somebody or something.
pub fn name(field: &Field<'_>, report: &mut Report) -> Option<String> {
    bounded(field, LONGEST_REF, report)
}

/// What happened.
pub fn narrative_of(field: &Field<'_>, report: &mut Report) -> Option<String> {
    bounded(field, LONGEST_NARRATIVE, report)
}

/// Names, of which there may be none.
pub fn names(field: &Field<'_>, most: usize, report: &mut Report) -> Vec<String> {
    if !field.is_given() {
        return Vec::new();
    }
    field.list(most, report).iter().filter_map(|one| name(one, report)).collect()
}

fn bounded(field: &Field<'_>, limit: usize, report: &mut Report) -> Option<String> {
    let text = field.text(report)?.trim();
    let mut found = Vec::new();
    check_text(&mut found, "text", text, limit);
    if let Some(Violation::TooLong { length, limit, .. }) = found.first() {
        report.add(&field.path, format_args!("has {length} characters, more than {limit}"));
        return None;
    }
    // A zero byte cannot be stored as text.
    Some(text.replace('\0', " "))
}

//! Reading a document with a model: passage by passage, then all that was found together.

use std::collections::BTreeMap;

use memento_core::chunk::{Budget, Measure, chunk_grouped, grouping_for};
use memento_core::event::prompt::{self, Passage, Purpose, Template};
use memento_core::event::reply::{Dropped, Reply, Report};
use memento_core::event::{EntityType, Extraction};
use memento_core::memory_kind::ArtifactType;
use serde_json::json;

use super::conversation::{Conversation, assistant, system, user};
use super::findings::findings;
use super::passage::{self, Part};
use super::reader::document_date;
use super::together::{Together, canonical};
use crate::provider::{Code, Format, ProviderError};
use crate::store::{Document, Findings};

/// The size of passages in tokens: large enough that most documents are one, small enough that a model does not skip.
const PASSAGE_TARGET: i64 = 900;
const PASSAGE_MAX: i64 = 1_200;

/// What a run has read so far. It is kept when the endpoint asks for a pause, so that a long document comes to its end.
#[derive(Clone, Debug, Default)]
pub struct Begun {
    pub(super) found: Extraction,
    /// The places of entities among those that were found.
    known: BTreeMap<(EntityType, String), usize>,
    pub(super) dropped: Dropped,
    pub(super) passages: usize,
    /// What is left of the passage that is being read, the next part last.
    pub(super) parts: Vec<Part>,
    pub(super) halved: usize,
    pub(super) repairs: usize,
    pub(super) together: Together,
}

/// Reads a document, from where it was left.
pub fn read(talk: &Conversation, document: &Document, begun: &mut Begun) -> Result<Findings, ProviderError> {
    let prompts = Prompts::of(document)?;
    let budget = Budget::try_new(Measure::Tokens, PASSAGE_TARGET, PASSAGE_MAX, 0).unwrap_or_default();
    let chunks = chunk_grouped(&document.content, budget, grouping_for(&document.kind));
    let mut total = 0;
    for (number, chunk) in chunks.enumerate() {
        total = number + 1;
        if number < begun.passages {
            continue;
        }
        let passage = Passage {
            text: chunk.text,
            title: document.title.as_deref(),
            artifact_type: ArtifactType::from_word(&document.kind),
            document_date: document_date(document),
            heading_path: &chunk.heading.path,
        };
        passage::read(talk, &prompts, &passage, chunk.bytes.start, begun)?;
        begun.passages = total;
    }
    let before = begun.found.events.len();
    let (events, crowded) = canonical(talk, document, &prompts, begun)?;
    begun.dropped.quotes += crowded;
    let put_together = before.saturating_sub(events.len());
    let found = Extraction { events, ..std::mem::take(&mut begun.found) };
    let outcome = json!({
        "passages": total,
        "halved": begun.halved,
        "repairs": begun.repairs,
        "put_together": put_together,
        "not_compared": begun.together.not_compared,
        "dropped": {
            "quotes": begun.dropped.quotes,
            "events": begun.dropped.events,
            "entities": begun.dropped.entities,
        },
        "prompts": prompts.versions,
    });
    let extractor = format!("{}:{}", talk.payee.provider, talk.payee.model);
    Ok(findings(&document.content, &found, extractor, outcome))
}

/// Asks, and once more if the answer is not right, with what is wrong with it.
pub(super) fn ask(
    talk: &Conversation,
    prompts: &Prompts,
    asked: String,
    format: Format,
    begun: &mut Begun,
    read: impl Fn(&str) -> Result<Reply, Report>,
) -> Result<Reply, ProviderError> {
    let mut messages = vec![system(prompt::SYSTEM.into()), user(asked)];
    let answer = talk.ask(messages.clone(), format.clone())?;
    let report = match read(&answer) {
        Ok(reply) => return Ok(reply),
        Err(report) => report,
    };
    begun.repairs += 1;
    messages.extend([assistant(answer), user(prompt::repair(&prompts.repair, &report))]);
    let answer = talk.ask(messages, format)?;
    // What is wrong names fields and never their content.
    read(&answer).map_err(|report| {
        let first = report.problems().first().cloned().unwrap_or_default();
        ProviderError::new(Code::InvalidReply, format!("the model's answer is not of the form that was asked for: {first}"))
            .with_hint("use a model that can be held to a JSON schema, or other prompts; see memento.extraction_prompts()")
    })
}

impl Begun {
    pub(super) fn add(&mut self, reply: Reply, offset: usize) {
        let Extraction { events, entities, .. } = reply.extraction.shifted(offset);
        self.found.events.extend(events);
        let found = &mut self.found.entities;
        for entity in entities {
            let place = *self.known.entry((entity.kind, entity.name.clone())).or_insert(found.len());
            match found.get_mut(place) {
                Some(known) => known.mentions.extend(entity.mentions),
                None => found.push(entity),
            }
        }
        self.drop(reply.dropped);
    }

    pub(super) fn drop(&mut self, dropped: Dropped) {
        self.dropped.quotes += dropped.quotes;
        self.dropped.events += dropped.events;
        self.dropped.entities += dropped.entities;
    }
}

/// The project's prompts, or the built-in ones.
pub(super) struct Prompts<'a> {
    pub(super) extract: Template<'a>,
    pub(super) canonicalise: Template<'a>,
    repair: Template<'a>,
    /// 0 for the built-in ones.
    versions: serde_json::Value,
}

impl<'a> Prompts<'a> {
    fn of(document: &'a Document) -> Result<Self, ProviderError> {
        let own = |purpose: Purpose| document.prompts.get(purpose.as_str());
        let template = |purpose: Purpose| match own(purpose) {
            None => Ok(Template::default_for(purpose)),
            Some((_, text)) => Template::try_new(purpose, text).map_err(|error| {
                ProviderError::new(Code::Config, error.to_string())
                    .with_hint("correct it with memento.set_extraction_prompt()")
            }),
        };
        let versions = Purpose::WORDS
            .iter()
            .map(|word| {
                ((*word).to_owned(), json!(document.prompts.get(*word).map_or(0, |(version, _)| *version)))
            })
            .collect();
        Ok(Self {
            extract: template(Purpose::Extract)?,
            canonicalise: template(Purpose::Canonicalise)?,
            repair: template(Purpose::Repair)?,
            versions: serde_json::Value::Object(versions),
        })
    }
}

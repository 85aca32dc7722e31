//! What a thread does with a document.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;

use memento_core::event::rules::{self, Context};
use memento_core::filter::Timestamp;
use memento_core::memory_kind::ArtifactType;
use memento_core::query::Date;
use serde_json::json;

use super::conversation::Conversation;
use super::findings::findings;
use super::model::{self, Begun};
use crate::job::Held;
use crate::provider::{Chat, Code, ProviderError};
use crate::store::{Call, Document, Findings, Payee};

/// Takes note of a call.
pub type Tell<'a> = dyn Fn(Payee, Call) + 'a;

/// Reads a document, with a model where there is one, from where it was left. A model is asked nothing more when nobody waits for it.
pub fn read(
    held: Held,
    document: &Document,
    chat: Option<&dyn Chat>,
    begun: &mut Begun,
    tell: &Tell,
    is_over: &AtomicBool,
) -> Result<Findings, ProviderError> {
    let talk = chat.zip(document.profile.as_ref()).map(|(chat, profile)| Conversation {
        held,
        chat,
        payee: profile.into(),
        tell,
        is_over,
    });
    let work = || match &talk {
        Some(talk) => model::read(talk, document, begun),
        None => Ok(by_rules(document)),
    };
    // A bug must not take the worker with it; the document is lost, not the job.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        Err(ProviderError::new(Code::ModelFailed, "the extractor's code panicked: this is a bug"))
    })
}

fn by_rules(document: &Document) -> Findings {
    let context = Context {
        title: document.title.as_deref(),
        artifact_type: ArtifactType::from_word(&document.kind),
        document_date: document_date(document),
        participants: &document.people,
    };
    let found = rules::extract(&document.content, &context);
    findings(&document.content, &found, "rules".into(), json!({}))
}

/// The day that a document was written on.
pub fn document_date(document: &Document) -> Option<Date> {
    let written = Timestamp::parse(document.date.as_deref()?)?;
    Date::from_days(written.micros().div_euclid(86_400_000_000))
}

//! A model that does as it is told, and ways to run its calls.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use super::DIMS;
use crate::models::Models;
use crate::provider::{
    BatchLimits, Chat, Code, EmbedRequest, Embedded, Embedder, ProfileSpec, ProviderError, Usage, embedder,
};
use crate::store::{ChatProfile, Profile};

/// A text with this word is refused.
pub(super) const POISON: &str = "poison";

/// With one of these the whole call fails, as those of endpoints do that stumble over a text.
pub(super) const STUMBLES: [(&str, Code); 2] =
    [("five hundred", Code::Unavailable), ("not a number", Code::BadAnswer)];

/// What comes of a call.
#[derive(Clone, Debug)]
pub(super) enum Script {
    Fails(ProviderError),
    Panics,
    /// One vector too few, which the checks of a real provider would have refused.
    IsShort,
}

/// Follows the script, then gives the vectors of `hash`; except for poison.
pub(super) struct Model {
    texts: usize,
    script: Mutex<VecDeque<Script>>,
    calls: Mutex<usize>,
}

impl Model {
    pub fn new(script: impl IntoIterator<Item = Script>) -> Arc<Self> {
        Self::of(4, script)
    }

    /// One that takes as many texts at once.
    pub fn of(texts: usize, script: impl IntoIterator<Item = Script>) -> Arc<Self> {
        let script = Mutex::new(script.into_iter().collect());
        Arc::new(Self { texts, script, calls: Mutex::new(0) })
    }

    pub fn calls(&self) -> usize {
        *self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Embedder for Model {
    fn embed(&self, request: &EmbedRequest) -> Result<Embedded, ProviderError> {
        *self.calls.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        let step = self.script.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        if request.texts.iter().any(|text| text.contains(POISON)) {
            return Err(ProviderError::new(Code::InputRefused, "the input was refused"));
        }
        for (words, code) in STUMBLES {
            if request.texts.iter().any(|text| text.contains(words)) {
                return Err(ProviderError::new(code, "on purpose"));
            }
        }
        let mut embedded = Embedded { vectors: vectors_of(request)?, usage: Usage::default() };
        match step {
            None => {}
            Some(Script::Fails(error)) => return Err(error),
            Some(Script::Panics) => std::panic::resume_unwind(Box::new("on purpose")),
            Some(Script::IsShort) => drop(embedded.vectors.pop()),
        }
        Ok(embedded)
    }

    fn limits(&self) -> BatchLimits {
        BatchLimits { texts: self.texts, tokens: 100_000, concurrency: 2, context_tokens: None }
    }
}

/// The vectors that are right.
fn vectors_of(request: &EmbedRequest) -> Result<Vec<Vec<f32>>, ProviderError> {
    let spec = ProfileSpec {
        provider: "hash".into(),
        model: "hash".into(),
        dims: DIMS,
        config: serde_json::json!({}),
    };
    Ok(embedder(&spec, &Default::default())?.embed(request)?.vectors)
}

/// The same model for all profiles, or none.
pub(super) struct Only(pub Result<Arc<Model>, ProviderError>);

impl Models for Only {
    fn embedder(&self, _: &Profile) -> Result<Arc<dyn Embedder>, ProviderError> {
        self.0.clone().map(|model| model as Arc<dyn Embedder>)
    }

    fn chat(&self, _: &ChatProfile) -> Result<Arc<dyn Chat>, ProviderError> {
        Err(ProviderError::new(Code::Config, "there is no chat model here"))
    }
}

/// Calls at once: the answer is there in the next round.
pub(super) fn inline(work: Box<dyn FnOnce() + Send>) -> std::io::Result<()> {
    work();
    Ok(())
}

/// No thread can be started.
pub(super) fn refused(_: Box<dyn FnOnce() + Send>) -> std::io::Result<()> {
    Err(std::io::Error::from(std::io::ErrorKind::WouldBlock))
}

/// What waits to be run.
type Work = Box<dyn FnOnce() + Send>;

thread_local! {
    static LATER: RefCell<VecDeque<Work>> = const { RefCell::new(VecDeque::new()) };
}

/// Calls when [`answer`] says so.
pub(super) fn later(work: Work) -> std::io::Result<()> {
    LATER.with_borrow_mut(|waiting| waiting.push_back(work));
    Ok(())
}

/// Runs the call that has waited for longest.
pub(super) fn answer() {
    if let Some(work) = LATER.with_borrow_mut(VecDeque::pop_front) {
        work();
    }
}

/// How many calls wait.
pub(super) fn waiting() -> usize {
    LATER.with_borrow(VecDeque::len)
}

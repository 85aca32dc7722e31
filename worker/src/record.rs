//! What the loop reads from the database and enters into it.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value as Json;
use uuid::Uuid;

use crate::job::{Held, Input};
use crate::unusable::Unusable;

/// An embedding profile as the database has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Its key.
    pub profile: Uuid,
    /// The provider's name.
    pub provider: String,
    /// The model's name.
    pub model: String,
    /// How many numbers a vector has.
    pub dims: usize,
    /// How it is reached.
    pub config: Json,
    /// Who it shares pauses with.
    pub endpoint: String,
}

/// A chat profile as the database has it.
#[derive(Clone, Debug, PartialEq)]
pub struct ChatProfile {
    /// Its key.
    pub profile: Uuid,
    /// The provider's name.
    pub provider: String,
    /// The model's name.
    pub model: String,
    /// How it is reached.
    pub config: Json,
    /// Who it shares pauses with.
    pub endpoint: String,
}

/// A text that events are looked for in.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// The text.
    pub content: String,
    /// Its title.
    pub title: Option<String>,
    /// What it is: an artifact type, or the kind of an item.
    pub kind: String,
    /// When its source says that it was written, in RFC 3339.
    pub date: Option<String>,
    /// Who wrote it and who took part.
    pub people: Vec<String>,
    /// The model that reads it; none: rules.
    pub profile: Option<ChatProfile>,
    /// What the project tells the model instead of the built-in prompts, by name, with its version.
    pub prompts: BTreeMap<String, (i64, String)>,
}

/// What became of findings that were written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// They are there, and the job is done.
    Done,
    /// The database refuses them; the job has failed and says so.
    Refused,
    /// Somebody has the document locked, most likely to erase it. It may be written later.
    Busy,
    /// The job is somebody else's by now, or gone with its document.
    Lost,
}

impl Written {
    /// As `_store_events()` says it.
    pub(crate) fn from_word(word: &str) -> Self {
        match word {
            "done" => Self::Done,
            "refused" => Self::Refused,
            "busy" => Self::Busy,
            _ => Self::Lost,
        }
    }
}

/// What was found in a document, as the database takes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Findings {
    /// What found it.
    pub extractor: String,
    /// A list of events.
    pub events: Json,
    /// A list of entities.
    pub entities: Json,
    /// What else is to be said about the run; no content.
    pub outcome: Json,
}

/// A call of a model, for the ledger.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The job that it was for, or one of them.
    pub held: Held,
    /// ok, or the code of the failure.
    pub outcome: String,
    /// How many texts it had.
    pub items: usize,
    /// What it used.
    pub tokens: u64,
    /// Bytes of the request.
    pub sent: u64,
    /// Bytes of the answer.
    pub received: u64,
    /// How long it took.
    pub duration: Duration,
}

impl Call {
    /// What the ledger says of a call whose worker had to stop before the answer came.
    pub const STOPPED: &str = "WORKER_STOPPED";
}

/// Whom a call is paid to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payee {
    /// What the model was asked to do.
    pub role: &'static str,
    /// The provider's name.
    pub provider: String,
    /// The model's name.
    pub model: String,
    /// The provider and host.
    pub endpoint: String,
}

impl From<&Profile> for Payee {
    fn from(profile: &Profile) -> Self {
        let Profile { provider, model, endpoint, .. } = profile.clone();
        Self { role: "embed", provider, model, endpoint }
    }
}

impl From<&ChatProfile> for Payee {
    fn from(profile: &ChatProfile) -> Self {
        let ChatProfile { provider, model, endpoint, .. } = profile.clone();
        Self { role: "chat", provider, model, endpoint }
    }
}

/// What a worker says about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many jobs it has now.
    pub in_flight: usize,
    /// How many it has done.
    pub done: u64,
    /// How many attempts have failed.
    pub failed: u64,
    /// The code of the last failure.
    pub last_error: Option<String>,
    /// The models that it leaves to others.
    pub unusable: Unusable,
}

/// A vector for each of some inputs, in their order.
pub struct Vectors<'a> {
    /// What was embedded.
    pub inputs: &'a [Input],
    /// The vectors.
    pub vectors: &'a [Vec<f32>],
    /// The model that made them, if the profile is to remember it.
    pub model: Option<String>,
}

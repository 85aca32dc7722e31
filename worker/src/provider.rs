//! Models: what they are asked, what they answer, and who provides them. One trait for each role, one file for each provider.
//!
//! A profile says which model and where; [`Policy`] says what any profile may do, and comes from the server's settings.
//! Calls block, so they are made on threads that never touch Postgres.

pub(crate) mod check;
mod config;
mod empty;
mod error;
mod hash;
mod jina;
mod local;
mod openai;
mod policy;
mod remote;
mod tei;
mod voyage;

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

pub use self::check::vectors as check_vectors;
use self::empty::SkipEmpty;
pub use self::error::{Code, Kind, ProviderError};
pub use self::local::{LocalEmbedder, LocalReranker};
pub use self::policy::{LocalSettings, Policy, ProfileSpec};

/// What a text is embedded for. Many models treat the two differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To be found.
    Document,
    /// To find others.
    Query,
}

/// Texts to embed.
#[derive(Clone, Copy, Debug)]
pub struct EmbedRequest<'a> {
    /// The texts, at most as many as [`BatchLimits::texts`].
    pub texts: &'a [String],
    /// What they are embedded for.
    pub purpose: Purpose,
    /// The texts are consecutive chunks of one document, and each vector should know the others. Providers that cannot do that
    /// embed them one by one; [`BatchLimits::context_tokens`] tells.
    pub contextual: bool,
}

/// What a call cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens, where the provider says so.
    pub tokens: Option<u64>,
    /// Bytes of the request's body.
    pub bytes_sent: u64,
    /// Bytes of the answer's body.
    pub bytes_received: u64,
    /// How long it took.
    pub duration: Duration,
}

/// One vector for each text, in the order of the texts: of the profile's length, finite, not zero.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedded {
    /// The vectors.
    pub vectors: Vec<Vec<f32>>,
    /// What it cost.
    pub usage: Usage,
}

/// How much may be sent at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchLimits {
    /// Texts in a request.
    pub texts: usize,
    /// Tokens in a request, all texts together.
    pub tokens: usize,
    /// Requests at the same time.
    pub concurrency: usize,
    /// Tokens of one document that can be embedded knowing each other. None: each text stands alone.
    pub context_tokens: Option<usize>,
}

/// Makes vectors.
pub trait Embedder: Send + Sync {
    /// One vector for each text.
    fn embed(&self, request: &EmbedRequest) -> Result<Embedded, ProviderError>;
    /// How much may be sent at a time.
    fn limits(&self) -> BatchLimits;
    /// What tells the model that has made the vectors from any other, where it is a file that somebody may replace.
    fn fingerprint(&self) -> Option<String> {
        None
    }
}

/// One score for each text, in the order of the texts; higher is more relevant.
#[derive(Clone, Debug, PartialEq)]
pub struct Reranked {
    /// The scores.
    pub scores: Vec<f32>,
    /// What it cost.
    pub usage: Usage,
}

/// Judges how well texts answer a query.
pub trait Reranker: Send + Sync {
    /// One score for each text.
    fn rerank(&self, query: &str, texts: &[String]) -> Result<Reranked, ProviderError>;
}

/// Who says a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The instructions.
    System,
    /// The one who asks.
    User,
    /// The model.
    Assistant,
}

/// A turn of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Who says it.
    pub role: Role,
    /// What.
    pub content: String,
}

/// The form of the answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Format {
    /// Any text.
    #[default]
    Text,
    /// A JSON object.
    Json,
    /// A JSON object that follows a schema, where the endpoint can be made to.
    Schema {
        /// A name for the schema: letters, digits, `_` and `-`.
        name: String,
        /// The JSON schema.
        schema: Value,
    },
    /// The endpoint is asked for the same, but its answer is given as it comes: for callers that can make something of JSON with
    /// words around it, and that can tell the model what is wrong.
    Hinted {
        /// As above.
        name: String,
        /// The JSON schema.
        schema: Value,
    },
}

/// What a model is asked. Always with temperature 0.
#[derive(Clone, Debug, PartialEq)]
pub struct ChatRequest {
    /// The conversation so far.
    pub messages: Vec<Message>,
    /// The form of the answer.
    pub format: Format,
    /// The longest answer.
    pub max_tokens: u32,
}

/// An answer. Where JSON was asked for, the text is a JSON object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completed {
    /// The answer.
    pub text: String,
    /// What it cost.
    pub usage: Usage,
}

/// Answers in words.
pub trait Chat: Send + Sync {
    /// The answer.
    fn complete(&self, request: &ChatRequest) -> Result<Completed, ProviderError>;
    /// Requests at the same time.
    fn concurrency(&self) -> usize;
}

/// Checks a profile as far as that is possible without a call, and without loading a model.
pub fn check_profile(spec: &ProfileSpec, policy: &Policy) -> Result<(), ProviderError> {
    match spec.provider.as_str() {
        "local" => local::check_encoder(spec),
        _ => embedder(spec, policy).map(drop),
    }
}

/// The embedder of a profile. Checks all that can be checked without a call.
pub fn embedder(spec: &ProfileSpec, policy: &Policy) -> Result<Arc<dyn Embedder>, ProviderError> {
    if spec.dims == 0 {
        return Err(ProviderError::config(
            "dims of the profile is 0",
            "give the length of the model's vectors",
        ));
    }
    Ok(match spec.provider.as_str() {
        "hash" => Arc::new(SkipEmpty(hash::HashEmbedder::new(spec)?)),
        "jina" => Arc::new(SkipEmpty(jina::JinaEmbedder::new(spec, policy)?)),
        "local" => Arc::new(SkipEmpty(local::LocalEmbedder::new(spec, &policy.local)?)),
        "openai" => Arc::new(SkipEmpty(openai::OpenAiEmbedder::new(spec, policy)?)),
        "tei" => Arc::new(SkipEmpty(tei::TeiEmbedder::new(spec, policy)?)),
        "voyage" => Arc::new(SkipEmpty(voyage::VoyageEmbedder::new(spec, policy)?)),
        other => return Err(unknown("embeddings", other, "hash, jina, local, openai, tei, voyage")),
    })
}

/// The reranker of a profile.
pub fn reranker(spec: &ProfileSpec, policy: &Policy) -> Result<Arc<dyn Reranker>, ProviderError> {
    Ok(match spec.provider.as_str() {
        "jina" => Arc::new(SkipEmpty(jina::JinaReranker::new(spec, policy)?)),
        "local" => Arc::new(SkipEmpty(local::LocalReranker::new(spec, &policy.local)?)),
        "tei" => Arc::new(SkipEmpty(tei::TeiReranker::new(spec, policy)?)),
        "voyage" => Arc::new(SkipEmpty(voyage::VoyageReranker::new(spec, policy)?)),
        other => return Err(unknown("reranking", other, "jina, local, tei, voyage")),
    })
}

/// The chat model of a profile.
pub fn chat(spec: &ProfileSpec, policy: &Policy) -> Result<Arc<dyn Chat>, ProviderError> {
    match spec.provider.as_str() {
        "openai" => Ok(Arc::new(openai::OpenAiChat::new(spec, policy)?)),
        other => Err(unknown("chat", other, "openai")),
    }
}

/// The name under which all workers share the pauses that an endpoint asks for: the provider and its host, no path, no key. A local
/// model that is not there does not hold up another one.
pub fn endpoint(spec: &ProfileSpec) -> String {
    let default = match spec.provider.as_str() {
        "jina" => Some(jina::BASE_URL),
        "openai" => Some(openai::BASE_URL),
        "voyage" => Some(voyage::BASE_URL),
        _ => None,
    };
    let base = spec.config.get("base_url").and_then(Value::as_str).or(default);
    match base.and_then(|base| crate::http::Url::parse(base).ok()) {
        Some(url) => format!("{}:{}", spec.provider, url.host_and_port()),
        None if spec.provider == "local" => format!("local:{}", spec.model),
        None => spec.provider.clone(),
    }
}

fn unknown(role: &str, provider: &str, known: &str) -> ProviderError {
    let shown = if config::is_name(provider) { provider } else { "?" };
    ProviderError::config(
        format!("there is no provider \"{shown}\" for {role}"),
        format!("use one of: {known}"),
    )
}

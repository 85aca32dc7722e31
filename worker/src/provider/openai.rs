//! `openai`: the API of OpenAI, which vLLM, Ollama, LM Studio, TEI and many others serve too.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::config::Config;
use super::remote::{self, BATCHES, PREFIXES, Prefixes, REMOTE, Remote};
use super::{
    BatchLimits, Chat, ChatRequest, Code, Completed, EmbedRequest, Embedded, Embedder, Format, Policy,
    ProfileSpec, ProviderError, Role, check,
};

pub(super) const BASE_URL: &str = "https://api.openai.com";

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    input: &'a [Cow<'a, str>],
    encoding_format: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    dimensions: Option<usize>,
}

/// A list of numbered vectors: Jina and Voyage answer in the same form.
#[derive(Deserialize)]
pub(super) struct VectorList {
    data: Vec<NumberedVector>,
    usage: Option<Tokens>,
}

#[derive(Deserialize)]
pub(super) struct NumberedVector {
    pub index: usize,
    pub embedding: Vec<f32>,
}

#[derive(Deserialize)]
pub(super) struct Tokens {
    pub total_tokens: Option<u64>,
}

impl VectorList {
    pub fn numbered(self) -> impl Iterator<Item = (usize, Vec<f32>)> {
        self.data.into_iter().map(|vector| (vector.index, vector.embedding))
    }

    pub fn tokens(&self) -> Option<u64> {
        self.usage.as_ref().and_then(|usage| usage.total_tokens)
    }
}

pub(super) struct OpenAiEmbedder {
    remote: Remote,
    model: String,
    dims: usize,
    wanted_dims: Option<usize>,
    prefixes: Prefixes,
    limits: BatchLimits,
}

impl OpenAiEmbedder {
    pub fn new(spec: &ProfileSpec, policy: &Policy) -> Result<Self, ProviderError> {
        let config = Config::new(spec, &[&REMOTE, &BATCHES, &PREFIXES, &["dimensions"]])?;
        // OpenAI takes 2,048 texts and 300,000 tokens; smaller batches lose less when one fails, and are answered sooner.
        let default = BatchLimits { texts: 128, tokens: 100_000, concurrency: 4, context_tokens: None };
        Ok(Self {
            remote: Remote::new(config, policy, Some(BASE_URL))?,
            model: spec.model.clone(),
            dims: spec.dims,
            wanted_dims: remote::wanted_dims(config, spec)?,
            prefixes: Prefixes::new(config)?,
            limits: remote::limits(config, default)?,
        })
    }
}

impl Embedder for OpenAiEmbedder {
    fn embed(&self, request: &EmbedRequest) -> Result<Embedded, ProviderError> {
        remote::refuse_empty(request.texts)?;
        let texts = self.prefixes.apply(request.texts, request.purpose);
        let body = Request {
            model: &self.model,
            input: &texts,
            encoding_format: "float",
            dimensions: self.wanted_dims,
        };
        let (answer, mut usage) = self.remote.post::<VectorList>("/v1/embeddings", &body)?;
        usage.tokens = answer.tokens();
        Ok(Embedded { vectors: check::vectors(answer.numbered(), texts.len(), self.dims)?, usage })
    }

    fn limits(&self) -> BatchLimits {
        self.limits
    }
}

#[derive(Deserialize)]
struct Choices {
    choices: Vec<Choice>,
    usage: Option<Tokens>,
}

#[derive(Deserialize)]
struct Choice {
    message: Answer,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Answer {
    content: Option<String>,
    refusal: Option<String>,
}

pub(super) struct OpenAiChat {
    remote: Remote,
    model: String,
    /// The newer name of `max_tokens`, which the models of OpenAI itself insist on.
    completion_tokens: bool,
    /// Models that reason refuse any temperature but their own.
    own_temperature: bool,
    concurrency: usize,
}

impl OpenAiChat {
    pub fn new(spec: &ProfileSpec, policy: &Policy) -> Result<Self, ProviderError> {
        let config =
            Config::new(spec, &[&REMOTE, &["max_completion_tokens", "own_temperature", "concurrency"]])?;
        Ok(Self {
            remote: Remote::new(config, policy, Some(BASE_URL))?,
            model: spec.model.clone(),
            completion_tokens: config.flag("max_completion_tokens")?,
            own_temperature: config.flag("own_temperature")?,
            concurrency: config.number("concurrency", 1..=256)?.unwrap_or(4),
        })
    }

    fn body(&self, request: &ChatRequest) -> Value {
        let messages: Vec<_> = request
            .messages
            .iter()
            .map(|message| json!({"role": role_name(message.role), "content": message.content}))
            .collect();
        let mut body = json!({"model": self.model, "messages": messages, "stream": false});
        let limit = if self.completion_tokens { "max_completion_tokens" } else { "max_tokens" };
        body[limit] = request.max_tokens.into();
        if !self.own_temperature {
            body["temperature"] = 0.into();
        }
        match &request.format {
            Format::Text => {}
            Format::Json => body["response_format"] = json!({"type": "json_object"}),
            Format::Schema { name, schema } | Format::Hinted { name, schema } => {
                let schema = json!({"name": name, "schema": schema, "strict": true});
                body["response_format"] = json!({"type": "json_schema", "json_schema": schema});
            }
        }
        body
    }
}

impl Chat for OpenAiChat {
    fn complete(&self, request: &ChatRequest) -> Result<Completed, ProviderError> {
        let (answer, mut usage) = self.remote.post::<Choices>("/v1/chat/completions", &self.body(request))?;
        usage.tokens = answer.usage.and_then(|usage| usage.total_tokens);
        let text = match answer.choices.into_iter().next() {
            Some(choice) => text_of(choice, &request.format),
            None => Err(ProviderError::bad_answer("the model gave no answer")),
        };
        text.map(|text| Completed { text, usage }).map_err(|error| error.with_usage(usage))
    }

    fn concurrency(&self) -> usize {
        self.concurrency
    }
}

fn text_of(choice: Choice, format: &Format) -> Result<String, ProviderError> {
    if choice.message.refusal.is_some() || choice.finish_reason.as_deref() == Some("content_filter") {
        return Err(ProviderError::new(Code::InputRefused, "the model refused to answer")
            .with_hint("the text may be against the rules of the model's provider"));
    }
    if choice.finish_reason.as_deref() == Some("length") {
        return Err(ProviderError::new(Code::CutOff, "the answer was cut off at the limit of tokens")
            .with_hint("raise the limit of tokens, or send less text at a time"));
    }
    let text = choice.message.content.unwrap_or_default();
    if matches!(format, Format::Text | Format::Hinted { .. }) {
        return Ok(text);
    }
    let bare = without_fence(&text);
    match serde_json::from_str::<serde::de::IgnoredAny>(bare) {
        Ok(_) if bare.starts_with('{') => Ok(bare.into()),
        _ => Err(ProviderError::bad_answer("the model did not answer in JSON")
            .with_hint("use a model and a server that can be held to JSON")),
    }
}

/// Small models put JSON into a code block, whatever they are told.
fn without_fence(text: &str) -> &str {
    let text = text.trim();
    let inner = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    inner.map_or(text, |inner| inner.strip_prefix("json").unwrap_or(inner).trim())
}

fn role_name(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
    }
}

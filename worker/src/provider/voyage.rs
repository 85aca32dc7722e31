//! `voyage`: Voyage AI, with the endpoint that embeds the chunks of a document knowing each other.

use serde::Deserialize;
use serde_json::{Value, json};

use super::config::Config;
use super::openai::{NumberedVector, Tokens, VectorList};
use super::remote::{self, BATCHES, REMOTE, Remote};
use super::{
    BatchLimits, EmbedRequest, Embedded, Embedder, Policy, ProfileSpec, ProviderError, Purpose, Reranked,
    Reranker, check,
};

pub(super) const BASE_URL: &str = "https://api.voyageai.com";

/// The vectors of several documents, each with its number.
#[derive(Deserialize)]
struct Documents {
    data: Vec<Document>,
    usage: Option<Tokens>,
}

#[derive(Deserialize)]
struct Document {
    index: usize,
    data: Vec<NumberedVector>,
}

pub(super) struct VoyageEmbedder {
    remote: Remote,
    model: String,
    dims: usize,
    wanted_dims: Option<usize>,
    /// Such models are served by an endpoint of their own, and only there.
    knows_context: bool,
    limits: BatchLimits,
}

impl VoyageEmbedder {
    pub fn new(spec: &ProfileSpec, policy: &Policy) -> Result<Self, ProviderError> {
        let config = Config::new(spec, &[&REMOTE, &BATCHES, &["dimensions"]])?;
        let knows_context = spec.model.starts_with("voyage-context");
        // Voyage takes 1,000 texts and 120,000 tokens, and documents of 32,000 tokens; tokens are counted otherwise here.
        let context_tokens = knows_context.then_some(24_000);
        let default = BatchLimits { texts: 128, tokens: 80_000, concurrency: 4, context_tokens };
        Ok(Self {
            remote: Remote::new(config, policy, Some(BASE_URL))?,
            model: spec.model.clone(),
            dims: spec.dims,
            wanted_dims: remote::wanted_dims(config, spec)?,
            knows_context,
            limits: remote::limits(config, default)?,
        })
    }

    fn body(&self, request: &EmbedRequest) -> Value {
        let input_type = match request.purpose {
            Purpose::Document => "document",
            Purpose::Query => "query",
        };
        let mut body = json!({"model": self.model, "input_type": input_type});
        if let Some(dims) = self.wanted_dims {
            body["output_dimension"] = dims.into();
        }
        body
    }

    fn embed_plain(&self, request: &EmbedRequest) -> Result<Embedded, ProviderError> {
        let mut body = self.body(request);
        body["input"] = request.texts.into();
        let (answer, mut usage) = self.remote.post::<VectorList>("/v1/embeddings", &body)?;
        usage.tokens = answer.tokens();
        Ok(Embedded { vectors: check::vectors(answer.numbered(), request.texts.len(), self.dims)?, usage })
    }

    /// The texts as one document of many chunks, or as many documents of one.
    fn embed_in_context(&self, request: &EmbedRequest) -> Result<Embedded, ProviderError> {
        let together = request.contextual && request.purpose == Purpose::Document;
        let mut body = self.body(request);
        body["inputs"] = match together {
            true => json!([request.texts]),
            false => request.texts.iter().map(|text| json!([text])).collect(),
        };
        let (answer, mut usage) = self.remote.post::<Documents>("/v1/contextualizedembeddings", &body)?;
        usage.tokens = answer.usage.and_then(|usage| usage.total_tokens);
        let numbered = answer.data.into_iter().flat_map(|document| {
            let number = document.index;
            document.data.into_iter().map(move |chunk| match (together, number, chunk.index) {
                (true, 0, place) => (place, chunk.embedding),
                (false, place, 0) => (place, chunk.embedding),
                // Nothing like that was asked for: a number that no text has.
                _ => (usize::MAX, chunk.embedding),
            })
        });
        Ok(Embedded { vectors: check::vectors(numbered, request.texts.len(), self.dims)?, usage })
    }
}

impl Embedder for VoyageEmbedder {
    fn embed(&self, request: &EmbedRequest) -> Result<Embedded, ProviderError> {
        remote::refuse_empty(request.texts)?;
        match self.knows_context {
            true => self.embed_in_context(request),
            false => self.embed_plain(request),
        }
    }

    fn limits(&self) -> BatchLimits {
        self.limits
    }
}

#[derive(Deserialize)]
struct Scores {
    data: Vec<Score>,
    usage: Option<Tokens>,
}

/// A numbered score: Jina answers in the same form.
#[derive(Deserialize)]
pub(super) struct Score {
    pub index: usize,
    pub relevance_score: f32,
}

pub(super) struct VoyageReranker {
    remote: Remote,
    model: String,
}

impl VoyageReranker {
    pub fn new(spec: &ProfileSpec, policy: &Policy) -> Result<Self, ProviderError> {
        let config = Config::new(spec, &[&REMOTE])?;
        Ok(Self { remote: Remote::new(config, policy, Some(BASE_URL))?, model: spec.model.clone() })
    }
}

impl Reranker for VoyageReranker {
    fn rerank(&self, query: &str, texts: &[String]) -> Result<Reranked, ProviderError> {
        let body = json!({"model": self.model, "query": query, "documents": texts, "truncation": true});
        let (answer, mut usage) = self.remote.post::<Scores>("/v1/rerank", &body)?;
        usage.tokens = answer.usage.and_then(|usage| usage.total_tokens);
        let numbered = answer.data.into_iter().map(|score| (score.index, score.relevance_score));
        Ok(Reranked { scores: check::scores(numbered, texts.len())?, usage })
    }
}

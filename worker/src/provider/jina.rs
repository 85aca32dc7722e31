//! `jina`: Jina AI, with late chunking.

use serde::Deserialize;
use serde_json::{Value, json};

use super::config::Config;
use super::openai::{Tokens, VectorList};
use super::remote::{self, BATCHES, REMOTE, Remote};
use super::voyage::Score;
use super::{
    BatchLimits, EmbedRequest, Embedded, Embedder, Policy, ProfileSpec, ProviderError, Purpose, Reranked,
    Reranker, check,
};

pub(super) const BASE_URL: &str = "https://api.jina.ai";

pub(super) struct JinaEmbedder {
    remote: Remote,
    model: String,
    dims: usize,
    wanted_dims: Option<usize>,
    late_chunking: bool,
    limits: BatchLimits,
}

impl JinaEmbedder {
    pub fn new(spec: &ProfileSpec, policy: &Policy) -> Result<Self, ProviderError> {
        let config = Config::new(spec, &[&REMOTE, &BATCHES, &["dimensions", "late_chunking"]])?;
        let late_chunking = config.flag("late_chunking")?;
        // With late chunking all texts of a request together must fit into the model's 8,192 tokens; tokens are counted
        // otherwise here.
        let context_tokens = late_chunking.then_some(6_000);
        let default = BatchLimits { texts: 128, tokens: 80_000, concurrency: 4, context_tokens };
        Ok(Self {
            remote: Remote::new(config, policy, Some(BASE_URL))?,
            model: spec.model.clone(),
            dims: spec.dims,
            wanted_dims: remote::wanted_dims(config, spec)?,
            late_chunking,
            limits: remote::limits(config, default)?,
        })
    }

    fn body(&self, request: &EmbedRequest) -> Value {
        let together = self.late_chunking && request.contextual && request.purpose == Purpose::Document;
        let mut body = json!({"model": self.model, "input": request.texts, "embedding_type": "float"});
        // The models of the second generation have no tasks and refuse the field.
        if !self.model.starts_with("jina-embeddings-v2") {
            body["task"] = match request.purpose {
                Purpose::Document => "retrieval.passage".into(),
                Purpose::Query => "retrieval.query".into(),
            };
        }
        if together {
            body["late_chunking"] = true.into();
        }
        if let Some(dims) = self.wanted_dims {
            body["dimensions"] = dims.into();
        }
        body
    }
}

impl Embedder for JinaEmbedder {
    fn embed(&self, request: &EmbedRequest) -> Result<Embedded, ProviderError> {
        remote::refuse_empty(request.texts)?;
        let (answer, mut usage) = self.remote.post::<VectorList>("/v1/embeddings", &self.body(request))?;
        usage.tokens = answer.tokens();
        Ok(Embedded { vectors: check::vectors(answer.numbered(), request.texts.len(), self.dims)?, usage })
    }

    fn limits(&self) -> BatchLimits {
        self.limits
    }
}

#[derive(Deserialize)]
struct Scores {
    results: Vec<Score>,
    usage: Option<Tokens>,
}

pub(super) struct JinaReranker {
    remote: Remote,
    model: String,
}

impl JinaReranker {
    pub fn new(spec: &ProfileSpec, policy: &Policy) -> Result<Self, ProviderError> {
        let config = Config::new(spec, &[&REMOTE])?;
        Ok(Self { remote: Remote::new(config, policy, Some(BASE_URL))?, model: spec.model.clone() })
    }
}

impl Reranker for JinaReranker {
    fn rerank(&self, query: &str, texts: &[String]) -> Result<Reranked, ProviderError> {
        let body = json!({
            "model": self.model, "query": query, "documents": texts, "top_n": texts.len(), "return_documents": false
        });
        let (answer, mut usage) = self.remote.post::<Scores>("/v1/rerank", &body)?;
        usage.tokens = answer.usage.and_then(|usage| usage.total_tokens);
        let numbered = answer.results.into_iter().map(|score| (score.index, score.relevance_score));
        Ok(Reranked { scores: check::scores(numbered, texts.len())?, usage })
    }
}

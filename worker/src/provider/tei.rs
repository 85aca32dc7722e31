//! `tei`: the own API of Hugging Face's text-embeddings-inference.

use serde::Deserialize;
use serde_json::json;

use super::config::Config;
use super::remote::{self, BATCHES, PREFIXES, Prefixes, REMOTE, Remote};
use super::{
    BatchLimits, EmbedRequest, Embedded, Embedder, Policy, ProfileSpec, ProviderError, Reranked, Reranker,
    check,
};

pub(super) struct TeiEmbedder {
    remote: Remote,
    dims: usize,
    prefixes: Prefixes,
    limits: BatchLimits,
}

impl TeiEmbedder {
    pub fn new(spec: &ProfileSpec, policy: &Policy) -> Result<Self, ProviderError> {
        let config = Config::new(spec, &[&REMOTE, &BATCHES, &PREFIXES])?;
        // What a TEI server takes unless it is started otherwise.
        let default = BatchLimits { texts: 32, tokens: 16_384, concurrency: 4, context_tokens: None };
        Ok(Self {
            remote: Remote::new(config, policy, None)?,
            dims: spec.dims,
            prefixes: Prefixes::new(config)?,
            limits: remote::limits(config, default)?,
        })
    }
}

impl Embedder for TeiEmbedder {
    fn embed(&self, request: &EmbedRequest) -> Result<Embedded, ProviderError> {
        remote::refuse_empty(request.texts)?;
        let texts = self.prefixes.apply(request.texts, request.purpose);
        let body = json!({"inputs": texts, "truncate": true, "normalize": true});
        let (answer, usage) = self.remote.post::<Vec<Vec<f32>>>("/embed", &body)?;
        Ok(Embedded {
            vectors: check::vectors(answer.into_iter().enumerate(), texts.len(), self.dims)?,
            usage,
        })
    }

    fn limits(&self) -> BatchLimits {
        self.limits
    }
}

#[derive(Deserialize)]
struct Score {
    index: usize,
    score: f32,
}

pub(super) struct TeiReranker {
    remote: Remote,
}

impl TeiReranker {
    pub fn new(spec: &ProfileSpec, policy: &Policy) -> Result<Self, ProviderError> {
        Ok(Self { remote: Remote::new(Config::new(spec, &[&REMOTE])?, policy, None)? })
    }
}

impl Reranker for TeiReranker {
    fn rerank(&self, query: &str, texts: &[String]) -> Result<Reranked, ProviderError> {
        let body = json!({"query": query, "texts": texts, "truncate": true});
        let (answer, usage) = self.remote.post::<Vec<Score>>("/rerank", &body)?;
        let numbered = answer.into_iter().map(|score| (score.index, score.score));
        Ok(Reranked { scores: check::scores(numbered, texts.len())?, usage })
    }
}

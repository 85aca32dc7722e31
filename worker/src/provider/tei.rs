//! `tei`: the own API of Hugging Face's text-embeddings-inference.

use serde::Deserialize;
use serde_json::json;

use super::config::Config;
use super::remote::{self, BATCHES, PREFIXES, Prefixes, REMOTE, Remote};
use super::{
    BatchLimits, EmbedRequest, Embedded, Embedder, Policy, ProfileSpec, ProviderError, Reranked, Reranker,
    Usage, check,
};

/// What a TEI server takes at a time unless it is started otherwise; so are the tokens below.
const MAX_TEXTS: usize = 32;

pub(super) struct TeiEmbedder {
    remote: Remote,
    dims: usize,
    prefixes: Prefixes,
    limits: BatchLimits,
}

impl TeiEmbedder {
    pub fn new(spec: &ProfileSpec, policy: &Policy) -> Result<Self, ProviderError> {
        let config = Config::new(spec, &[&REMOTE, &BATCHES, &PREFIXES])?;
        let default = BatchLimits { texts: MAX_TEXTS, tokens: 16_384, concurrency: 4, context_tokens: None };
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
    max_texts: usize,
}

impl TeiReranker {
    pub fn new(spec: &ProfileSpec, policy: &Policy) -> Result<Self, ProviderError> {
        let config = Config::new(spec, &[&REMOTE, &["max_batch_texts"]])?;
        let max_texts = config.number("max_batch_texts", 1..=10_000)?.unwrap_or(MAX_TEXTS);
        Ok(Self { remote: Remote::new(config, policy, None)?, max_texts })
    }
}

impl Reranker for TeiReranker {
    /// In several requests if need be: the score of a text does not depend on the others.
    fn rerank(&self, query: &str, texts: &[String]) -> Result<Reranked, ProviderError> {
        let mut total = Reranked { scores: Vec::with_capacity(texts.len()), usage: Usage::default() };
        for texts in texts.chunks(self.max_texts) {
            let body = json!({"query": query, "texts": texts, "truncate": true});
            let (answer, usage) = self.remote.post::<Vec<Score>>("/rerank", &body)?;
            let numbered = answer.into_iter().map(|score| (score.index, score.score));
            total.scores.extend(check::scores(numbered, texts.len())?);
            total.usage.bytes_sent += usage.bytes_sent;
            total.usage.bytes_received += usage.bytes_received;
            total.usage.duration += usage.duration;
        }
        Ok(total)
    }
}

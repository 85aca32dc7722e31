//! Nothing in, nothing out: no provider is called without a text.

use super::{BatchLimits, EmbedRequest, Embedded, Embedder, ProviderError, Reranked, Reranker, Usage};

/// A provider that is only asked when there is something to ask.
pub(super) struct SkipEmpty<T>(pub T);

impl<T: Embedder> Embedder for SkipEmpty<T> {
    fn embed(&self, request: &EmbedRequest) -> Result<Embedded, ProviderError> {
        match request.texts.is_empty() {
            true => Ok(Embedded { vectors: Vec::new(), usage: Usage::default() }),
            false => self.0.embed(request),
        }
    }

    fn limits(&self) -> BatchLimits {
        self.0.limits()
    }

    fn fingerprint(&self) -> Option<String> {
        self.0.fingerprint()
    }
}

impl<T: Reranker> Reranker for SkipEmpty<T> {
    fn rerank(&self, query: &str, texts: &[String]) -> Result<Reranked, ProviderError> {
        match texts.is_empty() {
            true => Ok(Reranked { scores: Vec::new(), usage: Usage::default() }),
            false => self.0.rerank(query, texts),
        }
    }
}

//! `local`: a sentence encoder or a cross-encoder in this process. One text is run at a time: batches do not make a CPU
//! faster, and padding would make it slower.

use std::path::{Component, Path, PathBuf};
use std::time::Instant;

use sha2::{Digest, Sha256};

use super::config::Config;
use super::remote::{PREFIXES, Prefixes};
use super::{
    BatchLimits, Code, EmbedRequest, Embedded, Embedder, LocalSettings, ProfileSpec, ProviderError, Reranked,
    Reranker, Usage, check,
};
use crate::local::{Encoded, Model, Output, TextEncoder};

/// What all-MiniLM-L6-v2 was trained for.
const DEFAULT_TOKENS: usize = 256;
const MAX_TOKENS: usize = 8192;

/// How the vectors of the tokens become the vector of the text, where the model does not do it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pooling {
    Mean,
    First,
}

/// What a profile says about a sentence encoder.
struct EncoderConfig {
    /// None: as the model does it.
    pooling: Option<Pooling>,
    max_tokens: usize,
    prefixes: Prefixes,
    /// Of the model that has made the vectors there are.
    fingerprint: Option<String>,
}

impl EncoderConfig {
    fn read(spec: &ProfileSpec) -> Result<Self, ProviderError> {
        let config = Config::new(spec, &[&PREFIXES, &["fingerprint", "max_tokens", "pooling"]])?;
        let pooling = match config.text("pooling")? {
            None => None,
            Some("mean") => Some(Pooling::Mean),
            Some("cls") => Some(Pooling::First),
            Some(_) => {
                return Err(ProviderError::config(
                    "pooling is neither mean nor cls",
                    "see the model's description",
                ));
            }
        };
        Ok(Self {
            pooling,
            max_tokens: config.number("max_tokens", 8..=MAX_TOKENS)?.unwrap_or(DEFAULT_TOKENS),
            prefixes: Prefixes::new(config)?,
            fingerprint: config.text("fingerprint")?.map(str::to_owned),
        })
    }
}

/// Checks what a profile says, without a look at the model.
pub(super) fn check_encoder(spec: &ProfileSpec) -> Result<(), ProviderError> {
    EncoderConfig::read(spec).map(drop)
}

/// A sentence encoder.
pub struct LocalEmbedder {
    model: Model,
    encoder: TextEncoder,
    pooling: Pooling,
    prefixes: Prefixes,
    dims: usize,
    fingerprint: String,
}

impl LocalEmbedder {
    /// Loads the model, and runs it once to see what it gives.
    pub fn new(spec: &ProfileSpec, settings: &LocalSettings) -> Result<Self, ProviderError> {
        let config = EncoderConfig::read(spec)?;
        // A pooling in the profile means: not the one in the model.
        let outputs: &[_] = match config.pooling {
            Some(_) => &["last_hidden_state", "token_embeddings"],
            None => &["sentence_embedding", "last_hidden_state", "token_embeddings"],
        };
        let directory = settings.model_dir.as_deref().map(|base| directory_of(base, &spec.model));
        let (model, encoder) = load(settings, directory.as_deref(), config.max_tokens, outputs)?;
        let fingerprint = fingerprint(&model, &encoder);
        if config.fingerprint.is_some_and(|recorded| recorded != fingerprint) {
            return Err(changed(&spec.model));
        }
        let embedder = Self {
            model,
            encoder,
            pooling: config.pooling.unwrap_or(Pooling::Mean),
            prefixes: config.prefixes,
            dims: spec.dims,
            fingerprint,
        };
        match embedder.try_longest(config.max_tokens)? {
            length if length == spec.dims => Ok(embedder),
            length => Err(check::wrong_dims(length, spec.dims)),
        }
    }

    /// A model that cannot take the longest text is found out now and not by a job. Gives the length of its vectors.
    fn try_longest(&self, max_tokens: usize) -> Result<usize, ProviderError> {
        let longest = Encoded { ids: vec![0; max_tokens], types: vec![0; max_tokens] };
        let output = self.model.run(&longest).map_err(|_| {
            ProviderError::config(
                format!("the local model does not take {max_tokens} tokens"),
                "set max_tokens in the profile to what the model takes",
            )
        })?;
        Ok(self.pool(output).len())
    }

    fn pool(&self, output: Output) -> Vec<f32> {
        let width = output.numbers.len().checked_div(output.rows).unwrap_or(0);
        let mut vector = match (output.rows, self.pooling) {
            (_, Pooling::First) | (1, _) => output.numbers[..width].to_vec(),
            (rows, Pooling::Mean) => mean(&output.numbers, rows, width),
        };
        let norm = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
        if norm > 0.0 {
            vector.iter_mut().for_each(|number| *number /= norm);
        }
        vector
    }
}

impl Embedder for LocalEmbedder {
    fn embed(&self, request: &EmbedRequest) -> Result<Embedded, ProviderError> {
        let started = Instant::now();
        let mut tokens = 0;
        let mut vectors = Vec::with_capacity(request.texts.len());
        for text in self.prefixes.apply(request.texts, request.purpose) {
            let encoded = self.encoder.text(&text)?;
            tokens += encoded.ids.len() as u64;
            vectors.push(self.pool(self.model.run(&encoded)?));
        }
        let vectors = check::vectors(vectors.into_iter().enumerate(), request.texts.len(), self.dims)?;
        Ok(Embedded { vectors, usage: local_usage(tokens, started) })
    }

    fn limits(&self) -> BatchLimits {
        // Small batches, so that whoever asked can stop between them.
        BatchLimits { texts: 16, tokens: 16 * MAX_TOKENS, concurrency: 1, context_tokens: None }
    }

    fn fingerprint(&self) -> Option<String> {
        Some(self.fingerprint.clone())
    }
}

/// A cross-encoder.
pub struct LocalReranker {
    model: Model,
    encoder: TextEncoder,
}

impl LocalReranker {
    /// Loads the model, and runs it once.
    pub fn new(spec: &ProfileSpec, settings: &LocalSettings) -> Result<Self, ProviderError> {
        let config = Config::new(spec, &[&["max_tokens"]])?;
        let max_tokens = config.number("max_tokens", 8..=MAX_TOKENS)?.unwrap_or(2 * DEFAULT_TOKENS);
        let (model, encoder) = load(settings, settings.reranker_dir.as_deref(), max_tokens, &["logits"])?;
        let reranker = Self { model, encoder };
        reranker.score("", "")?;
        Ok(reranker)
    }

    /// The model of the settings as it is, for a process that serves it to others.
    pub fn of_default_length(settings: &LocalSettings) -> Result<Self, ProviderError> {
        let config = serde_json::json!({});
        let spec = ProfileSpec { provider: "local".into(), model: "local".into(), dims: 0, config };
        Self::new(&spec, settings)
    }

    /// One number is a logit; of two, the second is that of "relevant".
    fn score(&self, query: &str, text: &str) -> Result<(f32, u64), ProviderError> {
        let encoded = self.encoder.pair(query, text)?;
        let logit = match self.model.run(&encoded)?.numbers[..] {
            [logit] => logit,
            [no, yes] => yes - no,
            _ => {
                return Err(ProviderError::new(
                    Code::ModelBroken,
                    "the local reranker does not give one score for a text",
                )
                .with_hint("use an ONNX export of a cross-encoder with one or two labels"));
            }
        };
        Ok((1.0 / (1.0 + (-logit).exp()), encoded.ids.len() as u64))
    }
}

impl Reranker for LocalReranker {
    fn rerank(&self, query: &str, texts: &[String]) -> Result<Reranked, ProviderError> {
        let started = Instant::now();
        let mut tokens = 0;
        let mut scores = Vec::with_capacity(texts.len());
        for text in texts {
            let (score, used) = self.score(query, text)?;
            tokens += used;
            scores.push(score);
        }
        let scores = check::scores(scores.into_iter().enumerate(), texts.len())?;
        Ok(Reranked { scores, usage: local_usage(tokens, started) })
    }
}

/// Of the files that decide about vectors.
fn fingerprint(model: &Model, encoder: &TextEncoder) -> String {
    let digest = Sha256::new().chain_update(model.digest()).chain_update(encoder.digest()).finalize();
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Where a model is: in the directory of its name, or in the one of the settings itself, which has one model then.
fn directory_of(base: &Path, model: &str) -> PathBuf {
    let stays_inside = Path::new(model).components().all(|part| matches!(part, Component::Normal(_)));
    let own = base.join(model);
    if stays_inside && own.join("model.onnx").is_file() { own } else { base.to_owned() }
}

fn changed(model: &str) -> ProviderError {
    ProviderError::new(
        Code::ModelChanged,
        format!("the local model \"{model}\" is not the one that made the vectors of the profile"),
    )
    .with_hint(
        "put its files back; or put the new ones into a directory of their own under memento.model_dir, make a profile whose model is \
         the name of that directory, and switch to it",
    )
}

fn load(
    settings: &LocalSettings,
    directory: Option<&Path>,
    max_tokens: usize,
    outputs: &[&str],
) -> Result<(Model, TextEncoder), ProviderError> {
    let not_configured = |what: &str| {
        ProviderError::new(Code::ModelNotReady, format!("the server's settings name no {what}"))
            .with_hint("see docs/models.md: the local model needs a library and a directory with model.onnx and tokenizer.json")
    };
    let library = settings.library.as_deref().ok_or_else(|| not_configured("library of ONNX Runtime"))?;
    let directory = directory.ok_or_else(|| not_configured("directory of a local model"))?;
    let encoder = TextEncoder::load(&directory.join("tokenizer.json"), max_tokens)?;
    let model = Model::open(library, &directory.join("model.onnx"), settings.threads.max(1), outputs)?;
    Ok((model, encoder))
}

fn mean(numbers: &[f32], rows: usize, width: usize) -> Vec<f32> {
    let mut sum = vec![0.0; width];
    for row in numbers.chunks_exact(width.max(1)) {
        sum.iter_mut().zip(row).for_each(|(sum, number)| *sum += number);
    }
    sum.iter_mut().for_each(|number| *number /= rows as f32);
    sum
}

fn local_usage(tokens: u64, started: Instant) -> Usage {
    Usage { tokens: Some(tokens), duration: started.elapsed(), ..Usage::default() }
}

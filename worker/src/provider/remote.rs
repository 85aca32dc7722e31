//! What all providers over HTTP have in common: an address that is allowed, a key by reference, limits, and JSON both ways.

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::time::Duration;

use super::config::Config;
use super::{BatchLimits, Code, Policy, ProfileSpec, ProviderError, Purpose, Usage};
use crate::http::{Client, Url};
use crate::secret::KeySource;

/// What a profile can say about any remote endpoint.
pub(super) const REMOTE: [&str; 3] = ["api_key", "base_url", "timeout_ms"];
/// What a profile can say about the size of batches.
pub(super) const BATCHES: [&str; 3] = ["concurrency", "max_batch_texts", "max_batch_tokens"];
/// What a profile can say about models that want a prefix before each text.
pub(super) const PREFIXES: [&str; 2] = ["document_prefix", "query_prefix"];

/// An endpoint of one profile.
pub(super) struct Remote {
    client: Client,
    url: Url,
    key: Option<KeySource>,
}

impl Remote {
    /// The endpoint that a profile names. `hosted` is the provider's own address: it wants a key.
    pub fn new(config: Config, policy: &Policy, hosted: Option<&str>) -> Result<Self, ProviderError> {
        let given = config.text("base_url")?;
        let url = Url::parse(given.or(hosted).ok_or_else(|| {
            ProviderError::config(
                "the profile has no base_url",
                "give the address of the server: https://host[:port]",
            )
        })?)?;
        check_host(&url, policy)?;
        let key =
            config.value("api_key").map(|value| KeySource::from_config(value, &policy.keys)).transpose()?;
        match &key {
            // Found out now and not by the first job.
            Some(source) => drop(source.read()?),
            None if given.is_none() => {
                return Err(ProviderError::new(Code::Key, "the profile has no api_key").with_hint(format!(
                    "name the variable that holds it: {{\"api_key\": {{\"env\": \"{}...\"}}}}",
                    policy.keys.env_prefix
                )));
            }
            None => {}
        }
        let timeout = match config.number("timeout_ms", 1..=3_600_000)? {
            Some(ms) => Duration::from_millis(ms as u64).min(policy.timeout),
            None => policy.timeout,
        };
        Ok(Self { client: Client::new(policy, timeout), url, key })
    }

    /// Sends a request and reads the answer. The caller sets the tokens of the usage.
    pub fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        request: &impl Serialize,
    ) -> Result<(T, Usage), ProviderError> {
        let body = serde_json::to_vec(request)
            .map_err(|_| ProviderError::new(Code::InputRefused, "the request cannot be written as JSON"))?;
        let key = self.key.as_ref().map(KeySource::read).transpose()?;
        let answer = self.client.post(&self.url, path, key.as_ref(), &body)?;
        let usage = Usage {
            tokens: None,
            bytes_sent: body.len() as u64,
            bytes_received: answer.body.len() as u64,
            duration: answer.duration,
        };
        // The parser's own message could quote what it read.
        let parsed = serde_json::from_slice(&answer.body)
            .map_err(|_| ProviderError::bad_answer("the answer is not the JSON that this API gives"))?;
        Ok((parsed, usage))
    }
}

fn check_host(url: &Url, policy: &Policy) -> Result<(), ProviderError> {
    let host = url.host_and_port();
    if !policy.allowed_hosts.iter().any(|entry| url.is_allowed_by(entry)) {
        return Err(ProviderError::new(Code::HostRefused, format!("the host {host} is not allowed"))
            .with_hint("a superuser can add it to the server's list of allowed hosts"));
    }
    if url.is_plain() && !policy.allow_private {
        return Err(ProviderError::new(Code::HostRefused, format!("base_url of {host} is not encrypted"))
            .with_hint(
                "use https; plain http needs private addresses to be allowed in the server's settings",
            ));
    }
    Ok(())
}

/// The limits of a provider, with what the profile says instead.
pub(super) fn limits(config: Config, default: BatchLimits) -> Result<BatchLimits, ProviderError> {
    Ok(BatchLimits {
        texts: config.number("max_batch_texts", 1..=10_000)?.unwrap_or(default.texts),
        tokens: config.number("max_batch_tokens", 1..=10_000_000)?.unwrap_or(default.tokens),
        concurrency: config.number("concurrency", 1..=256)?.unwrap_or(default.concurrency),
        context_tokens: default.context_tokens,
    })
}

/// What some models want before each text.
#[derive(Clone, Debug, Default)]
pub(super) struct Prefixes {
    document: String,
    query: String,
}

impl Prefixes {
    pub fn new(config: Config) -> Result<Self, ProviderError> {
        let read = |name| Ok::<_, ProviderError>(config.text(name)?.unwrap_or_default().to_owned());
        Ok(Self { document: read("document_prefix")?, query: read("query_prefix")? })
    }

    /// The texts as the model wants them.
    pub fn apply<'a>(&self, texts: &'a [String], purpose: Purpose) -> Vec<std::borrow::Cow<'a, str>> {
        let prefix = match purpose {
            Purpose::Document => &self.document,
            Purpose::Query => &self.query,
        };
        texts
            .iter()
            .map(
                |text| {
                    if prefix.is_empty() { text.as_str().into() } else { format!("{prefix}{text}").into() }
                },
            )
            .collect()
    }
}

/// Hosted models refuse a whole batch for one empty text, with a message that does not say which.
pub(super) fn refuse_empty(texts: &[String]) -> Result<(), ProviderError> {
    match texts.iter().position(|text| text.trim().is_empty()) {
        Some(at) => {
            Err(ProviderError::new(Code::InputRefused, format!("text {} of the batch is empty", at + 1))
                .with_hint("an empty text has no meaning to embed"))
        }
        None => Ok(()),
    }
}

/// The length of vectors to ask for, where the profile wants the provider to shorten them.
pub(super) fn wanted_dims(config: Config, spec: &ProfileSpec) -> Result<Option<usize>, ProviderError> {
    Ok(config.flag("dimensions")?.then_some(spec.dims))
}

//! One POST of JSON to a model endpoint, with everything capped and nothing trusted: hosts are allowed by name and by the
//! address that the name leads to, redirects and proxies are not followed, time and size have limits.

pub(crate) mod address;
mod guard;
mod retry_after;
mod status;
mod url;

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::unversioned::transport::DefaultConnector;

pub(crate) use self::url::Url;
use crate::provider::{Code, Policy, ProviderError};
use crate::secret::Secret;

/// As many as a profile can have calls under way: each of them finds a connection that is open already.
const MOST_CONNECTIONS: usize = 256;

/// What came back, and what it cost.
pub(crate) struct Answer {
    pub body: Vec<u8>,
    pub duration: Duration,
}

/// A client for one profile: it keeps connections open between calls.
#[derive(Debug)]
pub(crate) struct Client {
    agent: ureq::Agent,
    max_response_bytes: u64,
}

impl Client {
    pub fn new(policy: &Policy, timeout: Duration) -> Self {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            // A proxy would resolve names by itself, out of the guard's sight. By default ureq reads the environment.
            .proxy(None)
            .max_idle_connections(MOST_CONNECTIONS)
            .max_idle_connections_per_host(MOST_CONNECTIONS)
            .timeout_global(Some(timeout))
            .timeout_connect(Some(policy.connect_timeout.min(timeout)))
            .tls_config(TlsConfig::builder().root_certs(trusted_roots()).build())
            .user_agent(concat!("pg_memento/", env!("CARGO_PKG_VERSION")))
            .accept("application/json")
            .build();
        let resolver = guard::GuardedResolver::new(policy.allow_private);
        let agent = ureq::Agent::with_parts(config, DefaultConnector::default(), resolver);
        Self { agent, max_response_bytes: policy.max_response_bytes }
    }

    /// Sends a body and gives back that of a successful answer.
    pub fn post(
        &self,
        url: &Url,
        path: &str,
        key: Option<&Secret>,
        body: &[u8],
    ) -> Result<Answer, ProviderError> {
        let started = Instant::now();
        let mut request = self.agent.post(url.join(path)).header("content-type", "application/json");
        if let Some(key) = key {
            request = request.header("authorization", format!("Bearer {}", key.expose()));
        }
        let mut response = request.send(body).map_err(|error| failed(&error, url))?;
        if !response.status().is_success() {
            return Err(status::refused(&mut response, url));
        }
        let limit = self.max_response_bytes;
        if response.body().content_length().is_some_and(|length| length > limit) {
            return Err(too_large(limit));
        }
        let body =
            response.body_mut().with_config().limit(limit).read_to_vec().map_err(|error| match error {
                ureq::Error::BodyExceedsLimit(_) => too_large(limit),
                other => failed(&other, url),
            })?;
        Ok(Answer { body, duration: started.elapsed() })
    }
}

fn too_large(limit: u64) -> ProviderError {
    ProviderError::new(Code::AnswerTooLarge, format!("the answer has more than {limit} bytes")).with_hint(
        "make batches smaller (max_batch_texts in the profile), or raise the server's limit for answers",
    )
}

/// What the machine trusts, so that an endpoint with a certificate of one's own works; the list of Mozilla where the machine
/// has none, as small containers do.
fn trusted_roots() -> RootCerts {
    static ROOTS: OnceLock<RootCerts> = OnceLock::new();
    ROOTS
        .get_or_init(|| {
            let found = rustls_native_certs::load_native_certs().certs;
            match found.is_empty() {
                true => RootCerts::WebPki,
                false => RootCerts::Specific(Arc::new(
                    found.iter().map(|certificate| Certificate::from_der(certificate).to_owned()).collect(),
                )),
            }
        })
        .clone()
}

/// A call without an answer. The library's own messages are not used: they may hold what was received.
fn failed(error: &ureq::Error, url: &Url) -> ProviderError {
    let host = url.host_and_port();
    match error {
        ureq::Error::Timeout(_) => timed_out(host),
        ureq::Error::Io(io) if io.kind() == std::io::ErrorKind::TimedOut => timed_out(host),
        ureq::Error::Other(other) => match other.downcast_ref::<guard::Refused>() {
            Some(refused) => refused.explain(host),
            None => unavailable(format!("the call of {host} failed")),
        },
        ureq::Error::HostNotFound => unavailable(format!("the name of {host} cannot be resolved")),
        ureq::Error::Io(io) if is_certificate(io) => untrusted(host),
        ureq::Error::Rustls(_) | ureq::Error::Tls(_) => untrusted(host),
        ureq::Error::Io(io) => unavailable(format!("the connection to {host} failed: {}", io.kind())),
        ureq::Error::Protocol(_) | ureq::Error::LargeResponseHeader(..) => {
            ProviderError::bad_answer(format!("{host} does not speak HTTP as expected"))
        }
        _ => unavailable(format!("the call of {host} failed")),
    }
}

/// The TLS layer hides its errors in those of the stream.
fn is_certificate(error: &std::io::Error) -> bool {
    error.kind() == std::io::ErrorKind::InvalidData
}

fn timed_out(host: &str) -> ProviderError {
    ProviderError::new(Code::Timeout, format!("{host} did not answer in time"))
        .with_hint("make batches smaller, or raise the server's time-out for providers")
}

fn unavailable(message: String) -> ProviderError {
    ProviderError::new(Code::Unavailable, message)
        .with_hint("check base_url in the profile, and that the server is running")
}

fn untrusted(host: &str) -> ProviderError {
    ProviderError::new(Code::Certificate, format!("no trusted TLS connection to {host}"))
        .with_hint("add the authority that signed its certificate to those that this machine trusts, or correct base_url")
}

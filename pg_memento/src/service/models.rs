//! What models may do, from the server's settings; and what their failures mean to SQL.

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use memento_worker::model_socket::SocketEmbedder;
use memento_worker::models::{Configured, Models, spec_of};
use memento_worker::provider::{
    self, Chat, Embedder, Kind, LocalSettings, Policy, ProfileSpec, ProviderError, Reranker,
};
use memento_worker::secret::KeyRules;
use memento_worker::store::{ChatProfile, Profile};
use pgrx::prelude::*;

use crate::error::Failure;
use crate::{ffi, gucs, init};

/// Where the process listens that holds the local model. Relative to the data directory, where all processes of a server are: the
/// path of a socket must not be long.
pub const MODEL_SOCKET: &str = "pg_memento.model";

/// How long an answer of the local model may take: it may have to be loaded first, and others may be before us.
pub const MODEL_TIME: Duration = Duration::from_secs(60);

/// The models as this server's processes reach them: the local one over its socket.
pub struct ServerModels(Configured);

impl ServerModels {
    /// Under the settings of now.
    pub fn new() -> Self {
        Self(Configured::new(policy()))
    }
}

impl Models for ServerModels {
    fn embedder(&self, profile: &Profile) -> Result<Arc<dyn Embedder>, ProviderError> {
        if profile.provider == "local" {
            return Ok(Arc::new(SocketEmbedder::new(MODEL_SOCKET.into(), spec_of(profile), MODEL_TIME)));
        }
        self.0.embedder(profile)
    }

    fn chat(&self, profile: &ChatProfile) -> Result<Arc<dyn Chat>, ProviderError> {
        self.0.chat(profile)
    }
}

/// The same for a session that works the queue itself. Where no process holds the local model, because the library is not preloaded,
/// the session does.
pub struct ForegroundModels(ServerModels);

impl ForegroundModels {
    /// Under the settings of now.
    pub fn new() -> Self {
        Self(ServerModels::new())
    }
}

impl Models for ForegroundModels {
    fn embedder(&self, profile: &Profile) -> Result<Arc<dyn Embedder>, ProviderError> {
        if init::preloaded() {
            return self.0.embedder(profile);
        }
        // Threads of the library must not take the session's signals.
        ffi::thread::without_signals(|| self.0.0.embedder(profile))
    }

    fn chat(&self, profile: &ChatProfile) -> Result<Arc<dyn Chat>, ProviderError> {
        self.0.chat(profile)
    }
}

thread_local! {
    /// The models of queries, with the settings that they were made under: connections are used again by the next query.
    static OF_SESSION: RefCell<Option<SessionModels>> = const { RefCell::new(None) };
}

struct SessionModels {
    policy: Policy,
    embedders: Configured,
    reranker: Option<(ProfileSpec, Arc<dyn Reranker>)>,
}

/// Uses the session's models; new ones if the settings have changed.
fn with_session<T>(work: impl FnOnce(&mut SessionModels) -> T) -> T {
    let policy = policy();
    OF_SESSION.with_borrow_mut(|kept| {
        if kept.as_ref().is_some_and(|kept| kept.policy != policy) {
            *kept = None;
        }
        work(kept.get_or_insert_with(|| SessionModels {
            policy: policy.clone(),
            embedders: Configured::new(policy),
            reranker: None,
        }))
    })
}

/// The embedding model of a profile over HTTP, for a query.
pub fn query_embedder(profile: &Profile) -> Result<Arc<dyn Embedder>, ProviderError> {
    with_session(|session| session.embedders.embedder(profile))
}

/// The reranker of a setting, for a query.
pub fn query_reranker(spec: &ProfileSpec) -> Result<Arc<dyn Reranker>, ProviderError> {
    with_session(|session| {
        if let Some((known, kept)) = &session.reranker
            && known == spec
        {
            return Ok(Arc::clone(kept));
        }
        let made = provider::reranker(spec, &session.policy)?;
        session.reranker = Some((spec.clone(), Arc::clone(&made)));
        Ok(made)
    })
}

/// What any profile may do.
pub fn policy() -> Policy {
    let settings = gucs::models();
    Policy {
        allowed_hosts: settings.allowed_hosts,
        allow_private: settings.allow_private_hosts,
        timeout: settings.timeout,
        connect_timeout: settings.timeout.min(Duration::from_secs(10)),
        keys: KeyRules { directory: settings.key_dir.map(PathBuf::from), ..KeyRules::default() },
        local: LocalSettings {
            library: settings.onnx_library.map(PathBuf::from),
            model_dir: gucs::model_dir().map(PathBuf::from),
            reranker_dir: settings.reranker_dir.map(PathBuf::from),
            threads: settings.threads,
        },
        ..Policy::default()
    }
}

impl Failure for ProviderError {
    fn sqlstate(&self) -> PgSqlErrorCode {
        match self.kind() {
            Kind::Invalid | Kind::Poison => PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
            Kind::NotReady => PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
            Kind::Retryable | Kind::RateLimited => PgSqlErrorCode::ERRCODE_EXTERNAL_ROUTINE_EXCEPTION,
        }
    }

    fn code(&self) -> &'static str {
        self.code.name()
    }

    fn hint(&self) -> Option<String> {
        self.hint.clone()
    }
}

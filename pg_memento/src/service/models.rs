//! What models may do, from the server's settings; and what their failures mean to SQL.

use std::path::PathBuf;
use std::time::Duration;

use memento_worker::provider::{Kind, LocalSettings, Policy, ProviderError};
use memento_worker::secret::KeyRules;
use pgrx::prelude::*;

use crate::error::Failure;
use crate::gucs;

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

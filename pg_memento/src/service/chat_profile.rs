//! Chat profiles: which models answer in words.

use memento_core::access::AccessLevel;
use memento_worker::provider::{self, ProfileSpec, ProviderError};
use pgrx::Uuid;
use pgrx::prelude::*;
use serde_json::{Value, json};

use super::access::{AccessError, as_owner, authorize_current};
use super::models;
use crate::error::{Failure, StatementError, passed_on, reported};
use crate::ffi;
use crate::ffi::jsonb::Jsonb;
use crate::spi::chat_profile::{self, NewChatProfile};

/// The extractor that needs no model; no profile has its name.
pub const RULES: &str = "rules";

/// Why a chat profile cannot be made or used.
#[derive(Debug, thiserror::Error)]
pub enum ChatProfileError {
    #[error("only a superuser can make or change chat profiles")]
    NotSuperuser,
    #[error("name must be of lower-case letters, digits, '.', '_' and '-', at most 63, and not {RULES}")]
    BadName,
    #[error("model must not be empty or longer than 200 characters")]
    BadModel,
    #[error("config must be a JSON object")]
    BadConfig,
    #[error("there is no chat profile \"{0}\"")]
    NotFound(String),
    #[error(transparent)]
    Provider(#[from] ProviderError),
    #[error(transparent)]
    Access(#[from] AccessError),
    #[error(transparent)]
    Statement(#[from] StatementError),
}

reported!(ChatProfileError);

impl Failure for ChatProfileError {
    passed_on!(Provider, Access, Statement);

    fn sqlstate(&self) -> PgSqlErrorCode {
        match self {
            Self::NotSuperuser => PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
            Self::NotFound(_) => PgSqlErrorCode::ERRCODE_NO_DATA_FOUND,
            _ => PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::NotSuperuser => "FORBIDDEN",
            Self::NotFound(_) => "PROFILE_NOT_FOUND",
            _ => "VALIDATION_ERROR",
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::NotSuperuser => {
                Some("a profile says which hosts are called and which keys are used".into())
            }
            Self::BadName => Some("for example: vllm".into()),
            Self::BadModel => Some("give it as the provider names it".into()),
            Self::BadConfig => Some(
                "for example: {\"base_url\": \"https://...\", \"api_key\": {\"env\": \"MEMENTO_KEY_X\"}}"
                    .into(),
            ),
            Self::NotFound(_) => Some("list them: select memento.chat_profiles_list()".into()),
            Self::Provider(_) | Self::Access(_) | Self::Statement(_) => None,
        }
    }
}

/// Makes a profile, or changes one.
pub fn upsert(name: &str, provider: &str, model: &str, config: Jsonb) -> Result<Value, ChatProfileError> {
    if !ffi::identity::is_superuser(ffi::identity::current_role()) {
        return Err(ChatProfileError::NotSuperuser);
    }
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "._-".contains(c);
    let begins_plainly = name.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit());
    if !begins_plainly || name.len() > 63 || !name.chars().all(is_plain) || name == RULES {
        return Err(ChatProfileError::BadName);
    }
    if model.trim().is_empty() || model.chars().count() > 200 {
        return Err(ChatProfileError::BadModel);
    }
    let parsed = config.parse().ok().filter(Value::is_object).ok_or(ChatProfileError::BadConfig)?;
    let spec = ProfileSpec { provider: provider.into(), model: model.into(), dims: 0, config: parsed };
    provider::chat(&spec, &models::policy())?;
    let endpoint = provider::endpoint(&spec);
    let profile_id = as_owner(|| {
        chat_profile::upsert(NewChatProfile { name, provider, model, config, endpoint: &endpoint })
    })?;
    Ok(json!({"profile_id": profile_id.to_string(), "name": name, "endpoint": endpoint}))
}

/// All profiles.
pub fn list() -> Result<Jsonb, ChatProfileError> {
    let project = authorize_current(AccessLevel::Read)?;
    Ok(as_owner(|| chat_profile::list(project))?)
}

/// The profile of a name.
pub fn find(name: &str) -> Result<Uuid, ChatProfileError> {
    as_owner(|| chat_profile::find(name))?
        .ok_or_else(|| ChatProfileError::NotFound(name.chars().take(80).collect()))
}

//! Keys and passwords in what is to be remembered.

use std::borrow::Cow;
use std::collections::BTreeMap;

use memento_core::access::AccessLevel;
use memento_core::memory_kind::SecretPolicy;
use memento_core::secret::{self, Kind};
use pgrx::Uuid;

use super::access::{AccessError, as_owner, authorize_current};
use crate::error::{Failure, StatementError, passed_on, reported};
use crate::ffi::jsonb::Jsonb;
use crate::spi;

/// How many secrets of which kind a content has.
pub type Secrets = BTreeMap<&'static str, usize>;

/// Why content is refused, or a policy cannot be set.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    #[error("the content has secrets in it: {}", .0.iter().map(|(kind, count)| format!("{kind} ({count})")).collect::<Vec<_>>().join(", "))]
    Found(Secrets),
    #[error("policy must be one of {}", SecretPolicy::WORDS.join(", "))]
    UnknownPolicy,
    #[error(transparent)]
    Access(#[from] AccessError),
    #[error(transparent)]
    Statement(#[from] StatementError),
}

reported!(SecretError);

impl Failure for SecretError {
    passed_on!(Access, Statement);

    fn code(&self) -> &'static str {
        match self {
            Self::Found(_) => "SECRET_FOUND",
            _ => "VALIDATION_ERROR",
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Found(_) => Some(
                "remove them, or let an admin choose otherwise: select memento.set_secret_policy('redact')"
                    .into(),
            ),
            Self::UnknownPolicy => Some("for example: select memento.set_secret_policy('refuse')".into()),
            _ => None,
        }
    }
}

/// Looks through what is to be stored in a project, and does what the project has chosen with the secrets in it.
pub struct Screen {
    policy: SecretPolicy,
    found: Secrets,
}

impl Screen {
    /// As the project has chosen.
    pub fn of_project(project: Uuid) -> Result<Self, SecretError> {
        let policy = as_owner(|| spi::tenancy::secret_policy(project))?;
        let policy = policy.and_then(|word| SecretPolicy::from_word(&word)).unwrap_or(SecretPolicy::Warn);
        Ok(Self { policy, found: Secrets::new() })
    }

    /// What of a text may be stored.
    pub fn text<'a>(&mut self, text: &'a str) -> Result<Cow<'a, str>, SecretError> {
        if self.policy == SecretPolicy::Ignore {
            return Ok(Cow::Borrowed(text));
        }
        let is_clean = self.note(secret::scan(text).into_iter().map(|secret| secret.kind))?;
        Ok(if is_clean { Cow::Borrowed(text) } else { Cow::Owned(secret::redact(text)) })
    }

    /// The same for what may be missing.
    pub fn optional<'a>(&mut self, text: Option<&'a str>) -> Result<Option<Cow<'a, str>>, SecretError> {
        text.map(|text| self.text(text)).transpose()
    }

    /// What of a JSON value may be stored.
    pub fn json(&mut self, json: Jsonb) -> Result<Jsonb, SecretError> {
        if self.policy == SecretPolicy::Ignore {
            return Ok(json);
        }
        let screened = secret::screen_json(json.as_str());
        let is_clean = self.note(screened.kinds.into_iter())?;
        Ok(if is_clean { json } else { Jsonb::from_text(screened.redacted) })
    }

    /// The secrets that were found.
    pub fn into_found(self) -> Secrets {
        self.found
    }

    /// Whether what was looked at may be stored as it is.
    fn note(&mut self, kinds: impl Iterator<Item = Kind>) -> Result<bool, SecretError> {
        let mut is_clean = true;
        for kind in kinds {
            *self.found.entry(kind.as_str()).or_default() += 1;
            is_clean = false;
        }
        match self.policy {
            SecretPolicy::Refuse if !is_clean => Err(SecretError::Found(self.found.clone())),
            policy => Ok(is_clean || policy != SecretPolicy::Redact),
        }
    }
}

/// Chooses what the session's project does with secrets.
pub fn set_policy(word: &str) -> Result<(), SecretError> {
    let policy = SecretPolicy::from_word(word).ok_or(SecretError::UnknownPolicy)?;
    let project = authorize_current(AccessLevel::Admin)?;
    Ok(as_owner(|| spi::tenancy::set_secret_policy(project, policy.as_str()))?)
}

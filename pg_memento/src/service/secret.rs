//! Keys and passwords in what is to be remembered.

use std::borrow::Cow;
use std::collections::BTreeMap;

use memento_core::access::AccessLevel;
use memento_core::memory_kind::SecretPolicy;
use memento_core::secret;
use pgrx::Uuid;

use super::access::{AccessError, as_owner, authorize_current};
use crate::error::{Failure, StatementError, passed_on, reported};
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

/// What of a content may be stored in a project, and which secrets it has.
pub fn screened(project: Uuid, content: &str) -> Result<(Cow<'_, str>, Secrets), SecretError> {
    let policy = as_owner(|| spi::tenancy::secret_policy(project))?;
    let policy = policy.and_then(|word| SecretPolicy::from_word(&word)).unwrap_or(SecretPolicy::Warn);
    if policy == SecretPolicy::Ignore {
        return Ok((Cow::Borrowed(content), Secrets::new()));
    }
    let mut secrets = Secrets::new();
    for found in secret::scan(content) {
        *secrets.entry(found.kind.as_str()).or_default() += 1;
    }
    match policy {
        SecretPolicy::Refuse if !secrets.is_empty() => Err(SecretError::Found(secrets)),
        SecretPolicy::Redact if !secrets.is_empty() => Ok((Cow::Owned(secret::redact(content)), secrets)),
        _ => Ok((Cow::Borrowed(content), secrets)),
    }
}

/// Chooses what the session's project does with secrets.
pub fn set_policy(word: &str) -> Result<(), SecretError> {
    let policy = SecretPolicy::from_word(word).ok_or(SecretError::UnknownPolicy)?;
    let project = authorize_current(AccessLevel::Admin)?;
    Ok(as_owner(|| spi::tenancy::set_secret_policy(project, policy.as_str()))?)
}

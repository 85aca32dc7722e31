//! Limits on how often a role calls tools.

use std::time::Duration;

use pgrx::datum::Interval;
use pgrx::prelude::*;

use super::access::as_owner;
use crate::error::{Failure, StatementError, passed_on, reported};
use crate::{ffi, spi};

/// Every role for itself, or all tools together.
const ANY: &str = "*";

/// The longest time that is counted over.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// Why a call is refused, or a limit.
#[derive(Debug, thiserror::Error)]
pub enum RateError {
    #[error("rate limit exceeded")]
    Exceeded { retry_after: i32 },
    #[error("only a superuser can limit how often tools are called")]
    NotSuperuser,
    #[error("max_calls must not be negative")]
    Negative,
    #[error("per must be between one second and one day")]
    BadTime,
    #[error("tool must not be empty")]
    NoTool,
    #[error("role \"{0}\" does not exist")]
    NoSuchRole(String),
    #[error(transparent)]
    Statement(#[from] StatementError),
}

reported!(RateError);

impl Failure for RateError {
    passed_on!(Statement);

    fn sqlstate(&self) -> PgSqlErrorCode {
        match self {
            Self::Exceeded { .. } => PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED,
            Self::NotSuperuser => PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
            Self::NoSuchRole(_) => PgSqlErrorCode::ERRCODE_NO_DATA_FOUND,
            _ => PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::Exceeded { .. } => "RATE_LIMIT_EXCEEDED",
            Self::NotSuperuser => "FORBIDDEN",
            Self::NoSuchRole(_) => "ROLE_NOT_FOUND",
            _ => "VALIDATION_ERROR",
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            // Clients read the number.
            Self::Exceeded { retry_after } => Some(format!("retry after {retry_after} seconds")),
            Self::NoSuchRole(_) => Some("leave the role out to limit each of them".into()),
            Self::NotSuperuser => Some("ask an administrator of the database".into()),
            _ => Some("for example: select memento.set_rate_limit('recall', 300, '1 minute')".into()),
        }
    }
}

/// Counts a call of the current role.
pub fn admit(tool: &str) -> Result<(), RateError> {
    let caller = ffi::identity::current_role();
    let refused = as_owner(|| match spi::rate::is_limited()? {
        true => spi::rate::admit(&spi::catalog::role_name(caller)?, &tool.replace('.', "_")),
        false => Ok(None),
    })?;
    match refused {
        Some(seconds) => Err(RateError::Exceeded { retry_after: seconds.max(1) }),
        None => Ok(()),
    }
}

/// Sets a limit, or ends it.
pub fn set_limit(
    tool: &str,
    max_calls: Option<i32>,
    per: Interval,
    length: Duration,
    role: Option<&str>,
) -> Result<(), RateError> {
    if !ffi::identity::is_superuser(ffi::identity::current_role()) {
        return Err(RateError::NotSuperuser);
    }
    if tool.trim().is_empty() {
        return Err(RateError::NoTool);
    }
    if max_calls.is_some_and(|calls| calls < 0) {
        return Err(RateError::Negative);
    }
    if !(Duration::from_secs(1)..=LONGEST).contains(&length) {
        return Err(RateError::BadTime);
    }
    if let Some(role) = role
        && !spi::tenancy::role_exists(role)?
    {
        return Err(RateError::NoSuchRole(role.chars().take(80).collect()));
    }
    let tool = tool.replace('.', "_");
    Ok(as_owner(|| spi::rate::set_limit(role.unwrap_or(ANY), &tool, max_calls, per))?)
}

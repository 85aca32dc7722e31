//! The gate that every function with state passes: may the caller do this in that project?

use memento_core::access::AccessLevel;
use memento_core::project::{NameError, ProjectRef};
use pgrx::Uuid;
use pgrx::prelude::*;

use crate::error::{Failure, StatementError, passed_on, reported};
use crate::{ffi, gucs, spi};

/// The project that is there from the start; see sql/10_tenancy.sql.
pub const DEFAULT_PROJECT: &str = "00000000-0000-0000-0000-000000000001";

/// Why the caller cannot work in a project.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    #[error("\"{given}\" does not name a project: {reason}")]
    BadReference { given: String, reason: NameError },
    /// The same words for a project that is not there and one that is not ours, so that nobody can probe.
    #[error("project \"{0}\" does not exist or this role has no access to it")]
    NotVisible(String),
    #[error("project \"{0}\" does not exist")]
    NotFound(String),
    #[error("project name \"{0}\" is used in more than one workspace")]
    Ambiguous(String),
    #[error("this role has no {needed} access to project \"{project}\"")]
    TooWeak { project: String, needed: AccessLevel },
    #[error(transparent)]
    Statement(#[from] StatementError),
}

reported!(AccessError);

impl Failure for AccessError {
    passed_on!(Statement);

    fn sqlstate(&self) -> PgSqlErrorCode {
        match self {
            Self::NotVisible(_) | Self::TooWeak { .. } => PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
            Self::NotFound(_) => PgSqlErrorCode::ERRCODE_NO_DATA_FOUND,
            _ => PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::NotVisible(_) | Self::TooWeak { .. } => "FORBIDDEN",
            Self::NotFound(_) => "PROJECT_NOT_FOUND",
            _ => "VALIDATION_ERROR",
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::BadReference { .. } => Some("give a project's id, its name, or workspace/name".into()),
            Self::NotVisible(_) => {
                Some("ask an admin of the project to run memento.grant_access(role, project, level)".into())
            }
            Self::NotFound(_) => Some(
                "make it with memento.create_project(name), or list them: select * from memento.project"
                    .into(),
            ),
            Self::Ambiguous(_) => Some("write workspace/name, or give the project's id".into()),
            Self::TooWeak { project, needed } => Some(format!(
                "ask an admin of the project to run memento.grant_access(role, '{project}', '{needed}')"
            )),
            _ => None,
        }
    }
}

/// Looks up the session's project and checks the caller's level in it.
pub fn authorize_current(needed: AccessLevel) -> Result<Uuid, AccessError> {
    authorize(gucs::project().as_deref().unwrap_or(DEFAULT_PROJECT), needed)
}

/// Looks up a project and checks the caller's level in it.
pub fn authorize(given: &str, needed: AccessLevel) -> Result<Uuid, AccessError> {
    let reference = ProjectRef::parse(given)
        .map_err(|reason| AccessError::BadReference { given: shown(given), reason })?;
    let caller = ffi::identity::current_role();
    let sees_all = ffi::identity::is_superuser(caller);
    let mut found = as_owner(|| spi::tenancy::find_projects(caller, sees_all, &reference))?;
    match (found.pop(), found.pop()) {
        (Some(_), Some(_)) => Err(AccessError::Ambiguous(shown(given))),
        (Some(project), None) if sees_all || project.level.is_some_and(|level| level >= needed) => {
            Ok(project.project_id)
        }
        (Some(_), None) => Err(AccessError::TooWeak { project: shown(given), needed }),
        (None, _) if sees_all => Err(AccessError::NotFound(shown(given))),
        (None, _) => Err(AccessError::NotVisible(shown(given))),
    }
}

/// The projects in which the caller has at least this level.
pub fn visible_projects(level: AccessLevel) -> Result<Vec<Uuid>, AccessError> {
    let caller = ffi::identity::current_role();
    let sees_all = ffi::identity::is_superuser(caller);
    Ok(as_owner(|| spi::tenancy::member_projects(caller, sees_all, level))?)
}

/// Runs statements as the owner of the extension. Only behind a check of the caller's membership.
pub fn as_owner<T>(work: impl FnOnce() -> spi::StatementResult<T>) -> spi::StatementResult<T> {
    let owner = spi::catalog::extension_owner()?;
    ffi::identity::run_as(owner, work)
}

/// What is shown of a user's text in a message: enough to recognise it, and never a megabyte.
fn shown(text: &str) -> String {
    const SHOWN_CHARS: usize = 80;
    match text.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None if text == DEFAULT_PROJECT => "default".into(),
        None => text.to_owned(),
    }
}

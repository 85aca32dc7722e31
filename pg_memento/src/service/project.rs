//! Which project somebody works on, and which there are.

use memento_core::project::{directory_key, name_of_key, repository_key};
use pgrx::Uuid;
use pgrx::prelude::*;
use serde_json::json;

use super::access::{AccessError, as_owner};
use super::tenancy::{self, TenancyError};
use crate::error::{Failure, StatementError, passed_on, reported};
use crate::ffi::jsonb::Jsonb;
use crate::spi::project::Viewer;
use crate::{ffi, spi};

/// The most projects of one page.
pub const MAX_PROJECTS: i32 = 1000;

/// Why a project cannot be told.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    #[error("projects_resolve needs a repository, a directory or a name")]
    NothingNamed,
    #[error("repo_url does not name a repository")]
    BadRepository,
    #[error("cwd must be an absolute path")]
    BadDirectory,
    #[error("no project in workspace \"{0}\" is known by that")]
    Unknown(String),
    #[error("max_projects must be between 1 and {MAX_PROJECTS}, not {0}")]
    BadLimit(i32),
    #[error("after is not where a page ended")]
    BadCursor,
    #[error(transparent)]
    Tenancy(#[from] TenancyError),
    #[error(transparent)]
    Access(#[from] AccessError),
    #[error(transparent)]
    Statement(#[from] StatementError),
}

reported!(ProjectError);

impl Failure for ProjectError {
    passed_on!(Tenancy, Access, Statement);

    fn sqlstate(&self) -> PgSqlErrorCode {
        match self {
            Self::Unknown(_) => PgSqlErrorCode::ERRCODE_NO_DATA_FOUND,
            _ => PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::Unknown(_) => "PROJECT_NOT_FOUND",
            _ => "VALIDATION_ERROR",
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::NothingNamed | Self::BadRepository => {
                Some("for example: repo_url => 'https://git.example.com/acme/shop'".into())
            }
            Self::BadDirectory => Some("for example: cwd => '/home/ana/shop'".into()),
            Self::Unknown(_) => Some("make it with create_if_missing => true".into()),
            Self::BadLimit(_) | Self::BadCursor => {
                Some("read on with after => next_after of the page before".into())
            }
            _ => None,
        }
    }
}

/// What a client knows of where it works.
pub struct Whereabouts<'a> {
    pub workspace: &'a str,
    pub cwd: Option<&'a str>,
    pub repo_url: Option<&'a str>,
    pub display_name: Option<&'a str>,
}

impl Whereabouts<'_> {
    /// What the project is known by: its repository, which is the same on every machine, or else its directory.
    fn key(&self) -> Result<Option<String>, ProjectError> {
        match (self.repo_url, self.cwd) {
            (Some(url), _) => repository_key(url).map(Some).ok_or(ProjectError::BadRepository),
            (None, Some(cwd)) => directory_key(cwd).map(Some).ok_or(ProjectError::BadDirectory),
            (None, None) => Ok(None),
        }
    }
}

/// The project that somebody works on, which becomes that of the session; made if it is asked for and there is none.
pub fn resolve(at: &Whereabouts, create: bool) -> Result<Jsonb, ProjectError> {
    let key = at.key()?;
    if key.is_none() && at.display_name.is_none() {
        return Err(ProjectError::NothingNamed);
    }
    let viewer = viewer();
    let find = || as_owner(|| spi::project::resolve(viewer, at.workspace, key.as_deref(), at.display_name));
    let unknown = || ProjectError::Unknown(at.workspace.chars().take(80).collect());
    let ((project, seen), created) = match find()? {
        Some(found) => (found, false),
        None if create => {
            make(at, key.as_deref())?;
            (find()?.ok_or_else(unknown)?, true)
        }
        None => return Err(unknown()),
    };
    spi::tenancy::set_session_project(project, false)?;
    let mut seen = seen.parse().unwrap_or_else(|_| json!({}));
    seen["created"] = json!(created);
    Ok(seen.into())
}

/// Makes a project of the given name, or else of the last part of its key, or of all of it where that is taken.
fn make(at: &Whereabouts, key: Option<&str>) -> Result<Uuid, ProjectError> {
    if let Some(key) = key
        && as_owner(|| spi::project::key_is_used(at.workspace, key))?
    {
        // There is one that this role cannot see.
        return Err(AccessError::NotVisible(key.chars().take(80).collect()).into());
    }
    let name = at.display_name.or(key.map(name_of_key)).unwrap_or_default();
    let made = match tenancy::create_project(at.workspace, name) {
        Err(TenancyError::Exists { .. }) if at.display_name.is_none() => {
            let whole = key.unwrap_or_default().replace(['/', '\\'], "-");
            tenancy::create_project(at.workspace, whole.trim_start_matches('-'))?
        }
        made => made?,
    };
    if let Some(key) = key {
        as_owner(|| spi::project::set_key(made, key))?;
    }
    Ok(made)
}

/// The projects that the caller can see, by workspace and name.
pub fn list(workspace: Option<&str>, limit: i32, after: Option<&str>) -> Result<Jsonb, ProjectError> {
    if !(1..=MAX_PROJECTS).contains(&limit) {
        return Err(ProjectError::BadLimit(limit));
    }
    let after = after.map(|after| after.split_once('/').ok_or(ProjectError::BadCursor)).transpose()?;
    let viewer = viewer();
    as_owner(|| spi::project::list(viewer, workspace, after, limit))?
        .ok_or_else(|| StatementError::from(pgrx::spi::Error::InvalidPosition).into())
}

/// The caller: to be asked before the work as the owner begins.
fn viewer() -> Viewer {
    let role = ffi::identity::current_role();
    Viewer { role, sees_all: ffi::identity::is_superuser(role) }
}

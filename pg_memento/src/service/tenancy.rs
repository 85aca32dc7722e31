//! Making projects and giving access to them.

use memento_core::access::{AccessLevel, UnknownAccessLevel};
use memento_core::project::{NameError, check_name};
use pgrx::Uuid;
use pgrx::prelude::*;

use super::access::{AccessError, as_owner, authorize};
use crate::error::{Failure, StatementError, passed_on, reported};
use crate::{ffi, spi};

/// Why a project cannot be made or access cannot be given.
#[derive(Debug, thiserror::Error)]
pub enum TenancyError {
    #[error("\"{given}\" cannot be a name: {reason}")]
    BadName { given: String, reason: NameError },
    #[error("project \"{name}\" exists already in workspace \"{workspace}\"")]
    Exists { workspace: String, name: String },
    #[error("this role may not make a project in workspace \"{0}\"")]
    MayNotCreate(String),
    #[error(transparent)]
    BadLevel(#[from] UnknownAccessLevel),
    #[error("role \"{0}\" does not exist")]
    NoSuchRole(String),
    #[error(transparent)]
    Access(#[from] AccessError),
    #[error(transparent)]
    Statement(#[from] StatementError),
}

reported!(TenancyError);

impl Failure for TenancyError {
    passed_on!(Access, Statement);

    fn sqlstate(&self) -> PgSqlErrorCode {
        match self {
            Self::Exists { .. } => PgSqlErrorCode::ERRCODE_UNIQUE_VIOLATION,
            Self::MayNotCreate(_) => PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
            Self::NoSuchRole(_) => PgSqlErrorCode::ERRCODE_NO_DATA_FOUND,
            _ => PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::Exists { .. } => "PROJECT_EXISTS",
            Self::MayNotCreate(_) => "FORBIDDEN",
            Self::NoSuchRole(_) => "ROLE_NOT_FOUND",
            _ => "VALIDATION_ERROR",
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::BadName { .. } => Some("use up to 200 characters without / and control characters".into()),
            Self::BadLevel(_) => Some("use read, write or admin".into()),
            Self::Exists { workspace, name } => {
                Some(format!("work in it with memento.use_project('{workspace}/{name}')"))
            }
            Self::MayNotCreate(_) => {
                Some("a superuser, or an admin of a project in that workspace, can make one".into())
            }
            Self::NoSuchRole(_) => Some("create the role first; names are case sensitive here".into()),
            _ => None,
        }
    }
}

/// Makes a project. A caller who is not a superuser becomes its admin.
pub fn create_project(workspace: &str, name: &str) -> Result<Uuid, TenancyError> {
    for given in [workspace, name] {
        check_name(given).map_err(|reason| TenancyError::BadName { given: given.to_owned(), reason })?;
    }
    let caller = ffi::identity::current_role();
    let is_superuser = ffi::identity::is_superuser(caller);
    if !is_superuser && !as_owner(|| spi::tenancy::administers_workspace(caller, workspace))? {
        return Err(TenancyError::MayNotCreate(workspace.to_owned()));
    }
    let made = as_owner(|| {
        let made = spi::tenancy::insert_project(workspace, name)?;
        if let (Some(project), false) = (made, is_superuser) {
            spi::tenancy::upsert_member(project, &spi::catalog::role_name(caller)?, AccessLevel::Admin)?;
        }
        Ok(made)
    })?;
    made.ok_or_else(|| TenancyError::Exists { workspace: workspace.to_owned(), name: name.to_owned() })
}

/// Gives a role a level in a project, and with it the use of the schema.
pub fn grant_access(role: &str, project: &str, level: &str) -> Result<(), TenancyError> {
    let level: AccessLevel = level.parse()?;
    let project = authorize(project, AccessLevel::Admin)?;
    if !spi::tenancy::role_exists(role)? {
        return Err(TenancyError::NoSuchRole(role.to_owned()));
    }
    as_owner(|| {
        spi::tenancy::upsert_member(project, role, level)?;
        spi::tenancy::grant_use_of_schema(role)
    })?;
    Ok(())
}

/// Takes it back; says whether there was something to take. Also for roles that do not exist any more.
pub fn revoke_access(role: &str, project: &str) -> Result<bool, TenancyError> {
    let project = authorize(project, AccessLevel::Admin)?;
    let revoked = as_owner(|| {
        let revoked = spi::tenancy::delete_member(project, role)?;
        spi::tenancy::revoke_use_of_schema_from_stranger(role)?;
        Ok(revoked)
    })?;
    Ok(revoked)
}

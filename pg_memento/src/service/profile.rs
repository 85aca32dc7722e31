//! Embedding profiles: which models there are, and changing a project's model without a gap.

use memento_core::access::AccessLevel;
use memento_worker::provider::{self, ProfileSpec, ProviderError};
use pgrx::Uuid;
use pgrx::prelude::*;
use serde_json::{Value, json};

use super::access::{AccessError, as_owner, authorize_current};
use super::models;
use crate::error::{Failure, StatementError, passed_on, reported};
use crate::ffi::jsonb::Jsonb;
use crate::spi::profile::{self, NewProfile, Profile};
use crate::{ffi, spi};

/// What pgvector can index: beyond it a search would read every vector.
const MOST_DIMS: i32 = 4000;

const DISTANCES: [&str; 3] = ["cosine", "l2", "ip"];

/// Why a profile cannot be made or used.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    #[error("only a superuser can make or change embedding profiles")]
    NotSuperuser,
    #[error("name must be of lower-case letters, digits, '.', '_' and '-', at most 63")]
    BadName,
    #[error("model must not be empty or longer than 200 characters")]
    BadModel,
    #[error("dims must be from 1 to {MOST_DIMS}")]
    BadDims,
    #[error("distance must be one of {}", DISTANCES.join(", "))]
    BadDistance,
    #[error("config must be a JSON object")]
    BadConfig,
    #[error("hnsw.{0} is out of range")]
    BadIndexParameter(&'static str),
    #[error("there is no embedding profile \"{0}\"")]
    NotFound(String),
    #[error("the model of an embedding profile, and what else decides about its vectors, cannot be changed")]
    Immutable,
    #[error("{missing} chunks have no vector by profile \"{name}\" yet")]
    NotFilled { name: String, missing: i64 },
    #[error("profile \"{0}\" is not used by this project")]
    NotUsed(String),
    #[error(transparent)]
    Provider(#[from] ProviderError),
    #[error(transparent)]
    Access(#[from] AccessError),
    #[error(transparent)]
    Statement(#[from] StatementError),
}

reported!(ProfileError);

impl Failure for ProfileError {
    passed_on!(Provider, Access, Statement);

    fn sqlstate(&self) -> PgSqlErrorCode {
        match self {
            Self::NotSuperuser => PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
            Self::NotFound(_) => PgSqlErrorCode::ERRCODE_NO_DATA_FOUND,
            Self::Immutable | Self::NotFilled { .. } | Self::NotUsed(_) => {
                PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE
            }
            _ => PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::NotSuperuser => "FORBIDDEN",
            Self::NotFound(_) => "PROFILE_NOT_FOUND",
            Self::Immutable => "PROFILE_IMMUTABLE",
            Self::NotFilled { .. } => "PROFILE_NOT_FILLED",
            Self::NotUsed(_) => "PROFILE_NOT_USED",
            _ => "VALIDATION_ERROR",
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::NotSuperuser => {
                Some("a profile says which hosts are called and which keys are used".into())
            }
            Self::BadName => Some("for example: voyage-3".into()),
            Self::BadModel => Some("give it as the provider names it".into()),
            Self::BadDims => {
                Some("longer vectors cannot be indexed: ask the model for shorter ones, if it can".into())
            }
            Self::BadDistance => Some("leave it out for cosine".into()),
            Self::BadConfig => Some(
                "for example: {\"base_url\": \"https://...\", \"api_key\": {\"env\": \"MEMENTO_KEY_X\"}}"
                    .into(),
            ),
            Self::BadIndexParameter(_) => {
                Some("m is from 2 to 100, ef_construction from 4 to 1000 and at least 2 * m".into())
            }
            Self::NotFound(_) => Some("list them: select memento.embedding_profiles_list()".into()),
            Self::Immutable => Some(
                "make a new profile, fill it with memento.embedding_profiles_fill() and switch to it".into(),
            ),
            Self::NotFilled { name, .. } => Some(format!(
                "select memento.embedding_profiles_fill('{name}'), wait for it, and activate it then; or give force => true"
            )),
            Self::NotUsed(name) => Some(format!("select memento.embedding_profiles_fill('{name}')")),
            Self::Provider(_) | Self::Access(_) | Self::Statement(_) => None,
        }
    }
}

/// Makes a profile, or changes how an existing one is reached.
pub fn upsert(
    name: &str,
    provider: &str,
    model: &str,
    dims: i32,
    distance: &str,
    config: Jsonb,
) -> Result<Value, ProfileError> {
    if !ffi::identity::is_superuser(ffi::identity::current_role()) {
        return Err(ProfileError::NotSuperuser);
    }
    check(name, model, dims, distance)?;
    let parsed = config.parse().ok().filter(Value::is_object).ok_or(ProfileError::BadConfig)?;
    check_index(&parsed)?;
    let spec = ProfileSpec {
        provider: provider.into(),
        model: model.into(),
        dims: usize::try_from(dims).unwrap_or(0),
        config: parsed,
    };
    // Loading the local model is left to the process that keeps it.
    provider::check_profile(&spec, &models::policy())?;
    let known = as_owner(|| profile::find(name))?;
    if known.is_some_and(|known| {
        (known.provider.as_str(), known.model.as_str(), known.dims, known.distance.as_str())
            != (provider, model, dims, distance)
            || makes_other_vectors(&known.config, &spec.config)
    }) {
        return Err(ProfileError::Immutable);
    }
    let endpoint = provider::endpoint(&spec);
    let profile_id = as_owner(|| {
        profile::upsert(NewProfile { name, provider, model, dims, distance, config, endpoint: &endpoint })
    })?;
    Ok(json!({"profile_id": profile_id.to_string(), "name": name, "endpoint": endpoint}))
}

/// Whether texts would have other vectors than those that are stored. A fingerprint that is not given stays as it was recorded.
fn makes_other_vectors(known: &Value, given: &Value) -> bool {
    let said = |config: &Value, key: &str| {
        config.get(key).filter(|said| !said.is_null() && **said != json!(false)).cloned()
    };
    let differs = |key: &&str| said(known, key) != said(given, key);
    let is_other = |given: &Value| known.get("fingerprint").is_some_and(|recorded| recorded != given);
    ["document_prefix", "late_chunking", "pooling"].iter().any(differs)
        || given.get("fingerprint").is_some_and(is_other)
}

fn check(name: &str, model: &str, dims: i32, distance: &str) -> Result<(), ProfileError> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "._-".contains(c);
    if name.is_empty() || name.len() > 63 || name.starts_with(['.', '_', '-']) || !name.chars().all(is_plain)
    {
        return Err(ProfileError::BadName);
    }
    if model.trim().is_empty() || model.chars().count() > 200 {
        return Err(ProfileError::BadModel);
    }
    if !(1..=MOST_DIMS).contains(&dims) {
        return Err(ProfileError::BadDims);
    }
    if !DISTANCES.contains(&distance) {
        return Err(ProfileError::BadDistance);
    }
    Ok(())
}

/// As pgvector limits them; found out by the job that builds the index otherwise.
fn check_index(config: &Value) -> Result<(), ProfileError> {
    let number = |name: &'static str, default: i64, range: std::ops::RangeInclusive<i64>| {
        let value = match config.pointer(&format!("/hnsw/{name}")) {
            None => Some(default),
            Some(value) => value.as_i64(),
        };
        value.filter(|value| range.contains(value)).ok_or(ProfileError::BadIndexParameter(name))
    };
    let m = number("m", 16, 2..=100)?;
    let ef_construction = number("ef_construction", 64, 4..=1000)?;
    if ef_construction < 2 * m { Err(ProfileError::BadIndexParameter("ef_construction")) } else { Ok(()) }
}

/// All profiles, and how far the session's project is filled by each.
pub fn list() -> Result<Jsonb, ProfileError> {
    let project = authorize_current(AccessLevel::Read)?;
    Ok(as_owner(|| profile::list(project))?)
}

/// How embedding is doing in the session's project.
pub fn health() -> Result<Jsonb, ProfileError> {
    let project = authorize_current(AccessLevel::Read)?;
    Ok(as_owner(|| profile::health(project))?)
}

/// Fills a profile for the session's project, beside the active one, and keeps it filled.
pub fn fill(name: &str) -> Result<Value, ProfileError> {
    let project = authorize_current(AccessLevel::Admin)?;
    let profile = find(name)?;
    let jobs = as_owner(|| {
        profile::set_candidate(project, profile)?;
        filled(project, profile)
    })?;
    Ok(json!({"profile_id": profile.to_string(), "jobs": jobs}))
}

/// Asks for the vectors that are missing, and for the index; says how many jobs that is.
fn filled(project: Uuid, profile: Uuid) -> spi::StatementResult<i64> {
    let jobs = profile::enqueue_missing(project, profile)?;
    profile::want_index(profile)?;
    Ok(jobs)
}

/// Makes a profile the one that searches of the session's project use; none turns them off.
pub fn activate(name: Option<&str>, force: bool) -> Result<Value, ProfileError> {
    let project = authorize_current(AccessLevel::Admin)?;
    let profile = name.map(find).transpose()?;
    let missing = match profile {
        Some(profile) => as_owner(|| profile::missing_vectors(project, profile))?,
        None => 0,
    };
    if let (true, Some(name)) = (missing > 0 && !force, name) {
        return Err(ProfileError::NotFilled { name: name.into(), missing });
    }
    let jobs = as_owner(|| {
        profile::activate(project, profile)?;
        match profile {
            Some(profile) => filled(project, profile),
            None => Ok(0),
        }
    })?;
    Ok(json!({"active": name, "missing": missing, "jobs": jobs}))
}

/// Asks for what a profile lacks in the session's project, or for all of it anew, and for its index.
pub fn reindex(name: &str, from_scratch: bool) -> Result<Value, ProfileError> {
    let project = authorize_current(AccessLevel::Admin)?;
    let profile = find(name)?;
    // Its vectors would go and not come back.
    if !as_owner(|| profile::is_used(project, profile))? {
        return Err(ProfileError::NotUsed(name.into()));
    }
    let jobs = as_owner(|| {
        if from_scratch {
            profile::delete_vectors(project, profile)?;
        }
        filled(project, profile)
    })?;
    Ok(json!({"profile_id": profile.to_string(), "jobs": jobs}))
}

fn find(name: &str) -> Result<Uuid, ProfileError> {
    let found: Option<Profile> = as_owner(|| spi::profile::find(name))?;
    found
        .map(|profile| profile.profile_id)
        .ok_or_else(|| ProfileError::NotFound(name.chars().take(80).collect()))
}

//! Embedding profiles, and which of them a project uses.

use pgrx::Uuid;

use super::{StatementResult, kept_rows, required, rows, write, write_one};
use crate::ffi::jsonb::Jsonb;

/// A profile as it is given.
pub struct NewProfile<'a> {
    pub name: &'a str,
    pub provider: &'a str,
    pub model: &'a str,
    pub dims: i32,
    pub distance: &'a str,
    pub config: Jsonb,
    pub endpoint: &'a str,
}

/// A profile as it is stored.
pub struct Profile {
    pub profile_id: Uuid,
    pub provider: String,
    pub model: String,
    pub dims: i32,
    pub distance: String,
    pub config: serde_json::Value,
}

/// The profile of a name.
pub fn find(name: &str) -> StatementResult<Option<Profile>> {
    let found = rows(include_str!("queries/profile_of_name.sql"), &[name.into()], |row| {
        Ok(Profile {
            profile_id: required(&row, 1)?,
            provider: required(&row, 2)?,
            model: required(&row, 3)?,
            dims: required(&row, 4)?,
            distance: required(&row, 5)?,
            config: required::<Jsonb>(&row, 6)?.parse().unwrap_or_default(),
        })
    })?;
    Ok(found.into_iter().next())
}

/// Makes a profile, or changes how one is reached, and asks for its index if that is to be another one.
pub fn upsert(profile: NewProfile) -> StatementResult<Uuid> {
    let id: Uuid = write_one(
        include_str!("queries/upsert_profile.sql"),
        &[
            profile.name.into(),
            profile.provider.into(),
            profile.model.into(),
            profile.dims.into(),
            profile.distance.into(),
            profile.config.into(),
            profile.endpoint.into(),
        ],
    )?;
    write(
        "select memento._enqueue_index($1) where memento._index_state($1) in ('outdated', 'invalid')",
        &[id.into()],
        |_| Ok(()),
    )?;
    Ok(id)
}

/// Asks for the index of a profile, at the end of its vectors.
pub fn want_index(profile: Uuid) -> StatementResult<()> {
    write("select memento._want_index($1)", &[profile.into()], |_| Ok(()))?;
    Ok(())
}

/// All profiles, and how far a project is filled by each.
pub fn list(project: Uuid) -> StatementResult<Jsonb> {
    one(include_str!("queries/list_profiles.sql"), project)
}

/// How embedding is doing in a project.
pub fn health(project: Uuid) -> StatementResult<Jsonb> {
    one(include_str!("queries/embedding_health.sql"), project)
}

fn one(statement: &str, project: Uuid) -> StatementResult<Jsonb> {
    let found = rows(statement, &[project.into()], |row| required(&row, 1))?;
    found.into_iter().next().ok_or_else(|| pgrx::spi::Error::InvalidPosition.into())
}

/// How many chunks of a project have no vector by a profile.
pub fn missing_vectors(project: Uuid, profile: Uuid) -> StatementResult<i64> {
    let missing =
        rows(include_str!("queries/missing_vectors.sql"), &[project.into(), profile.into()], |row| {
            required::<i64>(&row, 1)
        })?;
    Ok(missing.into_iter().sum())
}

/// Makes a profile the one that searches of a project use.
pub fn activate(project: Uuid, profile: Option<Uuid>) -> StatementResult<()> {
    write(include_str!("queries/activate_profile.sql"), &[project.into(), profile.into()], |_| Ok(()))?;
    Ok(())
}

/// Makes a profile the one that is filled beside the active one.
pub fn set_candidate(project: Uuid, profile: Uuid) -> StatementResult<()> {
    write(include_str!("queries/set_candidate.sql"), &[project.into(), profile.into()], |_| Ok(()))?;
    Ok(())
}

/// Whether vectors by a profile are made for a project.
pub fn is_used(project: Uuid, profile: Uuid) -> StatementResult<bool> {
    let found = rows(
        "select true from memento.project p where p.project_id = $1 and $2 in (p.active_profile_id, p.candidate_profile_id)",
        &[project.into(), profile.into()],
        |row| required::<bool>(&row, 1),
    )?;
    Ok(!found.is_empty())
}

/// Asks for the vectors that are missing; says for how many versions.
pub fn enqueue_missing(project: Uuid, profile: Uuid) -> StatementResult<i64> {
    write_one("select memento._enqueue_missing($1, $2, true)", &[project.into(), profile.into()])
}

/// Deletes the vectors of a project by a profile.
pub fn delete_vectors(project: Uuid, profile: Uuid) -> StatementResult<()> {
    write(include_str!("queries/delete_vectors.sql"), &[project.into(), profile.into()], |_| Ok(()))?;
    Ok(())
}

/// The profile that searches of a project use, or another one instead, as workers and queries need it.
pub fn active(
    project: Uuid,
    instead: Option<Uuid>,
) -> StatementResult<Option<memento_worker::store::Profile>> {
    let found =
        kept_rows(include_str!("queries/active_profile.sql"), &[project.into(), instead.into()], |row| {
            Ok(memento_worker::store::Profile {
                profile: uuid::Uuid::from_bytes(*required::<Uuid>(&row, 1)?.as_bytes()),
                provider: required(&row, 2)?,
                model: required(&row, 3)?,
                dims: usize::try_from(required::<i32>(&row, 4)?).unwrap_or(0),
                config: required::<Jsonb>(&row, 5)?.parse().unwrap_or_default(),
                endpoint: required(&row, 6)?,
            })
        })?;
    Ok(found.into_iter().next())
}

//! Chat profiles.

use pgrx::Uuid;

use super::{StatementResult, required, rows, write_one};
use crate::ffi::jsonb::Jsonb;

/// A profile as it is given.
pub struct NewChatProfile<'a> {
    pub name: &'a str,
    pub provider: &'a str,
    pub model: &'a str,
    pub config: Jsonb,
    pub endpoint: &'a str,
}

/// Makes a profile, or changes one.
pub fn upsert(profile: NewChatProfile) -> StatementResult<Uuid> {
    write_one(
        include_str!("queries/upsert_chat_profile.sql"),
        &[
            profile.name.into(),
            profile.provider.into(),
            profile.model.into(),
            profile.config.into(),
            profile.endpoint.into(),
        ],
    )
}

/// The profile of a name.
pub fn find(name: &str) -> StatementResult<Option<Uuid>> {
    let found = rows(
        "select c.profile_id from memento.chat_profile c where c.name = $1::text",
        &[name.into()],
        |row| required(&row, 1),
    )?;
    Ok(found.into_iter().next())
}

/// All profiles as the user sees them.
pub fn list(project: Uuid) -> StatementResult<Jsonb> {
    let listed =
        rows(include_str!("queries/list_chat_profiles.sql"), &[project.into()], |row| required(&row, 1))?;
    Ok(listed.into_iter().next().unwrap_or_else(|| serde_json::json!([]).into()))
}

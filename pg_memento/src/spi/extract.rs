//! Jobs that look for events, and how they look.

use pgrx::Uuid;
use pgrx::pg_sys::Oid;

use super::{StatementResult, required, rows, write, write_one};
use crate::ffi::jsonb::Jsonb;

/// The newest job of a version.
pub struct ExtractionJob {
    pub job: i64,
    pub state: String,
    /// As the user sees it.
    pub seen: Jsonb,
}

/// The newest job that looks for events in a version.
pub fn job(project: Uuid, version: Uuid) -> StatementResult<Option<ExtractionJob>> {
    let found = rows(include_str!("queries/extraction_job.sql"), &[project.into(), version.into()], |row| {
        Ok(ExtractionJob { job: required(&row, 1)?, state: required(&row, 2)?, seen: required(&row, 3)? })
    })?;
    Ok(found.into_iter().next())
}

/// Lets a job that waits after failures be due now.
pub fn hurry(project: Uuid, job: i64) -> StatementResult<()> {
    write(include_str!("queries/hurry_job.sql"), &[project.into(), job.into()], |_| Ok(()))?;
    Ok(())
}

/// How much there is to read.
pub struct Size {
    pub documents: i64,
    pub tokens: i64,
}

/// How much there is to read in a version, or in all that are the latest.
pub fn size(project: Uuid, version: Option<Uuid>) -> StatementResult<Option<Size>> {
    let found =
        rows(include_str!("queries/extraction_size.sql"), &[project.into(), version.into()], |row| {
            Ok(Size { documents: required(&row, 1)?, tokens: required(&row, 2)? })
        })?;
    Ok(found.into_iter().next())
}

/// The name and model of the chat profile that a project's documents are read by; none: rules.
pub fn model(project: Uuid) -> StatementResult<Option<(String, String)>> {
    let found = rows(
        "select c.name, c.model from memento.project p join memento.chat_profile c on c.profile_id = p.event_profile_id
          where p.project_id = $1",
        &[project.into()],
        |row| Ok((required(&row, 1)?, required(&row, 2)?)),
    )?;
    Ok(found.into_iter().next())
}

/// Lets a project's documents be read by a chat profile, or by rules, and says how many jobs that wait are concerned.
pub fn set_profile(project: Uuid, profile: Option<Uuid>) -> StatementResult<usize> {
    let moved =
        write(include_str!("queries/set_event_profile.sql"), &[project.into(), profile.into()], |row| {
            required::<i64>(&row, 1)
        })?;
    Ok(moved.len())
}

/// Adds a version of a prompt and gives its number; without a template the built-in one counts again.
pub fn set_prompt(project: Uuid, name: &str, template: Option<&str>, by: Oid) -> StatementResult<i32> {
    // By a statement of its own: the next one sees what those before it have written.
    write(include_str!("queries/lock_project.sql"), &[project.into()], |_| Ok(()))?;
    write_one(
        include_str!("queries/insert_prompt.sql"),
        &[project.into(), name.into(), template.into(), by.into()],
    )
}

/// A prompt of a project.
pub struct Prompt {
    pub name: String,
    pub version: i32,
    /// None: the built-in one.
    pub template: Option<String>,
}

/// The newest prompts of a project.
pub fn prompts(project: Uuid) -> StatementResult<Vec<Prompt>> {
    rows(include_str!("queries/list_prompts.sql"), &[project.into()], |row| {
        Ok(Prompt { name: required(&row, 1)?, version: required(&row, 2)?, template: row.get(3)? })
    })
}

/// Finds the chunks of quotes again after a version was cut anew.
pub fn link_evidence(project: Uuid, version: Uuid) -> StatementResult<()> {
    write("select memento._link_evidence($1, $2)", &[project.into(), version.into()], |_| Ok(()))?;
    Ok(())
}

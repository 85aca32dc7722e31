//! A project's terms, and the technical tokens of its chunks.

use pgrx::Uuid;

use super::{StatementResult, kept_rows, required, rows, write};

/// How a project's terms differ from those that every project begins with.
pub struct ProjectTerms {
    pub version: i32,
    pub added: Vec<String>,
    pub removed: Vec<String>,
}

/// The terms of a project that exists.
pub fn of_project(project: Uuid) -> StatementResult<ProjectTerms> {
    let found = kept_rows(include_str!("queries/project_terms.sql"), &[project.into()], |row| {
        Ok(ProjectTerms {
            version: required(&row, 1)?,
            added: required(&row, 2)?,
            removed: required(&row, 3)?,
        })
    })?;
    found.into_iter().next().ok_or_else(|| pgrx::spi::Error::InvalidPosition.into())
}

/// Adds terms to those of a project, or removes them; they are in their normal form.
pub fn set(project: Uuid, terms: Vec<String>, is_used: bool) -> StatementResult<()> {
    write(
        include_str!("queries/set_terms.sql"),
        &[project.into(), terms.into(), is_used.into()],
        |_| Ok(()),
    )?;
    Ok(())
}

/// Makes those who change the terms of a project wait for each other until the end of the transaction.
pub fn lock(project: Uuid) -> StatementResult<()> {
    write(include_str!("queries/lock_terms.sql"), &[project.into()], |_| Ok(()))?;
    Ok(())
}

/// By which rules and which terms tokens are made.
#[derive(Clone, Copy)]
pub struct TokenVersions {
    pub rules: i32,
    pub terms: i32,
}

/// Chunks after one whose tokens were made by other rules or terms, in the order of their keys.
pub fn chunks_with_old_tokens(
    project: Uuid,
    current: TokenVersions,
    after: i64,
    limit: i64,
) -> StatementResult<Vec<(i64, String)>> {
    rows(
        include_str!("queries/chunks_with_old_tokens.sql"),
        &[project.into(), current.rules.into(), current.terms.into(), after.into(), limit.into()],
        |row| Ok((required(&row, 1)?, required(&row, 2)?)),
    )
}

/// New tokens for chunks, each chunk's as lines.
pub fn update_tokens(
    project: Uuid,
    current: TokenVersions,
    chunks: Vec<i64>,
    tokens: Vec<String>,
) -> StatementResult<()> {
    write(
        include_str!("queries/update_tech_tokens.sql"),
        &[project.into(), current.rules.into(), current.terms.into(), chunks.into(), tokens.into()],
        |_| Ok(()),
    )?;
    Ok(())
}

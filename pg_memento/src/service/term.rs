//! A project's terms, and the tokens that its chunks have by them.

use std::collections::BTreeSet;

use memento_core::access::AccessLevel;
use memento_core::tech::{self, DEFAULT_TERMS, TermError, Terms, normal_term};
use pgrx::Uuid;
use pgrx::prelude::*;

use super::access::{AccessError, as_owner, authorize_current};
use crate::error::{Failure, StatementError, passed_on, reported};
use crate::ffi::server::check_for_interrupts;
use crate::spi;
use crate::spi::job::NewJob;
use crate::spi::term::TokenVersions;

/// Every text is searched for all of them.
const MOST_TERMS: usize = 10_000;

/// How many chunks are brought up to date by one statement.
const BATCH: i64 = 500;

/// Why a term cannot be added or removed.
#[derive(Debug, thiserror::Error)]
pub enum DomainTermError {
    #[error("\"{given}\" cannot be a term: {reason}")]
    Bad { given: String, reason: TermError },
    #[error("a term must not be null")]
    Null,
    #[error("a project has at most {MOST_TERMS} terms")]
    TooMany,
    #[error("max_chunks must be positive")]
    NothingToDo,
    #[error(transparent)]
    Access(#[from] AccessError),
    #[error(transparent)]
    Statement(#[from] StatementError),
}

reported!(DomainTermError);

impl Failure for DomainTermError {
    passed_on!(Access, Statement);

    fn sqlstate(&self) -> PgSqlErrorCode {
        match self {
            Self::TooMany => PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED,
            _ => PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::TooMany => "TOO_MANY_TERMS",
            _ => "VALIDATION_ERROR",
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Bad { .. } | Self::Null => Some("for example: array['object store', 'SSD']".into()),
            Self::TooMany => Some("remove some with memento.remove_domain_terms(terms)".into()),
            Self::NothingToDo => Some("leave it out to bring 10,000 chunks up to date".into()),
            _ => None,
        }
    }
}

/// The tokens of a project's texts: those of the rules, and its terms.
pub struct Tokenizer {
    terms: Terms,
    versions: TokenVersions,
}

impl Tokenizer {
    /// For a project, with its terms of now.
    pub fn of_project(project: Uuid) -> spi::StatementResult<Self> {
        let found = spi::term::of_project(project)?;
        let versions = TokenVersions { rules: tech::RULES_VERSION, terms: found.version };
        Ok(Self { terms: Terms::new(used(found)), versions })
    }

    /// What the tokens are made by.
    pub fn versions(&self) -> TokenVersions {
        self.versions
    }

    /// The tokens of a text, sorted and unique.
    pub fn tokens(&self, text: &str) -> BTreeSet<String> {
        let mut tokens = tech::tokens(text);
        tokens.append(&mut self.terms.in_text(text));
        tokens
    }

    /// Makes the tokens of some chunks anew, of those after one; gives the chunks, in the order of their keys.
    fn renew(&self, project: Uuid, after: i64, limit: i64) -> spi::StatementResult<Vec<i64>> {
        let old = spi::term::chunks_with_old_tokens(project, self.versions, after, limit)?;
        let (chunks, tokens): (Vec<i64>, Vec<String>) =
            old.iter().map(|(id, text)| (*id, as_lines(&self.tokens(text)))).unzip();
        if !chunks.is_empty() {
            spi::term::update_tokens(project, self.versions, chunks.clone(), tokens)?;
        }
        Ok(chunks)
    }
}

fn used(terms: spi::term::ProjectTerms) -> BTreeSet<String> {
    let mut used: BTreeSet<String> = DEFAULT_TERMS.map(str::to_owned).into();
    used.extend(terms.added);
    for removed in &terms.removed {
        used.remove(removed);
    }
    used
}

/// The terms of the session's project.
pub fn list() -> Result<BTreeSet<String>, DomainTermError> {
    let project = authorize_current(AccessLevel::Read)?;
    Ok(used(as_owner(|| spi::term::of_project(project))?))
}

/// Adds terms to the session's project, or removes them; says how many it changed.
pub fn change(given: Vec<Option<String>>, is_used: bool) -> Result<usize, DomainTermError> {
    let wanted = given
        .into_iter()
        .map(|term| {
            let given = term.ok_or(DomainTermError::Null)?;
            normal_term(&given).map_err(|reason| DomainTermError::Bad { given, reason })
        })
        .collect::<Result<BTreeSet<String>, _>>()?;
    let project = authorize_current(AccessLevel::Admin)?;
    // Those who change the terms wait for each other, so that the terms read next are the newest.
    as_owner(|| spi::term::lock(project))?;
    let now = used(as_owner(|| spi::term::of_project(project))?);
    let changed: Vec<String> = wanted.into_iter().filter(|term| now.contains(term) != is_used).collect();
    if is_used && now.len() + changed.len() > MOST_TERMS {
        return Err(DomainTermError::TooMany);
    }
    let count = changed.len();
    if count > 0 {
        as_owner(|| {
            spi::term::set(project, changed, is_used)?;
            enqueue_backfill(project)
        })?;
    }
    Ok(count)
}

/// A job that brings the tokens of a project up to date.
fn enqueue_backfill(project: Uuid) -> spi::StatementResult<()> {
    let payload = serde_json::json!({}).into();
    spi::job::enqueue(
        project,
        NewJob { kind: "backfill_tokens", version: None, dedup_key: Some("project"), payload },
    )?;
    Ok(())
}

/// Makes the tokens of chunks anew that were made by other rules or terms; says of how many.
pub fn backfill(max_chunks: i64) -> Result<i64, DomainTermError> {
    if max_chunks < 1 {
        return Err(DomainTermError::NothingToDo);
    }
    backfill_project(authorize_current(AccessLevel::Write)?, max_chunks)
}

/// The same for a project that the caller may write to.
pub fn backfill_project(project: Uuid, max_chunks: i64) -> Result<i64, DomainTermError> {
    let done = as_owner(|| {
        let tokenizer = Tokenizer::of_project(project)?;
        let (mut done, mut last) = (0, 0);
        while done < max_chunks {
            let limit = BATCH.min(max_chunks - done);
            let renewed = tokenizer.renew(project, last, limit)?;
            let Some(newest) = renewed.last() else { break };
            last = *newest;
            done += renewed.len() as i64;
            check_for_interrupts();
        }
        Ok(done)
    })?;
    Ok(done)
}

/// Tokens have no line breaks: as lines they go into a statement, an array of arrays could not.
pub fn as_lines(tokens: &BTreeSet<String>) -> String {
    tokens.iter().map(String::as_str).collect::<Vec<_>>().join("\n")
}

//! Setting an engine up for the lexical lane, and doing without.

use pgrx::prelude::*;

use super::engine::forget_failure;
use crate::error::{Failure, StatementError, passed_on, reported};
use crate::ffi::identity;
use crate::spi::lexical_engine::{self, INDEX};

/// Why an engine cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    #[error("only a superuser may build or drop the index of an engine")]
    NotSuperuser,
    #[error("no extension of this database ranks by BM25")]
    NoEngine,
    #[error(transparent)]
    Statement(#[from] StatementError),
}

reported!(SetupError);

impl Failure for SetupError {
    passed_on!(Statement);

    fn sqlstate(&self) -> PgSqlErrorCode {
        match self {
            Self::NotSuperuser => PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
            _ => PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::NotSuperuser => "FORBIDDEN",
            _ => "BM25_ENGINE_MISSING",
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::NotSuperuser => Some("ask an administrator; searches rank by BM25 without an engine too".into()),
            Self::NoEngine => Some(
                "create extension pg_search or pg_textsearch first, both of which want to be in shared_preload_libraries"
                    .into(),
            ),
            Self::Statement(_) => None,
        }
    }
}

/// Builds the index of the engine that is installed, and says what it did. One that is there is kept unless it is to be rebuilt.
pub fn enable(rebuild: bool) -> Result<String, SetupError> {
    check_superuser()?;
    forget_failure();
    let engines = lexical_engine::installed()?;
    let Some((engine, command)) = engines.iter().find_map(|engine| Some((engine, engine.index_command()?)))
    else {
        return Err(SetupError::NoEngine);
    };
    if let Some(index) = &engine.index
        && !rebuild
    {
        return Ok(format!("{} {} is used already, with the index {index}", engine.name, engine.version));
    }
    // Also one that an interrupted build or an engine that is gone has left.
    lexical_engine::drop_index()?;
    lexical_engine::command(command)?;
    Ok(format!("built the index {INDEX} of {} {}; searches use it from now on", engine.name, engine.version))
}

/// Drops the index, and says what it did.
pub fn disable() -> Result<String, SetupError> {
    check_superuser()?;
    let engines = lexical_engine::installed()?;
    let index = engines.iter().find_map(|engine| engine.index.as_deref());
    lexical_engine::drop_index()?;
    Ok(match index {
        Some(INDEX) => format!("dropped the index {INDEX}; searches rank by full-text search from now on"),
        Some(other) => {
            format!("kept the index {other}, which is not ours; drop it, or set memento.bm25_engine to off")
        }
        None => "there was no index of an engine; searches rank by full-text search".to_owned(),
    })
}

fn check_superuser() -> Result<(), SetupError> {
    if identity::is_superuser(identity::current_role()) { Ok(()) } else { Err(SetupError::NotSuperuser) }
}

//! Memories are not dropped by accident: DROP EXTENSION, and whatever cascades to it, needs a setting.

use pgrx::pg_sys::Oid;
use pgrx::pg_sys::panic::{ErrorReport, ErrorReportable};
use pgrx::prelude::*;

use crate::error::{Failure, StatementError, reported};
use crate::{gucs, spi};

/// Why a table cannot be dropped.
#[derive(Debug, thiserror::Error)]
pub enum DropError {
    #[error("cannot drop {0} because it holds memories")]
    HoldsMemories(String),
    #[error(transparent)]
    Statement(#[from] StatementError),
}

reported!(DropError);

impl Failure for DropError {
    fn sqlstate(&self) -> PgSqlErrorCode {
        match self {
            Self::HoldsMemories(_) => PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
            Self::Statement(error) => error.sqlstate(),
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::HoldsMemories(_) => "MEMORIES_EXIST",
            Self::Statement(error) => error.code(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::HoldsMemories(_) => {
                Some("to lose them all, run: set memento.allow_drop = on; and repeat the command".into())
            }
            Self::Statement(error) => error.hint(),
        }
    }
}

/// Called by the server's hook for each table of the schema that is about to go.
pub fn before_table_drop(table: Oid) {
    if gucs::allow_drop() {
        return;
    }
    check(table).map_err(ErrorReport::from).unwrap_or_report();
}

fn check(table: Oid) -> Result<(), DropError> {
    match spi::catalog::table_with_memories(table)? {
        Some(name) => Err(DropError::HoldsMemories(name)),
        None => Ok(()),
    }
}

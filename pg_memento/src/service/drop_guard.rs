//! Memories are not dropped by accident: DROP EXTENSION, and whatever cascades to it, needs a setting.

use pgrx::pg_sys::Oid;
use pgrx::pg_sys::panic::{ErrorReport, ErrorReportable};
use pgrx::prelude::*;

use crate::error::{Failure, StatementError, passed_on, reported};
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
    passed_on!(Statement);

    fn sqlstate(&self) -> PgSqlErrorCode {
        match self {
            Self::HoldsMemories(_) => PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
            _ => PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::HoldsMemories(_) => "MEMORIES_EXIST",
            _ => "VALIDATION_ERROR",
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::HoldsMemories(_) => {
                Some("to lose them all, run: set memento.allow_drop = on; and repeat the command".into())
            }
            _ => None,
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

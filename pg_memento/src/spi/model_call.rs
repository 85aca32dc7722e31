//! Calls of models by queries: may an endpoint be called, and what did it cost.

use pgrx::Uuid;

use super::{StatementResult, kept_rows, kept_write, required};

/// A call, for the ledger.
pub struct Call<'a> {
    pub project: Uuid,
    pub role: &'static str,
    pub provider: &'a str,
    pub model: &'a str,
    pub endpoint: &'a str,
    pub outcome: &'static str,
    pub items: usize,
    pub tokens: u64,
    pub bytes_sent: u64,
    pub bytes_received: u64,
    pub milliseconds: f64,
}

/// Enters a call into the ledger.
pub fn record(call: &Call) -> StatementResult<()> {
    kept_write(
        include_str!("queries/record_call.sql"),
        &[
            call.project.into(),
            call.role.into(),
            call.provider.into(),
            call.model.into(),
            call.endpoint.into(),
            call.outcome.into(),
            i32::try_from(call.items).unwrap_or(i32::MAX).into(),
            number(call.tokens).into(),
            number(call.bytes_sent).into(),
            number(call.bytes_received).into(),
            call.milliseconds.into(),
        ],
        |_| Ok(()),
    )?;
    Ok(())
}

fn number(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// A pause that an endpoint has asked for.
pub struct Pause {
    pub code: String,
    pub reason: String,
    pub seconds: f64,
}

/// The pause of an endpoint, if it is not over.
pub fn pause(endpoint: &str) -> StatementResult<Option<Pause>> {
    let found = kept_rows(include_str!("queries/endpoint_pause.sql"), &[endpoint.into()], |row| {
        Ok(Pause { code: required(&row, 1)?, reason: required(&row, 2)?, seconds: required(&row, 3)? })
    })?;
    Ok(found.into_iter().next())
}

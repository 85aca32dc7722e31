//! How often roles call tools.

use pgrx::datum::Interval;

use super::{StatementResult, kept_rows, kept_write, write};

/// Whether there is any limit at all.
pub fn is_limited() -> StatementResult<bool> {
    let found = kept_rows("select exists (select from memento.rate_limit)", &[], |row| row.get::<bool>(1))?;
    Ok(found.into_iter().flatten().any(|yes| yes))
}

/// Notes a call, unless it is one too many: then in how many seconds it may be tried again.
pub fn admit(role: &str, tool: &str) -> StatementResult<Option<i32>> {
    let refused: Vec<Option<i32>> =
        kept_write(include_str!("queries/admit_call.sql"), &[role.into(), tool.into()], |row| row.get(1))?;
    Ok(refused.into_iter().flatten().next())
}

/// Sets a limit, or ends it.
pub fn set_limit(role: &str, tool: &str, max_calls: Option<i32>, per: Interval) -> StatementResult<()> {
    write(
        include_str!("queries/set_rate_limit.sql"),
        &[role.into(), tool.into(), max_calls.into(), per.into()],
        |_| Ok(()),
    )?;
    Ok(())
}

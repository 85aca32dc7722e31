//! How a test asks the background worker to run the suite of the worker's crate, and is told what came of it. In builds for tests only.

use memento_worker::database::{DatabaseResult, Statements, Value};

/// Whether a test has made the table of results and asks for them. It is asked once.
pub fn take_request(statements: &mut dyn Statements) -> DatabaseResult<bool> {
    let is_there = statements.query("select to_regclass('public.conformance') is not null", &[])?;
    if is_there != [[Value::Bool(true)]] {
        return Ok(false);
    }
    let asked =
        statements.query("delete from public.conformance where name = 'asked' returning name", &[])?;
    Ok(!asked.is_empty())
}

/// Says what came of a case.
pub fn report(statements: &mut dyn Statements, name: &str, failure: Option<String>) -> DatabaseResult<()> {
    let failure = failure.map_or(Value::Null, Value::Text);
    statements
        .query("insert into public.conformance values ($1, $2)", &[Value::Text(name.into()), failure])
        .map(drop)
}

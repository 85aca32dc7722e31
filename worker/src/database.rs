//! How the loop talks to Postgres, whether from inside of the server or over a connection.

use std::time::Duration;

use serde_json::Value as Json;
use uuid::Uuid;

use crate::caller::Wake;
use crate::index::IndexBuild;

/// A value of a statement: what it is given, or a column of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// null
    Null,
    /// boolean
    Bool(bool),
    /// integer
    Int(i32),
    /// bigint
    BigInt(i64),
    /// double precision
    Double(f64),
    /// text
    Text(String),
    /// uuid
    Uuid(Uuid),
    /// jsonb
    Json(Json),
    /// integer[]
    Ints(Vec<i32>),
    /// bigint[]
    BigInts(Vec<i64>),
    /// real[]
    Reals(Vec<f32>),
    /// text[]
    Texts(Vec<String>),
    /// uuid[]
    Uuids(Vec<Uuid>),
    /// jsonb[]
    Jsons(Vec<Json>),
}

/// A row, column by column.
pub type Row = Vec<Value>;

/// Why the database did not do something. The transaction is rolled back.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message} ({sqlstate})")]
pub struct DatabaseError {
    /// The server's code; 08000 if it cannot be reached.
    pub sqlstate: String,
    /// What it said: of our own functions, hence without content.
    pub message: String,
}

impl DatabaseError {
    /// Whether the statement was never the matter: the connection broke, or the server stops or starts.
    pub fn is_broken_connection(&self) -> bool {
        self.sqlstate.starts_with("08") || self.sqlstate.starts_with("57P")
    }

    /// Whether it is the server's state of now and not what was asked of it: no room, somebody who has a lock, or two who wait for
    /// each other.
    pub fn is_of_the_moment(&self) -> bool {
        self.sqlstate.starts_with("53") || self.sqlstate.starts_with("40") || self.sqlstate == "55P03"
    }

    /// An answer that is not what the statement gives.
    pub(crate) fn unexpected(what: &str) -> Self {
        Self { sqlstate: "XX000".into(), message: format!("unexpected answer: {what}") }
    }
}

/// What a step of the loop gives, or why not.
pub type DatabaseResult<T> = Result<T, DatabaseError>;

/// How long a transaction waits for a row that somebody else has locked: whoever leaves a transaction open on a job must not hold
/// up the queue.
pub const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// The same for a command: while it waits for its lock, writers wait behind it.
const COMMAND_LOCK_TIMEOUT: Duration = Duration::from_secs(30);

/// How long a command may wait for locks; zero: as long as it takes. CREATE INDEX CONCURRENTLY waits for every older transaction of the
/// database and holds up nobody meanwhile, unless it is the loop itself that runs it: it would begin anew each time.
pub fn command_lock_timeout(command: &str, is_beside_loop: bool) -> Duration {
    let is_concurrent = command.split_whitespace().nth(2) == Some("concurrently");
    if is_concurrent && is_beside_loop { Duration::ZERO } else { COMMAND_LOCK_TIMEOUT }
}

/// Statements of one transaction.
pub trait Statements {
    /// Runs a statement with its parameters bound.
    fn query(&mut self, statement: &str, parameters: &[Value]) -> DatabaseResult<Vec<Row>>;
}

/// What a transaction does; its results leave by captured variables.
pub type Work<'a> = dyn FnMut(&mut dyn Statements) -> DatabaseResult<()> + 'a;

/// A database with the extension.
pub trait Database {
    /// Runs statements in a transaction of their own: committed when the work is done, rolled back when it or a statement fails.
    fn transaction(&mut self, work: &mut Work) -> DatabaseResult<()>;

    /// Runs a command that cannot be part of a transaction, such as CREATE INDEX CONCURRENTLY; without
    /// [`Database::can_run_concurrently`] any other.
    fn command(&mut self, command: &str) -> DatabaseResult<()>;

    /// Whether commands may begin and end their own transactions.
    fn can_run_concurrently(&self) -> bool;

    /// Begins to make a profile's index as it is to be, with [`crate::index::build`] where the loop need not wait for it. `wake` is
    /// called when it has ended.
    fn begin_index(&mut self, profile: Uuid, wake: &Wake) -> DatabaseResult<Box<dyn IndexBuild>>;
}

/// Takes the columns of a row, one after the other.
pub(crate) struct Columns(std::vec::IntoIter<Value>);

macro_rules! column {
    ($name:ident, $variant:ident, $type:ty) => {
        pub(crate) fn $name(&mut self) -> DatabaseResult<$type> {
            match self.0.next() {
                Some(Value::$variant(value)) => Ok(value),
                other => Err(DatabaseError::unexpected(&format!(
                    concat!(stringify!($variant), " wanted, not {}"),
                    kind_of(&other)
                ))),
            }
        }
    };
}

impl Columns {
    pub(crate) fn of(row: Row) -> Self {
        Self(row.into_iter())
    }

    column!(uuid, Uuid, Uuid);
    column!(int, Int, i32);
    column!(bigint, BigInt, i64);
    column!(double, Double, f64);
    column!(text, Text, String);
    column!(bool, Bool, bool);
    column!(json, Json, Json);

    pub(crate) fn optional_uuid(&mut self) -> DatabaseResult<Option<Uuid>> {
        self.optional(Self::uuid)
    }

    pub(crate) fn optional_text(&mut self) -> DatabaseResult<Option<String>> {
        self.optional(Self::text)
    }

    fn optional<T>(&mut self, read: fn(&mut Self) -> DatabaseResult<T>) -> DatabaseResult<Option<T>> {
        if self.0.as_slice().first() == Some(&Value::Null) {
            self.0.next();
            return Ok(None);
        }
        read(self).map(Some)
    }
}

/// The kind of a value, for messages: never the value, which may be content.
fn kind_of(value: &Option<Value>) -> &'static str {
    match value {
        None => "nothing",
        Some(Value::Null) => "null",
        Some(Value::Bool(_)) => "a boolean",
        Some(Value::Int(_) | Value::BigInt(_)) => "a whole number",
        Some(Value::Double(_)) => "a number",
        Some(Value::Text(_)) => "a text",
        Some(Value::Uuid(_)) => "a uuid",
        Some(Value::Json(_)) => "json",
        Some(_) => "an array",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_holds_up_nobody_waits_without_end() {
        for (command, beside, limit) in [
            ("create index concurrently if not exists i on t", true, Duration::ZERO),
            ("drop index concurrently if exists i", true, Duration::ZERO),
            ("create index concurrently if not exists i on t", false, COMMAND_LOCK_TIMEOUT),
            ("create index if not exists concurrently on t", true, COMMAND_LOCK_TIMEOUT),
            ("comment on index i is 'create index concurrently'", true, COMMAND_LOCK_TIMEOUT),
        ] {
            assert_eq!(command_lock_timeout(command, beside), limit, "{command}");
        }
    }
}

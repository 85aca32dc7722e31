//! Errors, in the envelope that clients and models read.

use serde_json::{Value, json};
use tokio_postgres::error::SqlState;

/// Why something could not be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What programs match on.
    pub code: String,
    /// What people and models read.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// What the database says, where it was the database.
    pub sqlstate: Option<String>,
}

impl Failure {
    /// One of the shim's own.
    pub fn new(code: &str, message: &str, hint: &str) -> Self {
        Self { code: code.into(), message: message.into(), hint: Some(hint.into()), sqlstate: None }
    }

    /// No connection. Neither its address nor its role is told.
    pub fn unreachable() -> Self {
        Self::new(
            "SERVICE_UNAVAILABLE",
            "the database cannot be reached",
            "try again later; each call tries to connect anew",
        )
    }

    /// All connections are in use.
    pub fn busy() -> Self {
        Self::new("SERVICE_UNAVAILABLE", "all connections to the database are in use", "try again later")
    }

    /// The client has taken it back.
    pub fn cancelled() -> Self {
        Self::new("CANCELLED", "the call was cancelled", "call it again if it is wanted after all")
    }

    /// More than the shim takes.
    pub fn too_large(size: usize, limit: usize) -> Self {
        Self::new(
            "CONTENT_TOO_LARGE",
            &format!("the arguments have {size} bytes, the limit is {limit}"),
            "split the document",
        )
    }

    /// An answer of the database that makes no sense.
    pub fn unexpected(what: &str) -> Self {
        Self::new("INTERNAL_ERROR", what, "the shim and the extension may be of different versions")
    }

    /// In how many seconds to try again, where the database says so.
    fn retry_after(&self) -> Option<u64> {
        let hint = self.hint.as_deref().filter(|_| self.code == "RATE_LIMIT_EXCEEDED")?;
        hint.strip_prefix("retry after ")?.split(' ').next()?.parse().ok()
    }

    /// The envelope of the error.
    pub fn envelope(&self, trace: &str) -> Value {
        let mut details = json!({});
        for (key, value) in [("hint", &self.hint), ("sqlstate", &self.sqlstate)] {
            if let Some(value) = value {
                details[key] = json!(value);
            }
        }
        if let Some(seconds) = self.retry_after() {
            details["retry_after_seconds"] = json!(seconds);
        }
        json!({"error": {"code": self.code, "message": self.message, "details": details, "trace_id": trace}})
    }
}

impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Self {
        let Some(raised) = error.as_db_error() else {
            // The connection broke, or never was; values of ours always have the types that are asked for.
            return Self::unreachable();
        };
        let own = raised.detail().and_then(|detail| detail.strip_prefix("code="));
        Self {
            code: own.unwrap_or_else(|| code_of(raised.code())).to_owned(),
            message: raised.message().to_owned(),
            hint: raised.hint().map(str::to_owned).or_else(|| hint_of(raised.code())),
            sqlstate: Some(raised.code().code().to_owned()),
        }
    }
}

/// The code for an error that the server raises itself.
fn code_of(state: &SqlState) -> &'static str {
    match state.code() {
        "42501" => "FORBIDDEN",
        "57014" => "TIMEOUT",
        "25006" => "READ_ONLY",
        "42883" | "3F000" | "42P01" => "EXTENSION_MISSING",
        other => match &other[..2] {
            "08" | "53" | "57" | "28" => "SERVICE_UNAVAILABLE",
            "22" => "VALIDATION_ERROR",
            "23" => "CONFLICT",
            "40" => "TRY_AGAIN",
            _ => "DB_QUERY_FAILED",
        },
    }
}

fn hint_of(state: &SqlState) -> Option<String> {
    let hint = match code_of(state) {
        "FORBIDDEN" => {
            "an admin of the project can give access: select memento.grant_access(role, project, level)"
        }
        "TIMEOUT" => "ask for less, or start the shim with a longer --statement-timeout",
        "READ_ONLY" => "this connection only reads",
        "EXTENSION_MISSING" => "in the database of the shim: create extension pg_memento cascade",
        "SERVICE_UNAVAILABLE" | "TRY_AGAIN" => "try again later",
        _ => return None,
    };
    Some(hint.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_envelope_has_what_the_specification_names() {
        let failure =
            Failure { sqlstate: Some("22023".into()), ..Failure::new("VALIDATION_ERROR", "no", "do") };
        assert_eq!(
            failure.envelope("trace_1"),
            json!({"error": {"code": "VALIDATION_ERROR", "message": "no",
                             "details": {"hint": "do", "sqlstate": "22023"}, "trace_id": "trace_1"}})
        );
    }

    #[test]
    fn a_limit_says_when_to_try_again() {
        let failure = Failure::new("RATE_LIMIT_EXCEEDED", "rate limit exceeded", "retry after 12 seconds");
        assert_eq!(failure.envelope("t")["error"]["details"]["retry_after_seconds"], 12);
        assert_eq!(Failure::busy().envelope("t")["error"]["details"].get("retry_after_seconds"), None);
    }

    #[test]
    fn errors_of_the_server_have_codes_by_meaning() {
        for (state, code) in [
            ("42501", "FORBIDDEN"),
            ("57014", "TIMEOUT"),
            ("57P01", "SERVICE_UNAVAILABLE"),
            ("22P02", "VALIDATION_ERROR"),
            ("42883", "EXTENSION_MISSING"),
            ("XX000", "DB_QUERY_FAILED"),
        ] {
            assert_eq!(code_of(&SqlState::from_code(state)), code);
        }
    }
}

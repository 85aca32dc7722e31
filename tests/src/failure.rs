//! What a client sees of an error.

use postgres::error::DbError;

/// The error of a statement that must fail.
pub fn failure<T>(result: Result<T, postgres::Error>) -> DbError {
    match result {
        Ok(_) => panic!("the statement was expected to fail"),
        Err(error) => match error.as_db_error() {
            Some(error) => error.clone(),
            None => panic!("the connection failed, not the statement: {error}"),
        },
    }
}

/// Checks SQLSTATE and code, and that there is a hint.
#[track_caller]
pub fn assert_failure<T>(result: Result<T, postgres::Error>, sqlstate: &str, code: &str) -> DbError {
    let error = failure(result);
    assert_eq!(error.code().code(), sqlstate, "{error:?}");
    assert_eq!(error.detail(), Some(format!("code={code}").as_str()), "{error:?}");
    assert!(error.hint().is_some(), "no hint: {error:?}");
    assert!(error.message().starts_with(|c: char| !c.is_uppercase()), "messages are lower case: {error:?}");
    error
}

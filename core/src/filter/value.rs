//! The values of a filter, each with its type.

use serde_json::Value;
use uuid::Uuid;

use super::{FilterError, LONGEST_VALUE, MOST_VALUES, Timestamp, ValueProblem};

/// A list, sorted and without repetitions.
pub fn list<T: Ord>(
    key: &'static str,
    value: &Value,
    read: impl Fn(&str) -> Result<T, ValueProblem>,
) -> Result<Vec<T>, FilterError> {
    let Value::Array(values) = value else {
        return Err(wrong_type(key, "an array of strings", value));
    };
    if values.len() > MOST_VALUES {
        return Err(FilterError::TooMany { key, count: values.len() });
    }
    let element = |(at, value): (usize, &Value)| {
        let text = value.as_str().ok_or(ValueProblem::NotAString(type_name(value)));
        text.and_then(|text| check_text(text).and_then(&read)).map_err(|problem| FilterError::BadValue {
            key,
            position: at + 1,
            problem,
        })
    };
    let mut list = values.iter().enumerate().map(element).collect::<Result<Vec<T>, _>>()?;
    list.sort();
    list.dedup();
    Ok(list)
}

/// A text as it is.
pub fn text(text: &str) -> Result<String, ValueProblem> {
    Ok(text.to_owned())
}

/// An id in any form that Postgres reads.
pub fn uuid(text: &str) -> Result<Uuid, ValueProblem> {
    Uuid::try_parse(text).map_err(|_| ValueProblem::NotAUuid)
}

/// One of some words.
pub fn word<T>(
    from_word: impl Fn(&str) -> Option<T>,
    words: &'static [&'static str],
) -> impl Fn(&str) -> Result<T, ValueProblem> {
    move |text| from_word(text).ok_or(ValueProblem::UnknownWord(words))
}

/// True or false.
pub fn flag(key: &'static str, value: &Value) -> Result<bool, FilterError> {
    value.as_bool().ok_or_else(|| wrong_type(key, "true or false", value))
}

/// A time.
pub fn timestamp(key: &'static str, value: &Value) -> Result<Timestamp, FilterError> {
    let text = value.as_str().ok_or_else(|| wrong_type(key, "a time as a string", value))?;
    Timestamp::parse(text).ok_or(FilterError::BadTime { key })
}

fn check_text(text: &str) -> Result<&str, ValueProblem> {
    if text.trim().is_empty() {
        Err(ValueProblem::Blank)
    } else if text.chars().nth(LONGEST_VALUE).is_some() {
        Err(ValueProblem::TooLong)
    } else if text.contains('\0') {
        Err(ValueProblem::Nul)
    } else {
        Ok(text)
    }
}

fn wrong_type(key: &'static str, expected: &'static str, value: &Value) -> FilterError {
    FilterError::WrongType { key, expected, found: type_name(value) }
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

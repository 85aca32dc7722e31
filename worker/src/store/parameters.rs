//! Parameters of statements.

use std::time::Duration;

use crate::database::Value;
use crate::job::Held;

pub fn count(number: usize) -> Value {
    Value::Int(i32::try_from(number).unwrap_or(i32::MAX))
}

pub fn seconds(duration: Duration) -> Value {
    Value::Double(duration.as_secs_f64())
}

pub fn key(held: Held) -> [Value; 3] {
    [Value::Uuid(held.project), Value::BigInt(held.job), Value::Int(held.attempt)]
}

pub fn keys(held: &[Held]) -> [Value; 3] {
    [
        Value::Uuids(held.iter().map(|held| held.project).collect()),
        Value::BigInts(held.iter().map(|held| held.job).collect()),
        Value::Ints(held.iter().map(|held| held.attempt).collect()),
    ]
}

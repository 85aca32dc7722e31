//! Reading the turns of a conversation from JSON.

use memento_core::transcript::{Turn, TurnError};
use serde_json::Value;

use crate::error::{Failure, reported};
use crate::ffi::jsonb::Jsonb;
use crate::ffi::server::check_for_interrupts;

/// Why turns cannot be read. Turns count from 0, as in the result.
#[derive(Debug, thiserror::Error)]
pub enum TranscriptError {
    #[error("turns must be a JSON array of objects")]
    NotAnArray,
    #[error("turn {turn}: {key} must be {expected}")]
    BadValue { turn: usize, key: &'static str, expected: &'static str },
    #[error("turn {turn}: {reason}")]
    BadTurn { turn: usize, reason: TurnError },
}

reported!(TranscriptError);

impl Failure for TranscriptError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::BadTurn { .. } => "times are milliseconds from the start of the conversation".into(),
            _ => r#"for example: [{"speaker": "Ana", "text": "Hello.", "start_ts_ms": 0, "end_ts_ms": 900}]"#
                .into(),
        })
    }
}

/// The turns, in their order. Only the text is required; keys that are not known are not looked at.
pub fn turns(turns: &Jsonb) -> Result<Vec<Turn>, TranscriptError> {
    let Ok(Value::Array(turns)) = turns.parse() else { return Err(TranscriptError::NotAnArray) };
    turns
        .iter()
        .enumerate()
        .map(|(number, turn)| {
            check_for_interrupts();
            read(number, turn)
        })
        .collect()
}

fn read(turn: usize, value: &Value) -> Result<Turn, TranscriptError> {
    let fields = value.as_object().ok_or(TranscriptError::NotAnArray)?;
    let text = |key, needed: bool| match fields.get(key) {
        None | Some(Value::Null) if !needed => Ok(""),
        Some(Value::String(text)) => Ok(text.as_str()),
        _ => Err(TranscriptError::BadValue { turn, key, expected: "a string" }),
    };
    let time = |key| match fields.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(time) => time.as_i64().map(Some).ok_or(TranscriptError::BadValue {
            turn,
            key,
            expected: "a whole number of milliseconds",
        }),
    };
    Turn::try_new(text("speaker", false)?, text("text", true)?, time("start_ts_ms")?, time("end_ts_ms")?)
        .map_err(|reason| TranscriptError::BadTurn { turn, reason })
}

//! Reading the turns of a conversation from JSON.

use std::collections::BTreeMap;

use memento_core::transcript::{Turn, TurnError};
use serde_json::value::RawValue;

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
///
/// Each is decoded by itself: all of them as one tree would take many times their text.
pub fn turns(turns: Jsonb) -> Result<Vec<Turn>, TranscriptError> {
    let turns: Vec<&RawValue> =
        serde_json::from_str(turns.as_str()).map_err(|_| TranscriptError::NotAnArray)?;
    turns
        .iter()
        .enumerate()
        .map(|(number, turn)| {
            check_for_interrupts();
            read(number, turn)
        })
        .collect()
}

fn read(turn: usize, value: &RawValue) -> Result<Turn, TranscriptError> {
    let fields: BTreeMap<String, &RawValue> =
        serde_json::from_str(value.get()).map_err(|_| TranscriptError::NotAnArray)?;
    let given = |key| fields.get(key).map(|value| value.get()).filter(|value| *value != "null");
    let text = |key, absent: Option<&str>| {
        match given(key) {
            Some(value) => serde_json::from_str(value).ok(),
            None => absent.map(str::to_owned),
        }
        .ok_or(TranscriptError::BadValue { turn, key, expected: "a string" })
    };
    let time = |key| match given(key) {
        None => Ok(None),
        Some(time) => time.parse().map(Some).map_err(|_| TranscriptError::BadValue {
            turn,
            key,
            expected: "a whole number of milliseconds",
        }),
    };
    let (speaker, said) = (text("speaker", Some(""))?, text("text", None)?);
    Turn::try_new(&speaker, &said, time("start_ts_ms")?, time("end_ts_ms")?)
        .map_err(|reason| TranscriptError::BadTurn { turn, reason })
}

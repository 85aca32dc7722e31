//! Conversations to chunks: contiguous runs of whole turns.

mod pack;
mod render;
mod speakers;
#[cfg(test)]
mod tests;

pub use pack::{TranscriptChunk, TranscriptChunks, TurnPart, chunk_transcript};
pub use render::{Rendered, render};
pub use speakers::{Speakers, only_models_speak, speaker_key};
pub(crate) use speakers::{SpokenTurn, spoken_turns};

/// Who speaks where nobody says.
pub const UNKNOWN_SPEAKER: &str = "UNKNOWN";

/// Who speaks in a chunk in which nobody speaks more than half of the text.
pub const SEVERAL_SPEAKERS: &str = "MULTI";

/// What somebody says without a break.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Who.
    pub speaker: String,
    /// What.
    pub text: String,
    /// When it begins and ends, in milliseconds from the start. Turns may overlap, and come in any order of time.
    pub start_ms: Option<i64>,
    /// See `start_ms`.
    pub end_ms: Option<i64>,
}

/// Why a turn cannot be.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum TurnError {
    /// Time before the start.
    #[error("a time is negative: {0} ms")]
    NegativeTime(i64),
    /// It ends before it begins.
    #[error("it ends at {end} ms, before it begins at {start} ms")]
    EndsBeforeStart {
        /// Its start.
        start: i64,
        /// Its end.
        end: i64,
    },
}

impl Turn {
    /// Checks the times; a blank speaker is unknown.
    pub fn try_new(
        speaker: &str,
        text: &str,
        start_ms: Option<i64>,
        end_ms: Option<i64>,
    ) -> Result<Self, TurnError> {
        if let Some(negative) = start_ms.into_iter().chain(end_ms).find(|ms| *ms < 0) {
            return Err(TurnError::NegativeTime(negative));
        }
        if let (Some(start), Some(end)) = (start_ms, end_ms)
            && end < start
        {
            return Err(TurnError::EndsBeforeStart { start, end });
        }
        let speaker = match speaker.trim() {
            "" => UNKNOWN_SPEAKER,
            known => known,
        };
        Ok(Self { speaker: speaker.to_owned(), text: text.to_owned(), start_ms, end_ms })
    }
}

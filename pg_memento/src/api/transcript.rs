//! Conversations, without state.

use memento_core::chunk::Measure;
use memento_core::transcript::{Turn, TurnPart, chunk_transcript as chunks_of, render};
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use serde_json::{Value, json};

use crate::ffi::jsonb::Jsonb;
use crate::ffi::server::check_for_interrupts;
use crate::ffi::stored;
use crate::service::text::{budget, int};
use crate::service::transcript;

#[pg_extern(immutable, parallel_safe)]
#[allow(clippy::type_complexity)] // pgrx reads the columns from the signature.
pub fn chunk_transcript(
    turns: Option<Jsonb>,
    target_tokens: default!(Option<i32>, "350"),
    max_tokens: default!(Option<i32>, "600"),
    overlap_tokens: default!(Option<i32>, "50"),
) -> Result<
    stored::TableIterator<
        'static,
        (
            name!(ordinal, i32),
            name!(start_char, i32),
            name!(end_char, i32),
            name!(chunk_text, String),
            name!(speaker, String),
            name!(start_ts_ms, Option<i64>),
            name!(end_ts_ms, Option<i64>),
            name!(first_turn, i32),
            name!(last_turn, i32),
            name!(token_count, i32),
            name!(turns, Jsonb),
        ),
    >,
    ErrorReport,
> {
    let (target, max) = (target_tokens.unwrap_or(350), max_tokens.unwrap_or(600));
    let budget = budget(Measure::Tokens, target, max, overlap_tokens.unwrap_or(50))?;
    let said = turns.map_or(Ok(Vec::new()), transcript::turns)?;
    Ok(stored::TableIterator::filled_by(move |give| {
        let rendered = render(&said);
        for (ordinal, chunk) in chunks_of(&said, &rendered, budget).enumerate() {
            check_for_interrupts();
            give((
                int(ordinal),
                int(chunk.start_char),
                int(chunk.end_char),
                chunk.text.to_owned(),
                chunk.speaker.to_owned(),
                chunk.start_ms,
                chunk.end_ms,
                int(chunk.first_turn),
                int(chunk.last_turn),
                int(chunk.size),
                turn_parts(&said, &chunk.turns),
            ));
        }
    }))
}

fn turn_parts(said: &[Turn], parts: &[TurnPart]) -> Jsonb {
    parts
        .iter()
        .map(|part| {
            let turn = &said[part.turn];
            json!({
                "turn": part.turn,
                "speaker": turn.speaker,
                "start_char": part.start_char,
                "end_char": part.end_char,
                "start_ts_ms": turn.start_ms,
                "end_ts_ms": turn.end_ms,
            })
        })
        .collect::<Value>()
        .into()
}

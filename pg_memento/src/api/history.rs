//! Conversations.

use pgrx::prelude::*;
use serde_json::json;

use crate::error::{ApiResult, given};
use crate::ffi::jsonb::Jsonb;
use crate::service::history;
use crate::spi::history::NewTurn;

/// What a model needs to go on with a conversation.
const DEFAULT_TURNS: i32 = 16;

#[pg_extern(volatile, parallel_unsafe)]
#[search_path(pg_catalog, pg_temp)]
pub fn history_append(
    conversation_id: Option<&str>,
    role: Option<&str>,
    content: Option<&str>,
    turn_index: default!(Option<i32>, "null"),
    metadata: default!(Option<Jsonb>, "'{}'"),
) -> ApiResult<Jsonb> {
    Ok(history::append(NewTurn {
        conversation: given("conversation_id", conversation_id)?,
        index: turn_index,
        role: given("role", role)?,
        content: given("content", content)?,
        metadata: metadata.unwrap_or_else(|| json!({}).into()),
    })?)
}

#[pg_extern(stable, parallel_restricted)]
#[search_path(pg_catalog, pg_temp)]
pub fn history_get(
    conversation_id: Option<&str>,
    max_turns: default!(Option<i32>, "16"),
    before_turn: default!(Option<i32>, "null"),
) -> ApiResult<Jsonb> {
    let limit = max_turns.unwrap_or(DEFAULT_TURNS);
    Ok(history::get(given("conversation_id", conversation_id)?, limit, before_turn)?)
}

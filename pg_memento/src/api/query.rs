//! What a query tells.

use memento_core::query::{self, Date, DateMention, LaneWeights};
use pgrx::prelude::*;
use serde_json::{Value, json};

use crate::ffi::jsonb::Jsonb;
use crate::ffi::server::current_day;

#[pg_extern(stable, parallel_safe, strict)]
pub fn analyze_query(query: &str) -> Jsonb {
    // The epoch for a clock beyond the year 9999: only relative times are wrong then.
    let analysis = query::analyze(query, Date::from_days(current_day()).unwrap_or(Date::EPOCH));
    json!({
        "intent": analysis.intent.as_str(),
        "weight_profile": analysis.weight_profile.as_str(),
        "weights": weights(analysis.weight_profile.weights()),
        "tech_tokens": analysis.tech_tokens,
        "date_range": analysis.dates.map(|mention| date_range(query, &mention)),
    })
    .into()
}

fn weights(weights: LaneWeights) -> Value {
    json!({
        "lexical": weights.lexical,
        "semantic": weights.semantic,
        "trigram": weights.trigram,
        "tech_token": weights.tech_token,
        "canonical": weights.canonical,
        "pinned": weights.pinned,
        "intent": weights.intent,
        "time": weights.time,
    })
}

fn date_range(query: &str, mention: &DateMention) -> Value {
    let day = |date: Option<Date>| date.map(|date| date.to_string());
    json!({
        "from": day(mention.range.from),
        "until": day(mention.range.until),
        "words": &query[mention.span.clone()],
    })
}

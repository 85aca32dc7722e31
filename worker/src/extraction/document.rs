//! Reading what the database says about a document.

use serde_json::Value;
use uuid::Uuid;

use crate::store::{ChatProfile, Document};

/// A document, as `_extraction_input()` gives it.
pub fn document(content: String, about: &Value) -> Document {
    let text = |name: &str| about[name].as_str().map(str::to_owned);
    let participants = about["participants"].as_array().into_iter().flatten();
    let people = about["author"].as_str().into_iter().chain(participants.filter_map(Value::as_str));
    let prompts = about["prompts"].as_object().into_iter().flatten().filter_map(|(name, prompt)| {
        Some((name.clone(), (prompt["version"].as_i64()?, prompt["template"].as_str()?.to_owned())))
    });
    Document {
        content,
        title: text("title"),
        kind: text("kind").unwrap_or_default(),
        date: text("date"),
        people: people.map(str::to_owned).collect(),
        profile: profile(&about["profile"]),
        prompts: prompts.collect(),
    }
}

fn profile(found: &Value) -> Option<ChatProfile> {
    let text = |name: &str| found[name].as_str().map(str::to_owned);
    Some(ChatProfile {
        profile: Uuid::parse_str(found["profile_id"].as_str()?).ok()?,
        provider: text("provider")?,
        model: text("model")?,
        config: found["config"].clone(),
        endpoint: text("endpoint")?,
    })
}

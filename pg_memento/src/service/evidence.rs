//! Reading rankings and weights from JSON.

use memento_core::fusion::Lane;
use serde_json::{Map, Value};

use crate::error::{Failure, reported};
use crate::ffi::jsonb::Jsonb;

/// Why rankings cannot be fused.
#[derive(Debug, thiserror::Error)]
pub enum EvidenceError {
    #[error("rank must be 1 or more, not {0}")]
    Rank(i64),
    #[error("k must be 0 or more, not {0}")]
    Constant(i32),
    #[error("rankings must be a JSON object of arrays of ids")]
    Rankings,
    #[error("weights must be a JSON object of numbers that are not negative")]
    Weights,
}

reported!(EvidenceError);

impl Failure for EvidenceError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Rank(_) => "ranks count from 1".into(),
            Self::Constant(_) => "60 is the usual choice".into(),
            Self::Rankings => r#"for example: {"fts": ["a", "b"], "dense": ["b", "c"]}"#.into(),
            Self::Weights => r#"for example: {"fts": 0.4, "dense": 0.5}"#.into(),
        })
    }
}

/// A lane as it came.
pub struct Ranking {
    name: String,
    weight: f64,
    ids: Vec<String>,
}

impl Ranking {
    /// As the core wants it.
    pub fn as_lane(&self) -> Lane<'_, &str> {
        Lane::in_order(&self.name, self.weight, self.ids.iter().map(String::as_str))
    }
}

/// The constant of the formula.
pub fn constant(k: i32) -> Result<f64, EvidenceError> {
    if k >= 0 { Ok(k.into()) } else { Err(EvidenceError::Constant(k)) }
}

/// Rankings with their weights; 1 where none is given. A weight for a lane that did not run has no effect.
pub fn rankings(rankings: &Jsonb, weights: Option<&Jsonb>) -> Result<Vec<Ranking>, EvidenceError> {
    let Ok(Value::Object(rankings)) = rankings.parse() else { return Err(EvidenceError::Rankings) };
    let weights = match weights.map(Jsonb::parse) {
        None | Some(Ok(Value::Null)) => Map::new(),
        Some(Ok(Value::Object(weights))) => weights,
        Some(_) => return Err(EvidenceError::Weights),
    };
    rankings
        .into_iter()
        .map(|(name, ids)| {
            let weight = match weights.get(&name) {
                None => 1.0,
                Some(weight) => {
                    weight.as_f64().filter(|w| w.is_finite() && *w >= 0.0).ok_or(EvidenceError::Weights)?
                }
            };
            Ok(Ranking { ids: ids_of(&ids).ok_or(EvidenceError::Rankings)?, name, weight })
        })
        .collect()
}

/// Ids may be strings or numbers.
fn ids_of(value: &Value) -> Option<Vec<String>> {
    value
        .as_array()?
        .iter()
        .map(|id| match id {
            Value::String(id) => Some(id.clone()),
            Value::Number(id) => Some(id.to_string()),
            _ => None,
        })
        .collect()
}

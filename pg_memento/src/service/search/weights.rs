//! What a project multiplies the weights of lanes by, where somebody has found out what serves it.

use memento_core::access::AccessLevel;
use memento_core::query::LaneWeights;
use pgrx::Uuid;
use pgrx::prelude::PgSqlErrorCode;
use serde_json::{Map, Value, json};

use crate::error::{Failure, StatementError, passed_on, reported};
use crate::ffi::jsonb::Jsonb;
use crate::service::access::{AccessError, as_owner, authorize_current};
use crate::spi::{self, StatementResult};

/// A lane that counts more often has no need of the others.
const MOST: f64 = 100.0;

/// Why factors are not taken.
#[derive(Debug, thiserror::Error)]
pub enum WeightsError {
    #[error("weights must be a JSON object of factors from 0 to {MOST} for {}", LaneWeights::NAMES.join(", "))]
    BadWeights,
    #[error("no lane would count")]
    AllZero,
    #[error(transparent)]
    Access(#[from] AccessError),
    #[error(transparent)]
    Statement(#[from] StatementError),
}

reported!(WeightsError);

impl Failure for WeightsError {
    passed_on!(Access, Statement);

    fn sqlstate(&self) -> PgSqlErrorCode {
        PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE
    }

    fn code(&self) -> &'static str {
        "VALIDATION_ERROR"
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::BadWeights => {
                Some(r#"for example {"semantic": 0.5}; null for those of the extension"#.into())
            }
            Self::AllZero => Some("leave lexical or semantic above 0".into()),
            Self::Access(_) | Self::Statement(_) => None,
        }
    }
}

/// The factors of a project, for searches in it.
pub fn of(project: Uuid) -> StatementResult<LaneWeights> {
    let kept = spi::tenancy::search_weights(project)?;
    // What cannot be read was not written by set(): searches go on as without it.
    Ok(kept.and_then(|kept| read(&kept.parse().ok()?)).unwrap_or(LaneWeights::EVEN))
}

/// Whether some lane that looks for what a query says still counts.
pub fn may_be(factors: LaneWeights) -> bool {
    factors.lexical + factors.semantic > 0.0
}

/// Sets the factors of the session's project, and gives them all back.
pub fn set(weights: Option<&Jsonb>) -> Result<Value, WeightsError> {
    let factors = match weights {
        Some(weights) => {
            weights.parse().ok().and_then(|weights| read(&weights)).ok_or(WeightsError::BadWeights)?
        }
        None => LaneWeights::EVEN,
    };
    if !may_be(factors) {
        return Err(WeightsError::AllZero);
    }
    let project = authorize_current(AccessLevel::Admin)?;
    let kept = (factors != LaneWeights::EVEN).then(|| Jsonb::from(shown(factors)));
    as_owner(|| spi::tenancy::set_search_weights(project, kept))?;
    Ok(shown(factors))
}

/// Factors by name.
pub fn shown(factors: LaneWeights) -> Value {
    let named = LaneWeights::NAMES.into_iter().zip(factors.values());
    named.map(|(name, factor)| (name.to_owned(), json!(factor))).collect::<Map<_, _>>().into()
}

/// What is not named stays as it is.
pub fn read(weights: &Value) -> Option<LaneWeights> {
    let mut values = LaneWeights::EVEN.values();
    for (name, factor) in weights.as_object()? {
        let place = LaneWeights::NAMES.iter().position(|known| known == name)?;
        values[place] = factor.as_f64().filter(|factor| (0.0..=MOST).contains(factor))?;
    }
    Some(LaneWeights::of(values))
}

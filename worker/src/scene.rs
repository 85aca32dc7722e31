//! What the steps of the loop have in common: what they work on, and what they make of a model's failure.

use std::time::Duration;

use crate::debt::Debts;
use crate::job::Reason;
use crate::provider::{Kind, ProviderError};
use crate::store::{Store, Tally};

/// How long an endpoint is left alone that says it has too much to do, but not for how long.
const DEFAULT_PAUSE: Duration = Duration::from_secs(30);

/// How long until a model that is not there is asked for again.
pub const NOT_READY_PAUSE: Duration = Duration::from_secs(60);

/// What a step needs of its surroundings.
pub struct Scene<'a, 'b> {
    /// The database.
    pub store: &'a mut Store<'b>,
    /// What is still to be said.
    pub debts: &'a mut Debts,
    /// What was done.
    pub tally: &'a mut Tally,
}

/// How long an endpoint is to be left alone after a failure; none: it need not be.
pub fn pause_for(error: &ProviderError) -> Option<Duration> {
    match error.kind() {
        Kind::RateLimited => Some(error.retry_after.unwrap_or(DEFAULT_PAUSE)),
        Kind::NotReady => Some(NOT_READY_PAUSE),
        // A server that says when it is back means it for everybody.
        Kind::Retryable => error.retry_after,
        Kind::Invalid | Kind::Poison => None,
    }
}

/// A failure as a job says it.
pub fn reason_of(error: &ProviderError) -> Reason {
    Reason { code: error.code.name().into(), message: error.message.clone(), hint: error.hint.clone() }
}

/// Counts a failed attempt.
pub fn count_failure(tally: &mut Tally, code: &str) {
    tally.failed += 1;
    tally.last_error = Some(code.to_owned());
}

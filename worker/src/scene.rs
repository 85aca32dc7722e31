//! What the steps of the loop have in common: what they work on, and what they make of a model's failure.

use std::time::Duration;

use uuid::Uuid;

use crate::debt::Debts;
use crate::job::Reason;
use crate::provider::{Kind, ProviderError};
use crate::store::{Store, Tally};
use crate::unusable::may_be_own;

/// How long an endpoint is left alone that says it has too much to do, but not for how long.
const DEFAULT_PAUSE: Duration = Duration::from_secs(30);

/// An endpoint that says that it may be called again at once has just refused a call: it is not called as fast as it can refuse.
const SHORTEST_PAUSE: Duration = Duration::from_secs(1);

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
    /// Whether the worker's settings are the server's: what it cannot do is not left to others.
    pub is_servers_own: bool,
}

impl Scene<'_, '_> {
    /// Whether a model is left to others because of a failure that may be of this worker alone. Its jobs are to be given back then.
    pub fn leaves(&mut self, profile: Uuid, error: &ProviderError) -> bool {
        let is_left = !self.is_servers_own && may_be_own(error);
        if is_left {
            self.tally.last_error = Some(error.code.name().into());
            self.tally.unusable.add(profile, reason_of(error));
        }
        is_left
    }
}

/// How long an endpoint is to be left alone after a failure; none: it need not be.
pub fn pause_for(error: &ProviderError) -> Option<Duration> {
    match error.kind() {
        Kind::RateLimited => Some(error.retry_after.unwrap_or(DEFAULT_PAUSE).max(SHORTEST_PAUSE)),
        Kind::NotReady => Some(NOT_READY_PAUSE),
        // A server that says when it is back means it for everybody.
        Kind::Retryable => error.retry_after.map(|pause| pause.max(SHORTEST_PAUSE)),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::Code;

    #[test]
    fn no_pause_is_over_at_once() {
        for (code, asked, pause) in [
            (Code::RateLimited, None, Some(30)),
            (Code::RateLimited, Some(0), Some(1)),
            (Code::RateLimited, Some(7), Some(7)),
            (Code::Unavailable, Some(0), Some(1)),
            (Code::Unavailable, None, None),
        ] {
            let retry_after = asked.map(Duration::from_secs);
            let error = ProviderError { retry_after, ..ProviderError::new(code, "no") };
            assert_eq!(pause_for(&error), pause.map(Duration::from_secs), "{code:?} {asked:?}");
        }
    }
}

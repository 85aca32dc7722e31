//! Models that this worker leaves to others, because its own set-up keeps it from using them: a key that is not in its environment, a
//! host that it may not call, no local model. That is no failure of the jobs, and the others may well be able to do them.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use uuid::Uuid;

use crate::job::{Lane, Reason};
use crate::provider::{Code, ProviderError};

/// How long until it tries again: somebody may have set it right.
const LOOK_AGAIN: Duration = Duration::from_secs(60);

/// The models, by the key of their profile: since when, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unusable(BTreeMap<Uuid, (Instant, Reason)>);

/// Whether another worker may be able to make a call that failed like this.
pub fn may_be_own(error: &ProviderError) -> bool {
    matches!(
        error.code,
        Code::Key
            | Code::Unauthorized
            | Code::HostRefused
            | Code::Certificate
            | Code::ModelNotReady
            | Code::ModelBroken
            | Code::ModelChanged
    )
}

impl Unusable {
    /// Leaves a model to others from now on.
    pub fn add(&mut self, profile: Uuid, reason: Reason) {
        self.0.insert(profile, (Instant::now(), reason));
    }

    /// It can be used after all.
    pub fn remove(&mut self, profile: Uuid) {
        self.0.remove(&profile);
    }

    /// How long jobs of a lane are left alone; none if they need not be, or no longer.
    pub fn wait(&self, lane: &Lane) -> Option<Duration> {
        // An index is built without the model.
        let profile = lane.profile.filter(|_| lane.kind() != "build_index")?;
        let (since, _) = self.0.get(&profile)?;
        LOOK_AGAIN.checked_sub(since.elapsed()).filter(|left| !left.is_zero())
    }

    /// Whether the same models are left to others, whenever that began.
    pub fn is_as(&self, other: &Self) -> bool {
        self.0.keys().eq(other.0.keys())
    }

    /// As the database keeps it.
    pub fn to_json(&self) -> Json {
        let reasons = self.0.iter().map(|(profile, (_, reason))| {
            (profile.to_string(), json!({"code": reason.code, "message": reason.message}))
        });
        Json::Object(reasons.collect())
    }
}

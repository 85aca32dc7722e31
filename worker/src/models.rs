//! Where the loop gets its models from.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use uuid::Uuid;

use crate::provider::{Chat, Embedder, Policy, ProfileSpec, ProviderError, chat, embedder};
use crate::store::{ChatProfile, Profile};

/// Gives the model of a profile.
pub trait Models {
    /// The embedding model of a profile, ready to be called.
    fn embedder(&self, profile: &Profile) -> Result<Arc<dyn Embedder>, ProviderError>;
    /// The chat model of a profile, ready to be called.
    fn chat(&self, profile: &ChatProfile) -> Result<Arc<dyn Chat>, ProviderError>;
}

/// An embedder, and the profile that it was made for.
type Kept = (Profile, Arc<dyn Embedder>);

/// Models as the server's settings allow them. Kept, so that connections are used again.
pub struct Configured {
    policy: Policy,
    kept: RefCell<BTreeMap<Uuid, Kept>>,
}

impl Configured {
    /// Under a policy.
    pub fn new(policy: Policy) -> Self {
        Self { policy, kept: RefCell::default() }
    }
}

impl Models for Configured {
    fn embedder(&self, profile: &Profile) -> Result<Arc<dyn Embedder>, ProviderError> {
        if let Some((known, kept)) = self.kept.borrow().get(&profile.profile)
            && known == profile
        {
            return Ok(Arc::clone(kept));
        }
        let made = embedder(&spec_of(profile), &self.policy)?;
        self.kept.borrow_mut().insert(profile.profile, (profile.clone(), Arc::clone(&made)));
        Ok(made)
    }

    fn chat(&self, profile: &ChatProfile) -> Result<Arc<dyn Chat>, ProviderError> {
        let spec = ProfileSpec {
            provider: profile.provider.clone(),
            model: profile.model.clone(),
            dims: 0,
            config: profile.config.clone(),
        };
        chat(&spec, &self.policy)
    }
}

/// A profile as the providers read it.
pub fn spec_of(profile: &Profile) -> ProfileSpec {
    ProfileSpec {
        provider: profile.provider.clone(),
        model: profile.model.clone(),
        dims: profile.dims,
        config: profile.config.clone(),
    }
}

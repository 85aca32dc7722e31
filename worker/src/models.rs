//! Where the loop gets its models from.

use std::sync::Arc;

use crate::provider::{Embedder, ProviderError};
use crate::store::Profile;

/// Gives the model of a profile.
pub trait Models {
    /// The embedding model of a profile, ready to be called.
    fn embedder(&self, profile: &Profile) -> Result<Arc<dyn Embedder>, ProviderError>;
}

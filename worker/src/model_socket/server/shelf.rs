//! The embedding models, by what profiles say about them. Those of the same files share what is in memory.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::lock;
use super::slot::ModelSlot;
use crate::provider::{Embedder, ProfileSpec, ProviderError};

/// Loads the embedding model of a profile.
pub type Loader = Box<dyn Fn(&ProfileSpec) -> Result<Arc<dyn Embedder>, ProviderError> + Send + Sync>;

/// More than anybody uses at a time: what a profile said before it was changed must not stay for ever.
const MOST_KEPT: usize = 16;

type Slot = Arc<ModelSlot<dyn Embedder>>;

pub(super) struct Shelf {
    loader: Arc<Loader>,
    reload_after: Duration,
    /// The last one that was asked for is the first.
    kept: Mutex<Vec<(ProfileSpec, Slot)>>,
}

impl Shelf {
    pub fn new(loader: Loader, reload_after: Duration) -> Self {
        Self { loader: Arc::new(loader), reload_after, kept: Mutex::default() }
    }

    /// The place of a profile's model.
    pub fn of(&self, spec: &ProfileSpec) -> Slot {
        let mut kept = lock(&self.kept);
        let slot = match kept.iter().position(|(known, _)| known == spec) {
            Some(at) => kept.remove(at).1,
            None => self.empty(spec.clone()),
        };
        kept.insert(0, (spec.clone(), Arc::clone(&slot)));
        kept.truncate(MOST_KEPT);
        slot
    }

    fn empty(&self, spec: ProfileSpec) -> Slot {
        let loader = Arc::clone(&self.loader);
        Arc::new(ModelSlot::new(Box::new(move || loader(&spec)), self.reload_after))
    }

    /// Nobody waits for a model any longer.
    pub fn stop(&self) {
        lock(&self.kept).iter().for_each(|(_, slot)| slot.stop());
    }
}

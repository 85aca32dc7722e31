//! How many documents are read at once: by each endpoint as many as it takes, and by rules as many again, which wait for no endpoint.

use std::collections::BTreeMap;

use uuid::Uuid;

use crate::provider::Chat;
use crate::store::ChatProfile;

/// The threads that read.
pub struct Threads {
    concurrency: usize,
    /// How many have not ended, also of jobs that were lost, by endpoint; none: rules.
    running: BTreeMap<Option<String>, usize>,
    /// The endpoints of models that were asked for, and how many calls each takes at once.
    models: BTreeMap<Uuid, (String, usize)>,
}

impl Threads {
    /// None yet.
    pub fn new(concurrency: usize) -> Self {
        Self { concurrency: concurrency.max(1), running: BTreeMap::new(), models: BTreeMap::new() }
    }

    pub fn set_concurrency(&mut self, concurrency: usize) {
        self.concurrency = concurrency.max(1);
    }

    /// How many documents more can be read by a model; none: by rules.
    pub fn room(&self, profile: Option<Uuid>) -> usize {
        let Some(profile) = profile else { return self.left(None, self.concurrency) };
        match self.models.get(&profile) {
            Some((endpoint, most)) => self.left(Some(endpoint), self.concurrency.min(*most)),
            // Where it is, its first document says.
            None => 1,
        }
    }

    fn left(&self, endpoint: Option<&str>, most: usize) -> usize {
        most.saturating_sub(self.running.get(&endpoint.map(str::to_owned)).copied().unwrap_or(0))
    }

    /// Takes note of a model as it is now.
    pub fn know(&mut self, profile: &ChatProfile, chat: &dyn Chat) {
        self.models.insert(profile.profile, (profile.endpoint.clone(), chat.concurrency().max(1)));
    }

    pub fn begin(&mut self, endpoint: Option<String>) {
        *self.running.entry(endpoint).or_default() += 1;
    }

    pub fn end(&mut self, endpoint: Option<String>) {
        self.running.entry(endpoint).and_modify(|count| *count = count.saturating_sub(1));
    }
}

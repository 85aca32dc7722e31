//! Jobs as a worker sees them.

use uuid::Uuid;

/// A job that a worker holds: the attempt says that it is still its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Held {
    /// The project.
    pub project: Uuid,
    /// The job.
    pub job: i64,
    /// The attempt.
    pub attempt: i32,
}

/// A job that was claimed.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// Its key and attempt.
    pub held: Held,
    /// How many attempts failed before.
    pub failures: u32,
    /// How many workers were lost with it.
    pub lost: u32,
    /// What is to be done.
    pub kind: String,
    /// The embedding profile that it is about.
    pub profile: Option<Uuid>,
}

/// Jobs that are claimed together.
#[derive(Clone, Debug, PartialEq)]
pub struct Lane {
    /// Its name.
    pub name: String,
    /// The profile of the model that its jobs need.
    pub profile: Option<Uuid>,
    /// Seconds until the next of its jobs can be claimed; not positive if that is now.
    pub due_in: f64,
    /// Whether a worker was lost with that one.
    pub was_lost: bool,
}

impl Lane {
    /// The kind of its jobs.
    pub fn kind(&self) -> &str {
        self.name.split_once(':').map_or(&self.name, |(kind, _)| kind)
    }
}

/// A chunk that has no vector yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// The job that asks for it.
    pub held: Held,
    /// The chunk.
    pub chunk: i64,
    /// Its text.
    pub text: String,
    /// Its tokens, by our count.
    pub tokens: usize,
    /// Whether its document is embedded as a whole, each chunk in its context.
    pub contextual: bool,
}

/// What a job failed of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// A code that programs match on.
    pub code: String,
    /// In words; no content, no secrets.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

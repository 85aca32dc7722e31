//! Calls of models, each on a thread of its own. The threads see texts and vectors, never the database.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use crate::batch::Batch;
use crate::provider::{Code, EmbedRequest, Embedded, Embedder, ProviderError, Purpose};

/// Starts a thread. Inside of Postgres its signals must be blocked before it runs.
pub type Spawn = fn(Box<dyn FnOnce() + Send>) -> std::io::Result<()>;

/// Brings about the next round, from any thread.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// What came of a call.
pub struct Answer {
    /// The lane that asked.
    pub lane: String,
    /// Which of its calls it was.
    pub number: u64,
    /// What was sent.
    pub batch: Batch,
    /// The vectors, or why there are none.
    pub outcome: Result<Embedded, ProviderError>,
    /// How long it took.
    pub duration: Duration,
}

/// Has models called.
pub struct Caller {
    spawn: Spawn,
    answers: Sender<Answer>,
    wake: Wake,
}

impl Caller {
    /// With where its answers arrive.
    pub fn new(spawn: Spawn, wake: Wake) -> (Self, Receiver<Answer>) {
        let (answers, arriving) = channel();
        (Self { spawn, answers, wake }, arriving)
    }

    /// Has the texts of a batch embedded. The answer comes in any case.
    pub fn embed(&self, lane: &str, number: u64, embedder: Arc<dyn Embedder>, batch: Batch) {
        let (lane, answers, wake) = (lane.to_owned(), self.answers.clone(), Arc::clone(&self.wake));
        let work = {
            let (lane, batch) = (lane.clone(), batch.clone());
            let (answers, wake) = (answers.clone(), Arc::clone(&wake));
            move || {
                let started = Instant::now();
                let outcome = call(embedder.as_ref(), &batch);
                // Nobody listens any more when the worker is about to end.
                let _ = answers.send(Answer { lane, number, batch, outcome, duration: started.elapsed() });
                wake();
            }
        };
        if (self.spawn)(Box::new(work)).is_err() {
            let outcome = Err(ProviderError::new(Code::Unavailable, "no thread can be started"));
            let _ = answers.send(Answer { lane, number, batch, outcome, duration: Duration::ZERO });
            wake();
        }
    }
}

fn call(embedder: &dyn Embedder, batch: &Batch) -> Result<Embedded, ProviderError> {
    let texts: Vec<String> = batch.inputs.iter().map(|input| input.text.clone()).collect();
    let request = EmbedRequest { texts: &texts, purpose: Purpose::Document, contextual: batch.contextual };
    // A bug in one provider must not take the worker with it; the batch is lost, not the job.
    catch_unwind(AssertUnwindSafe(|| embedder.embed(&request))).unwrap_or_else(|_| {
        Err(ProviderError::new(Code::Unavailable, "the provider's code panicked: this is a bug"))
    })
}

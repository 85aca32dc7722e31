//! The place of the model: empty until somebody asks, loaded once, tried again some time after a failure.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::lock;
use crate::provider::{Code, ProviderError};

/// Loads a model: expensive, called by the first request, never by two at a time.
pub(super) type LoaderOf<M> = Box<dyn Fn() -> Result<Arc<M>, ProviderError> + Send + Sync>;

enum State<M: ?Sized> {
    Idle,
    Loading,
    Ready(Arc<M>),
    Failed(ProviderError, Instant),
    Stopped,
}

pub(super) struct ModelSlot<M: ?Sized> {
    loader: LoaderOf<M>,
    reload_after: Duration,
    state: Mutex<State<M>>,
    changed: Condvar,
}

impl<M: ?Sized> ModelSlot<M> {
    pub fn new(loader: LoaderOf<M>, reload_after: Duration) -> Self {
        Self { loader, reload_after, state: Mutex::new(State::Idle), changed: Condvar::new() }
    }

    /// Nobody waits for the model any longer.
    pub fn stop(&self) {
        *lock(&self.state) = State::Stopped;
        self.changed.notify_all();
    }

    /// The model: loaded by this thread if it is the first that asks, waited for if another one is loading it.
    pub fn get(&self, deadline: Instant) -> Result<Arc<M>, ProviderError> {
        let mut state = lock(&self.state);
        loop {
            match &*state {
                State::Ready(model) => return Ok(model.clone()),
                State::Failed(error, at) if at.elapsed() < self.reload_after => return Err(error.clone()),
                State::Stopped => return Err(not_ready("the process of the local model is stopping")),
                State::Idle | State::Failed(..) => {
                    *state = State::Loading;
                    drop(state);
                    return self.load();
                }
                State::Loading => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return Err(not_ready("the local model is being loaded"));
                    }
                    state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
                }
            }
        }
    }

    fn load(&self) -> Result<Arc<M>, ProviderError> {
        // A panic must not leave all others waiting for a thread that is gone.
        let loaded = catch_unwind(AssertUnwindSafe(|| (self.loader)())).unwrap_or_else(|_| {
            Err(ProviderError::new(
                Code::ModelBroken,
                "the local model could not be loaded: a bug in pg_memento",
            )
            .with_hint("please report it with the server's log"))
        });
        let mut state = lock(&self.state);
        if !matches!(*state, State::Stopped) {
            *state = match &loaded {
                Ok(model) => State::Ready(model.clone()),
                Err(error) => State::Failed(error.clone(), Instant::now()),
            };
        }
        self.changed.notify_all();
        loaded
    }
}

fn not_ready(message: &str) -> ProviderError {
    ProviderError::new(Code::ModelNotReady, message).with_hint("try again in a moment")
}

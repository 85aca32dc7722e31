//! Calls of models over HTTP for a caller who waits: a query, or `memento.embed()`. An endpoint that has asked for a pause, or has
//! just failed this session, is left alone; what was called is entered into the ledger.
//!
//! The pause itself is written by workers only: its row would be locked for as long as the caller's transaction lasts, and they
//! would wait for it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use memento_worker::provider::{Code, Kind, ProviderError, Usage};
use pgrx::Uuid;
use pgrx::prelude::*;

use super::access::as_owner;
use crate::ffi;
use crate::ffi::subtransaction::attempt;
use crate::spi::{self, StatementResult};

/// How often a wait looks for a cancelled statement.
pub const LOOK_EVERY: Duration = Duration::from_millis(20);

/// How long a session leaves an endpoint alone that did not answer: each search would wait for it again.
const AFTER_SILENCE: Duration = Duration::from_secs(10);

/// The same for one that has too much to do and does not say for how long, as workers do.
const AFTER_LIMIT: Duration = Duration::from_secs(30);

/// Who is called, for whom, and with how much.
#[derive(Clone)]
pub struct Callee {
    pub project: Uuid,
    pub role: &'static str,
    pub provider: String,
    pub model: String,
    pub endpoint: String,
    pub items: usize,
    /// As we count them, where the provider does not say.
    pub tokens: u64,
}

thread_local! {
    /// Until when this session leaves endpoints alone, and why.
    static RESTING: RefCell<BTreeMap<String, (Instant, ProviderError)>> = const { RefCell::new(BTreeMap::new()) };
    /// The call under way, for when its statement is ended before the answer.
    static UNDER_WAY: RefCell<Option<(Callee, Instant)>> = const { RefCell::new(None) };
}

/// Why an endpoint is not to be called now, if it is not.
pub fn rest_of(endpoint: &str) -> StatementResult<Option<ProviderError>> {
    let now = Instant::now();
    let own = RESTING.with_borrow(|resting| resting.get(endpoint).cloned());
    if let Some((until, error)) = own.filter(|(until, _)| *until > now) {
        return Ok(Some(left_alone(error.code, &error.message, (until - now).as_secs_f64())));
    }
    let pause = as_owner(|| spi::model_call::pause(endpoint))?;
    Ok(pause.map(|pause| {
        let code = Code::from_name(&pause.code).unwrap_or(Code::Unavailable);
        left_alone(code, &pause.reason, pause.seconds)
    }))
}

fn left_alone(code: Code, reason: &str, seconds: f64) -> ProviderError {
    let seconds = seconds.ceil();
    ProviderError::new(code, format!("the endpoint is left alone for another {seconds} s: {reason}"))
        .with_hint("it is asked again then")
}

/// Calls a model and waits for it; the statement can be cancelled meanwhile.
pub fn call<T: Send + 'static>(
    callee: Callee,
    usage: fn(&T) -> Usage,
    work: impl FnOnce() -> Result<T, ProviderError> + Send + 'static,
) -> Result<T, ProviderError> {
    let started = Instant::now();
    UNDER_WAY.set(Some((callee.clone(), started)));
    let outcome = on_a_thread(work);
    UNDER_WAY.set(None);
    match &outcome {
        Ok(answer) => record(&callee, "ok", &usage(answer)),
        Err(error) => failed(&callee, error, started.elapsed()),
    }
    outcome
}

/// The time for an answer is over, and what waited for it has been given up: the endpoint has failed, too.
pub fn give_up() {
    if let Some((callee, started)) = UNDER_WAY.take() {
        let error = ProviderError::new(Code::Timeout, "it did not answer in time");
        failed(&callee, &error, started.elapsed());
    }
}

/// Whatever was under way before does not count any more.
pub fn begin() {
    UNDER_WAY.set(None);
}

fn failed(callee: &Callee, error: &ProviderError, duration: Duration) {
    let rest = match (error.kind(), error.code) {
        (Kind::RateLimited, _) => Some(error.retry_after.unwrap_or(AFTER_LIMIT)),
        (_, Code::Timeout | Code::Unavailable) => Some(error.retry_after.unwrap_or(AFTER_SILENCE)),
        _ => None,
    };
    if let Some(until) = rest.and_then(|rest| Instant::now().checked_add(rest)) {
        RESTING.with_borrow_mut(|resting| resting.insert(callee.endpoint.clone(), (until, error.clone())));
    }
    record(callee, error.code.name(), &Usage { tokens: Some(0), duration, ..Usage::default() });
}

/// Where the transaction can write. A search must not fail because it cannot be accounted for.
fn record(callee: &Callee, outcome: &'static str, usage: &Usage) {
    if !ffi::server::can_write() {
        return;
    }
    let call = spi::model_call::Call {
        project: callee.project,
        role: callee.role,
        provider: &callee.provider,
        model: &callee.model,
        endpoint: &callee.endpoint,
        outcome,
        items: callee.items,
        tokens: usage.tokens.unwrap_or(callee.tokens),
        bytes_sent: usage.bytes_sent,
        bytes_received: usage.bytes_received,
        milliseconds: usage.duration.as_secs_f64() * 1000.0,
    };
    let reason = match attempt(|| as_owner(|| spi::model_call::record(&call))) {
        Ok(Ok(())) => return,
        Ok(Err(error)) => error.to_string(),
        Err(caught) => caught.to_string(),
    };
    ereport!(
        PgLogLevel::LOG_SERVER_ONLY,
        PgSqlErrorCode::ERRCODE_WARNING,
        format!("pg_memento: a model call is not in the ledger: {reason}")
    );
}

/// Works on a thread, which is left to itself if the statement is cancelled.
fn on_a_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ProviderError> + Send + 'static,
) -> Result<T, ProviderError> {
    let (answer, answered) = channel();
    let run = move || {
        // Nobody waits any more if the statement was cancelled.
        let _ = answer.send(work());
    };
    ffi::thread::spawn("memento-query", run)
        .map_err(|_| ProviderError::new(Code::Unavailable, "no thread can be started"))?;
    loop {
        match answered.recv_timeout(LOOK_EVERY) {
            Ok(outcome) => return outcome,
            Err(RecvTimeoutError::Timeout) => ffi::server::check_for_interrupts(),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(ProviderError::new(
                    Code::Unavailable,
                    "the provider's code panicked: this is a bug",
                ));
            }
        }
    }
}

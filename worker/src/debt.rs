//! What the database still has to be told about jobs that are no longer worked on. It may fail in the middle of a round, and what
//! is not said then is said in the next one: a job that nobody works on must not stay with a worker that keeps its lease.

use std::collections::{BTreeSet, VecDeque};
use std::time::Duration;

use memento_core::backoff::EMBED;

use crate::database::{DatabaseError, DatabaseResult};
use crate::job::{Held, Reason};
use crate::store::{Call, Payee, Store};

/// One thing to be said.
#[derive(Clone, Debug, PartialEq)]
pub enum Debt {
    /// A call belongs into the ledger.
    Record(Payee, Call),
    /// An endpoint is to be left alone.
    Pause {
        /// Which.
        endpoint: String,
        /// For how long.
        pause: Duration,
        /// Why.
        reason: Reason,
    },
    /// An attempt failed.
    Fail {
        /// Of which job.
        held: Held,
        /// Why.
        reason: Reason,
        /// When it is tried again; none: not by itself.
        retry_in: Option<Duration>,
        /// Whether the failure is the job's own.
        counts: bool,
    },
    /// A job goes back untouched.
    Release {
        /// Which.
        held: Held,
        /// When it can be taken again.
        delay: Duration,
    },
}

/// How often something is said that is refused.
const MOST_TRIES: u32 = 3;

/// All that is to be said, in its order.
#[derive(Debug, Default)]
pub struct Debts {
    /// With how often each was refused.
    open: VecDeque<(Debt, u32)>,
    /// Endpoints that are to be left alone, for those who still have something for them in hand.
    paused: BTreeSet<String>,
}

impl Debts {
    /// To be said by the next [`Debts::settle`].
    pub fn owe(&mut self, debt: Debt) {
        if let Debt::Pause { endpoint, .. } = &debt {
            self.paused.insert(endpoint.clone());
        }
        self.open.push_back((debt, 0));
    }

    /// The endpoints that are to be left alone since this was asked for last.
    pub fn take_paused(&mut self) -> BTreeSet<String> {
        std::mem::take(&mut self.paused)
    }

    /// Gives jobs back untouched.
    pub fn release(&mut self, held: impl IntoIterator<Item = Held>) {
        held.into_iter().for_each(|held| self.owe(Debt::Release { held, delay: Duration::ZERO }));
    }

    /// Gives a job back that waits for somebody. Nobody says for how long: each time it waits for longer.
    pub fn postpone(&mut self, held: Held) {
        self.owe(Debt::Release { held, delay: EMBED.delay_of_job(attempts_of(held), held.job) });
    }

    /// Gives a job back because of an error of the database. A connection that broke is not the job's fault, nor is what the server
    /// lacks; what a statement fails of otherwise may be, so it counts, and somebody sees it in the end.
    pub fn give_up(&mut self, held: Held, failures: u32, code: &str, error: &DatabaseError) {
        if error.is_broken_connection() {
            return self.release([held]);
        }
        let counts = !error.is_of_the_moment();
        // What does not count has no failures to make the delay longer: attempts do.
        let times = if counts { failures + 1 } else { attempts_of(held) };
        let retry_in = Some(EMBED.delay_of_job(times, held.job));
        self.owe(Debt::Fail { held, reason: reason_of(code, error), retry_in, counts });
    }

    /// Says it. Without a connection the rest stays to be said. What is refused for another reason is repeated in later rounds, but
    /// not for ever: the lease of such a job ends by itself, because nobody extends it. Gives the first error.
    pub fn settle(&mut self, store: &mut Store) -> DatabaseResult<()> {
        let (mut outcome, mut refused) = (Ok(()), Vec::new());
        while let Some((debt, tries)) = self.open.pop_front() {
            let Err(error) = self.say(&debt, store) else { continue };
            if error.is_broken_connection() {
                self.open.push_front((debt, tries));
                outcome = outcome.and(Err(error));
                break;
            }
            if tries + 1 < MOST_TRIES {
                refused.push((debt, tries + 1));
            }
            outcome = outcome.and(Err(error));
        }
        self.open.extend(refused);
        outcome
    }

    fn say(&mut self, debt: &Debt, store: &mut Store) -> DatabaseResult<()> {
        match debt {
            Debt::Record(payee, call) => store.record_call(payee, call),
            Debt::Pause { endpoint, pause, reason } => store.pause_endpoint(endpoint, *pause, reason),
            Debt::Fail { held, reason, retry_in, counts } => {
                store.fail(*held, reason, *retry_in, *counts).map(drop)
            }
            Debt::Release { held: first, delay } => {
                // Those that follow go with it, in one statement.
                let others = self.open.iter().map_while(|(next, _)| match next {
                    Debt::Release { held, delay: same } if same == delay => Some(*held),
                    _ => None,
                });
                let together: Vec<Held> = std::iter::once(*first).chain(others).collect();
                store.release(&together, *delay)?;
                self.open.drain(..together.len() - 1);
                Ok(())
            }
        }
    }
}

fn attempts_of(held: Held) -> u32 {
    u32::try_from(held.attempt).unwrap_or(1)
}

/// Not what the server says: that may quote what was to be written.
fn reason_of(code: &str, error: &DatabaseError) -> Reason {
    Reason {
        code: code.into(),
        message: format!("the database refused it (SQLSTATE {})", error.sqlstate),
        hint: Some("see the server's log".into()),
    }
}

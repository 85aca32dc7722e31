//! A lock that is given in the order in which it was asked for.
//!
//! The standard library's lock goes to whoever is quickest, which is mostly the thread that has just given it back: work on a
//! long queue of chunks would keep a query waiting for seconds.

use std::sync::{Condvar, Mutex, PoisonError};

#[derive(Default)]
struct Turns {
    next: u64,
    serving: u64,
}

/// A value that one thread uses at a time, first come, first served.
pub(super) struct FairMutex<T> {
    turns: Mutex<Turns>,
    changed: Condvar,
    value: Mutex<T>,
}

/// Ends a turn, also when its holder panics.
struct EndOfTurn<'a, T>(&'a FairMutex<T>);

impl<T> FairMutex<T> {
    pub fn new(value: T) -> Self {
        Self { turns: Mutex::default(), changed: Condvar::new(), value: Mutex::new(value) }
    }

    /// Waits for one's turn and uses the value. A panic of an earlier user is not passed on.
    pub fn with<R>(&self, usage: impl FnOnce(&mut T) -> R) -> R {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        let mine = turns.next;
        turns.next += 1;
        let reached = self.changed.wait_while(turns, |turns| turns.serving != mine);
        drop(reached.unwrap_or_else(PoisonError::into_inner));
        let _end = EndOfTurn(self);
        usage(&mut self.value.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<T> Drop for EndOfTurn<'_, T> {
    fn drop(&mut self) {
        self.0.turns.lock().unwrap_or_else(PoisonError::into_inner).serving += 1;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    /// A thread that asks again and again does not get in before one that is waiting already.
    #[test]
    fn first_come_first_served() {
        let lock = FairMutex::new(Vec::new());
        let (inside, has_entered) = mpsc::channel();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                lock.with(|order| {
                    inside.send(()).unwrap();
                    // Until the other one has asked.
                    while lock.turns.lock().unwrap().next < 2 {
                        std::thread::yield_now();
                    }
                    order.push("greedy");
                });
                lock.with(|order| order.push("greedy again"));
            });
            has_entered.recv().unwrap();
            lock.with(|order| order.push("patient"));
        });
        assert_eq!(lock.with(|order| order.clone()), ["greedy", "patient", "greedy again"]);
    }

    #[test]
    fn a_panic_ends_the_turn() {
        let lock = FairMutex::new(1);
        std::thread::scope(|scope| {
            assert!(scope.spawn(|| lock.with(|_| panic!("on purpose"))).join().is_err());
        });
        assert_eq!(lock.with(|value| *value), 1);
    }
}

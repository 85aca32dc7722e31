//! The states of jobs: which follow each other, and what a job in each of them has. docs/queue.md draws them.

use crate::memory_kind::words;

words! {
    /// Where a job is.
    JobState {
        /// It waits for a worker.
        Pending = "pending",
        /// A worker has it.
        Running = "running",
        /// It is done.
        Done = "done",
        /// It has failed for good.
        Failed = "failed",
        /// Somebody did not want it any more.
        Cancelled = "cancelled",
    }
}

impl JobState {
    /// Whether a job can go from this state to another one.
    pub fn may_become(self, next: Self) -> bool {
        use JobState::{Cancelled, Done, Failed, Pending, Running};
        matches!(
            (self, next),
            (Pending, Running | Cancelled)
                | (Running, Pending | Done | Failed | Cancelled)
                | (Failed | Cancelled, Pending)
        )
    }
}

/// What a job has that its state decides about.
#[derive(Clone, Copy, Debug)]
pub struct JobForm {
    /// How often it was taken.
    pub attempt: i32,
    /// Whether a time is set from which on a worker may take it.
    pub is_claimable: bool,
    /// Whether it has a lease.
    pub is_leased: bool,
    /// Whether it says who has it.
    pub is_claimed: bool,
    /// Whether it says when it ended.
    pub is_finished: bool,
    /// Whether it says when it failed for good.
    pub has_failed: bool,
}

impl JobForm {
    /// Whether a job of this form can be in a state.
    pub fn fits(self, state: JobState) -> bool {
        if self.has_failed != matches!(state, JobState::Failed) {
            return false;
        }
        let is_open = self.is_claimable && !self.is_finished;
        let is_over = !self.is_claimable && self.is_finished;
        let is_free = !self.is_leased && !self.is_claimed;
        match state {
            JobState::Pending => is_open && is_free,
            JobState::Running => is_open && self.is_leased && self.is_claimed && self.attempt > 0,
            JobState::Done => is_over && is_free && self.attempt > 0,
            JobState::Failed | JobState::Cancelled => is_over && is_free,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_over_only_begins_anew() {
        for state in JobState::ALL {
            assert!(!state.may_become(*state));
        }
        let next = |state: JobState| JobState::ALL.iter().filter(|next| state.may_become(**next)).count();
        assert_eq!(JobState::ALL.iter().map(|state| next(*state)).collect::<Vec<_>>(), [2, 4, 0, 1, 1]);
    }

    #[test]
    fn a_form_fits_what_is_pending_running_or_over() {
        let mut fitting = Vec::new();
        for bits in 0..32 {
            let form = JobForm {
                attempt: 1,
                is_claimable: bits & 1 > 0,
                is_leased: bits & 2 > 0,
                is_claimed: bits & 4 > 0,
                is_finished: bits & 8 > 0,
                has_failed: bits & 16 > 0,
            };
            let states: Vec<&str> =
                JobState::ALL.iter().filter(|state| form.fits(**state)).map(|state| state.as_str()).collect();
            if !states.is_empty() {
                fitting.push((bits, states.join(" ")));
            }
        }
        let expected = [(1, "pending"), (7, "running"), (8, "done cancelled"), (24, "failed")];
        assert_eq!(fitting, expected.map(|(bits, states)| (bits, states.to_owned())));
        let never_taken = JobForm {
            attempt: 0,
            is_claimable: false,
            is_leased: false,
            is_claimed: false,
            is_finished: true,
            has_failed: false,
        };
        assert!(!never_taken.fits(JobState::Done) && never_taken.fits(JobState::Cancelled));
    }
}

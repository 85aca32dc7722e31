//! Settings of the queue and its worker.

use std::time::Duration;

use pgrx::guc::{GucContext, GucFlags, GucRegistry, GucSetting};

/// 120 s: longer than a call may take, and as long as work waits that a worker on another machine has lost.
static LEASE_S: GucSetting<i32> = GucSetting::<i32>::new(120);

/// 4: enough to keep an endpoint busy that answers in some tenths of a second.
static CONCURRENCY: GucSetting<i32> = GucSetting::<i32>::new(4);

/// 64: a claim costs the same for one job and for many; what a stopped worker holds goes back.
static BATCH: GucSetting<i32> = GucSetting::<i32>::new(64);

/// 7 days: to look up what happened last week.
static KEEP_DONE_S: GucSetting<i32> = GucSetting::<i32>::new(7 * 86_400);

/// 90 days: failures are few, and somebody should see them.
static KEEP_FAILED_S: GucSetting<i32> = GucSetting::<i32>::new(90 * 86_400);

/// What the settings say.
pub struct QueueSettings {
    pub lease: Duration,
    pub concurrency: usize,
    pub batch: usize,
}

/// The settings of now.
pub fn queue() -> QueueSettings {
    QueueSettings {
        lease: Duration::from_secs(LEASE_S.get().try_into().unwrap_or(120)),
        concurrency: CONCURRENCY.get().try_into().unwrap_or(1),
        batch: BATCH.get().try_into().unwrap_or(1),
    }
}

pub(super) fn init() {
    let number = |name,
                  short,
                  long,
                  setting: &'static GucSetting<i32>,
                  range: std::ops::RangeInclusive<i32>,
                  flags| {
        GucRegistry::define_int_guc(
            name,
            short,
            long,
            setting,
            *range.start(),
            *range.end(),
            GucContext::Sighup,
            flags,
        );
    };
    number(
        c"memento.job_lease",
        c"For how long a worker takes a job.",
        c"It is extended while the job runs. A job whose worker vanished is taken again when it is over.",
        &LEASE_S,
        1..=86_400,
        GucFlags::UNIT_S,
    );
    number(
        c"memento.model_concurrency",
        c"How many calls of one model endpoint may be under way at once.",
        c"Of each worker. The local model is called once at a time.",
        &CONCURRENCY,
        1..=64,
        GucFlags::default(),
    );
    number(
        c"memento.job_batch",
        c"How many jobs a worker takes at once.",
        c"Texts of several jobs of a project go to the model in one call.",
        &BATCH,
        1..=10_000,
        GucFlags::default(),
    );
    number(
        c"memento.keep_done_jobs",
        c"For how long jobs are kept that are done or cancelled.",
        c"Older ones are deleted by the worker.",
        &KEEP_DONE_S,
        0..=i32::MAX,
        GucFlags::UNIT_S,
    );
    number(
        c"memento.keep_failed_jobs",
        c"For how long jobs are kept that have failed.",
        c"Older ones are deleted by the worker.",
        &KEEP_FAILED_S,
        0..=i32::MAX,
        GucFlags::UNIT_S,
    );
}

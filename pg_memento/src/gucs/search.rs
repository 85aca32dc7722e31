//! Settings of searches: anybody's own.

use pgrx::guc::{GucContext, GucFlags, GucRegistry, GucSetting};

/// 3 s: a lane takes some milliseconds, and a local model that has to be loaded first about a second.
static LANE_TIMEOUT_MS: GucSetting<i32> = GucSetting::<i32>::new(3000);

/// 3: a document that answers shows where, and leaves room for others.
static MAX_PER_ITEM: GucSetting<i32> = GucSetting::<i32>::new(3);

/// How long a lane of a search may take, in milliseconds.
pub fn lane_timeout_ms() -> i32 {
    LANE_TIMEOUT_MS.get()
}

/// How many chunks of one item come before those of others.
pub fn max_per_item() -> usize {
    MAX_PER_ITEM.get().try_into().unwrap_or(1)
}

pub(super) fn init() {
    GucRegistry::define_int_guc(
        c"memento.lane_timeout",
        c"How long each lane of a search may take.",
        c"A lane that is not done by then is left out, and the notes say so; the others answer.",
        &LANE_TIMEOUT_MS,
        1,
        600_000,
        GucContext::Userset,
        GucFlags::UNIT_MS,
    );
    GucRegistry::define_int_guc(
        c"memento.max_per_item",
        c"How many chunks of one item a search shows before those of others.",
        c"The rest comes after what other items have.",
        &MAX_PER_ITEM,
        1,
        1000,
        GucContext::Userset,
        GucFlags::default(),
    );
}

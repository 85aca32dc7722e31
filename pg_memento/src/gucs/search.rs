//! Settings of searches: anybody's own.

use std::ffi::CString;

use pgrx::guc::{GucContext, GucFlags, GucRegistry, GucSetting};

/// 3 s: a lane takes some milliseconds, and a local model that has to be loaded first about a second.
static LANE_TIMEOUT_MS: GucSetting<i32> = GucSetting::<i32>::new(3000);

/// 3: a document that answers shows where, and leaves room for others.
static MAX_PER_ITEM: GucSetting<i32> = GucSetting::<i32>::new(3);

/// 30 days: a pack is looked at when an answer is doubted, which is soon.
static KEEP_PACKS_S: GucSetting<i32> = GucSetting::<i32>::new(30 * 86_400);

/// Off: it costs a model call for each search.
static RERANK: GucSetting<bool> = GucSetting::<bool>::new(false);

/// Empty: no reranker.
static RERANKER: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(None);

/// Whether the best candidates are looked at again by a model.
pub fn rerank() -> bool {
    RERANK.get()
}

/// That model, as JSON.
pub fn reranker() -> Option<String> {
    super::text(&RERANKER)
}

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
    GucRegistry::define_int_guc(
        c"memento.keep_packs",
        c"For how long the packs of retrieve() are kept.",
        c"Older ones are deleted by the worker.",
        &KEEP_PACKS_S,
        0,
        i32::MAX,
        GucContext::Sighup,
        GucFlags::UNIT_S,
    );
    GucRegistry::define_bool_guc(
        c"memento.rerank",
        c"Whether the best candidates of a search are looked at again by the model of memento.reranker.",
        c"If the model fails or takes longer than memento.lane_timeout, the order stays as it is.",
        &RERANK,
        GucContext::Userset,
        GucFlags::default(),
    );
    GucRegistry::define_string_guc(
        c"memento.reranker",
        c"The model that looks at candidates again: JSON with provider (local, tei, jina or voyage), model and config as in an embedding profile, and depth.",
        c"Keys by reference only. Hosts must be among memento.allowed_hosts.",
        &RERANKER,
        GucContext::Sighup,
        GucFlags::SUPERUSER_ONLY,
    );
}

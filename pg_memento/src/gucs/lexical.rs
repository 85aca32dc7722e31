//! Settings of the lexical lane: anybody's own.

use memento_core::bm25::Parameters;
use pgrx::guc::{GucContext, GucFlags, GucRegistry, GucSetting};

/// What the engines have as well; see docs/search.md for what others do.
static K1: GucSetting<f64> = GucSetting::<f64>::new(1.2);
static B: GucSetting<f64> = GucSetting::<f64>::new(0.75);

/// On: who has built its index wants it used.
static ENGINE: GucSetting<bool> = GucSetting::<bool>::new(true);

/// How full-text search ranks.
pub fn bm25() -> Parameters {
    Parameters { k1: K1.get(), b: B.get() }
}

/// Whether an engine may be used.
pub fn uses_bm25_engine() -> bool {
    ENGINE.get()
}

pub(super) fn init() {
    GucRegistry::define_float_guc(
        c"memento.bm25_k1",
        c"How long repetition of a word goes on to add to the score of a text.",
        c"0: not at all. For full-text search; an engine has its own.",
        &K1,
        0.0,
        10.0,
        GucContext::Userset,
        GucFlags::default(),
    );
    GucRegistry::define_float_guc(
        c"memento.bm25_b",
        c"How much the length of a text counts against it: 0 not at all, 1 fully.",
        c"Lower it for short texts such as turns of a chat. For full-text search; an engine has its own.",
        &B,
        0.0,
        1.0,
        GucContext::Userset,
        GucFlags::default(),
    );
    GucRegistry::define_bool_guc(
        c"memento.bm25_engine",
        c"Whether searches use the index that memento.enable_bm25() has made.",
        c"Off: full-text search ranks.",
        &ENGINE,
        GucContext::Userset,
        GucFlags::default(),
    );
}

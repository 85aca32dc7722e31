//! Every setting, with the reason for its default. A query's knobs may be set by anyone, what concerns the
//! server or the file system only by its administrator.

use std::ffi::CString;

use pgrx::guc::{GucContext, GucFlags, GucRegistry, GucSetting};

use crate::ffi;

/// Empty: the default project. Kept as the user wrote it, so that `alter role ... set memento.project` can use
/// a name; looked up and checked at each use.
static PROJECT: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(None);

/// Off: losing all memories should take two decisions.
static ALLOW_DROP: GucSetting<bool> = GucSetting::<bool>::new(false);

/// 32 MB: a large book is 5 MB; beyond that a single document is more likely a mistake than a memory, and the
/// statement that chunks it would hold its transaction open for seconds.
static MAX_CONTENT_KB: GucSetting<i32> = GucSetting::<i32>::new(32 * 1024);

/// Off: what a version says is evidence.
static MAINTENANCE: GucSetting<bool> = GucSetting::<bool>::new(false);

/// Empty: no local model. A path on the server, hence for its administrator only.
static MODEL_DIR: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(None);

/// Off: a log of every search is for those who want one, and a search that writes cannot be free.
static RECORD_EVENTS: GucSetting<bool> = GucSetting::<bool>::new(false);

/// Empty: what is recorded has no parent. A text, and looked up at each use: it may name an event of another project.
static PARENT_EVENT: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(None);

/// Declares the settings and reserves the prefix, so that a mistyped name is an error and not a placeholder.
pub fn init() {
    GucRegistry::define_string_guc(
        c"memento.project",
        c"The project that functions work in: an id, a name or workspace/name; empty for the default project.",
        c"Set it with memento.use_project(). It chooses among the projects of the role and never widens them.",
        &PROJECT,
        GucContext::Userset,
        GucFlags::default(),
    );
    GucRegistry::define_bool_guc(
        c"memento.allow_drop",
        c"Lets DROP EXTENSION pg_memento go ahead although memories exist.",
        c"All memories of the database are lost with it.",
        &ALLOW_DROP,
        GucContext::Userset,
        GucFlags::default(),
    );
    GucRegistry::define_int_guc(
        c"memento.max_content_size",
        c"The largest content that one memory may have.",
        c"Larger content is refused. It is chunked and indexed in the transaction that stores it, so a higher limit means longer transactions.",
        &MAX_CONTENT_KB,
        1,
        512 * 1024,
        GucContext::Suset,
        GucFlags::UNIT_KB,
    );
    GucRegistry::define_bool_guc(
        c"memento.maintenance",
        c"Lets an administrator change versions, which are immutable otherwise.",
        c"For repairs only. Read by a trigger of the table version.",
        &MAINTENANCE,
        GucContext::Suset,
        GucFlags::default(),
    );
    GucRegistry::define_string_guc(
        c"memento.model_dir",
        c"Directory on the server with the local embedding model: model.onnx and tokenizer.json.",
        c"Empty: no local model, and memento.doctor() says so.",
        &MODEL_DIR,
        GucContext::Sighup,
        GucFlags::SUPERUSER_ONLY,
    );
    GucRegistry::define_bool_guc(
        c"memento.record_events",
        c"Makes searches and other operations record themselves in event_store.",
        c"Where nothing can be written, and for roles without write access, nothing is recorded.",
        &RECORD_EVENTS,
        GucContext::Userset,
        GucFlags::default(),
    );
    GucRegistry::define_string_guc(
        c"memento.parent_event",
        c"The event that led to what is recorded because of memento.record_events.",
        c"The id of an event of the current project; if it is none, what is recorded says so and has no parent.",
        &PARENT_EVENT,
        GucContext::Userset,
        GucFlags::default(),
    );
    ffi::server::reserve_setting_prefix(c"memento");
}

/// What the session calls its project; none for the default.
pub fn project() -> Option<String> {
    text(&PROJECT)
}

/// Whether the extension may be dropped with memories in it.
pub fn allow_drop() -> bool {
    ALLOW_DROP.get()
}

/// The largest content of one memory, in bytes.
pub fn max_content_bytes() -> usize {
    usize::try_from(MAX_CONTENT_KB.get()).unwrap_or(0) * 1024
}

/// The directory of the local model, if one is configured.
pub fn model_dir() -> Option<String> {
    text(&MODEL_DIR)
}

/// Whether operations record themselves.
pub fn record_events() -> bool {
    RECORD_EVENTS.get()
}

/// What the session says led to them.
pub fn parent_event() -> Option<String> {
    text(&PARENT_EVENT)
}

fn text(setting: &GucSetting<Option<CString>>) -> Option<String> {
    let value = setting.get()?.to_string_lossy().into_owned();
    (!value.is_empty()).then_some(value)
}

//! Every setting, with the reason for its default. A query's knobs may be set by anyone, what concerns the
//! server or the file system only by its administrator.

mod lexical;
mod models;
mod queue;
mod search;

pub use lexical::{bm25, uses_bm25_engine};
pub use models::models;
pub use queue::{metrics_port, queue};
pub use search::{lane_timeout_ms, max_per_item, rerank, reranker};

use std::ffi::CString;
use std::time::Duration;

use memento_core::restart::RestartPolicy;
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

/// 1 MB: is chunked and indexed in about a second; a larger one would hold the transaction open for longer, and can wait for
/// a worker.
static MAX_INLINE_KB: GucSetting<i32> = GucSetting::<i32>::new(1024);

/// Off: what a version says is evidence.
static MAINTENANCE: GucSetting<bool> = GucSetting::<bool>::new(false);

/// Empty: no local model. A path on the server, hence for its administrator only.
static MODEL_DIR: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(None);

/// On: who preloads the library wants its work done.
static WORKER: GucSetting<bool> = GucSetting::<bool>::new(true);

/// 1 s: nobody notices a worker that was away for so short a time, and one that dies at once costs nothing.
static RESTART_DELAY_MS: GucSetting<i32> = GucSetting::<i32>::new(1000);

/// 64 databases need 10 kB. Each with the extension needs a process too, so a server has rarely more.
static MAX_DATABASES: GucSetting<i32> = GucSetting::<i32>::new(64);

/// Off: a log of every search is for those who want one, and a search that writes cannot be free.
static RECORD_EVENTS: GucSetting<bool> = GucSetting::<bool>::new(false);

/// Empty: what is recorded has no parent. A text, and looked up at each use: it may name an event of another project.
static PARENT_EVENT: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(None);

/// Declares the settings and reserves the prefix, so that a mistyped name is an error and not a placeholder.
pub fn init(preloading: bool) {
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
        c"Larger content is refused.",
        &MAX_CONTENT_KB,
        1,
        512 * 1024,
        GucContext::Suset,
        GucFlags::UNIT_KB,
    );
    GucRegistry::define_int_guc(
        c"memento.max_inline_size",
        c"The largest content that is chunked in the transaction that stores it.",
        c"Larger content is chunked by a job, and can be found when a worker has done it. A higher limit means longer transactions.",
        &MAX_INLINE_KB,
        0,
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
    lexical::init();
    models::init();
    queue::init();
    search::init();
    GucRegistry::define_bool_guc(
        c"memento.worker",
        c"Whether databases with the extension have a background worker.",
        c"Off: the queue waits, or is worked by memento-worker processes on other machines.",
        &WORKER,
        GucContext::Sighup,
        GucFlags::default(),
    );
    GucRegistry::define_int_guc(
        c"memento.worker_restart_delay",
        c"How long after its end a background worker is started again.",
        c"One that dies again and again waits twice as long each time, up to five minutes.",
        &RESTART_DELAY_MS,
        10,
        300_000,
        GucContext::Sighup,
        GucFlags::UNIT_MS,
    );
    // The server takes such settings only while it starts.
    if preloading {
        GucRegistry::define_int_guc(
            c"memento.max_databases",
            c"For how many databases there is room in shared memory.",
            c"Databases with the extension beyond that have no background worker.",
            &MAX_DATABASES,
            1,
            10_000,
            GucContext::Postmaster,
            GucFlags::default(),
        );
    }
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

/// The largest content that is chunked at once, in bytes.
pub fn max_inline_bytes() -> usize {
    usize::try_from(MAX_INLINE_KB.get()).unwrap_or(0) * 1024
}

/// The directory of the local model, if one is configured.
pub fn model_dir() -> Option<String> {
    text(&MODEL_DIR)
}

/// Whether there are to be background workers.
pub fn worker() -> bool {
    WORKER.get()
}

/// When a background worker that has ended is started again.
pub fn restart_policy() -> RestartPolicy {
    RestartPolicy {
        first: Duration::from_millis(RESTART_DELAY_MS.get().try_into().unwrap_or(1000)),
        longest: Duration::from_secs(300),
        proved: Duration::from_secs(60),
    }
}

/// For how many databases there is room in shared memory.
pub fn max_databases() -> usize {
    MAX_DATABASES.get().try_into().unwrap_or(1)
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

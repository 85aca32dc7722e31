//! Settings of models: which hosts may be called, where keys and local files are. All for the server's administrator only, because
//! who can choose them can read files and variables of the server and send them away.

use std::ffi::CString;
use std::time::Duration;

use pgrx::guc::{GucContext, GucFlags, GucRegistry, GucSetting};

use super::text;

/// The providers that have a host of their own.
static ALLOWED_HOSTS: GucSetting<Option<CString>> =
    GucSetting::<Option<CString>>::new(Some(c"api.openai.com, api.voyageai.com, api.jina.ai"));

/// Off: a profile must not reach what only the server can reach.
static ALLOW_PRIVATE_HOSTS: GucSetting<bool> = GucSetting::<bool>::new(false);

/// Empty: keys come from environment variables only.
static KEY_DIR: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(None);

/// 60 s: a batch of long texts takes a busy endpoint some ten seconds.
static TIMEOUT_S: GucSetting<i32> = GucSetting::<i32>::new(60);

/// Empty: looked for where the system has its libraries.
static ONNX_LIBRARY: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(None);

/// Empty: no local reranker.
static RERANKER_DIR: GucSetting<Option<CString>> = GucSetting::<Option<CString>>::new(None);

/// 1: the server's processors are for queries first.
static THREADS: GucSetting<i32> = GucSetting::<i32>::new(1);

/// What the settings say.
pub struct ModelSettings {
    pub allowed_hosts: Vec<String>,
    pub allow_private_hosts: bool,
    pub key_dir: Option<String>,
    pub timeout: Duration,
    pub onnx_library: Option<String>,
    pub reranker_dir: Option<String>,
    pub threads: usize,
}

/// The settings of now.
pub fn models() -> ModelSettings {
    ModelSettings {
        allowed_hosts: text(&ALLOWED_HOSTS)
            .unwrap_or_default()
            .split([',', ' '])
            .filter(|host| !host.is_empty())
            .map(str::to_owned)
            .collect(),
        allow_private_hosts: ALLOW_PRIVATE_HOSTS.get(),
        key_dir: text(&KEY_DIR),
        timeout: Duration::from_secs(TIMEOUT_S.get().try_into().unwrap_or(60)),
        onnx_library: text(&ONNX_LIBRARY),
        reranker_dir: text(&RERANKER_DIR),
        threads: THREADS.get().try_into().unwrap_or(1),
    }
}

pub(super) fn init() {
    GucRegistry::define_string_guc(
        c"memento.allowed_hosts",
        c"Hosts that model providers may call: host, host:port, *.domain or *, separated by commas.",
        c"A profile that names another host is refused.",
        &ALLOWED_HOSTS,
        GucContext::Sighup,
        GucFlags::SUPERUSER_ONLY,
    );
    GucRegistry::define_bool_guc(
        c"memento.allow_private_hosts",
        c"Lets model providers call loopback, private and link-local addresses.",
        c"For endpoints of your own. They must be among memento.allowed_hosts too.",
        &ALLOW_PRIVATE_HOSTS,
        GucContext::Sighup,
        GucFlags::default(),
    );
    GucRegistry::define_string_guc(
        c"memento.key_dir",
        c"Directory on the server whose files profiles may name as API keys.",
        c"Empty: keys come from environment variables of the server whose names begin with MEMENTO_KEY_.",
        &KEY_DIR,
        GucContext::Sighup,
        GucFlags::SUPERUSER_ONLY,
    );
    GucRegistry::define_int_guc(
        c"memento.model_timeout",
        c"The longest wait for the end of a model call.",
        c"A profile can shorten it for itself.",
        &TIMEOUT_S,
        1,
        3600,
        GucContext::Sighup,
        GucFlags::UNIT_S,
    );
    GucRegistry::define_string_guc(
        c"memento.onnx_library",
        c"The ONNX Runtime library on the server, for the local embedding model.",
        c"Empty: there is no local model.",
        &ONNX_LIBRARY,
        GucContext::Sighup,
        GucFlags::SUPERUSER_ONLY,
    );
    GucRegistry::define_string_guc(
        c"memento.reranker_dir",
        c"Directory on the server with a local reranker: model.onnx and tokenizer.json of a cross-encoder.",
        c"Empty: no local reranker.",
        &RERANKER_DIR,
        GucContext::Sighup,
        GucFlags::SUPERUSER_ONLY,
    );
    GucRegistry::define_int_guc(
        c"memento.model_threads",
        c"How many threads one run of the local model may use.",
        c"More make a single text faster and take processors from queries.",
        &THREADS,
        1,
        256,
        GucContext::Sighup,
        GucFlags::default(),
    );
}
